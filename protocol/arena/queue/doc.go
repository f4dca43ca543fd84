// Package queue distributes tasks to workers on any number of machines and returns exactly one result of each task.
// It uses streams of NATS JetStream, on a server embedded in this process with its store in a folder, or on a
// cluster. It owns the streams and their guarantees; it does not interpret tasks.
//
// A task stays in a work queue until a worker has finished it. Workers keep a task by heartbeats; after Lease without
// a heartbeat the task goes to another worker. The first worker can do no harm: a result is accepted only if the task
// has none. Results are kept until Settle or Forget, at most for a month. Texts shared by many tasks (rulesheets) are stored
// once, by name. All streams are bounded. Progress reports of workers go to subscribers and are not stored.
package queue
