// Package queue hands tasks to workers on any number of machines and brings back exactly
// one result of each: streams of NATS JetStream, on a server embedded in this process with
// its store in a folder, or on a cluster. It owns the streams and what they guarantee; it
// must not know what a task is.
//
// A task lies in a work queue until a worker has finished it. Workers keep it while they
// send heartbeats; one that falls silent gives it back after Lease, and one that loses its
// task to another in this way cannot do harm: a result is accepted only while its task
// has none. Results stay until Forget, at most a month. Texts that many tasks share,
// rulesheets, are kept by name once. All streams have bounds. What workers report meanwhile
// is passed on to whoever listens, and kept by nobody.
package queue
