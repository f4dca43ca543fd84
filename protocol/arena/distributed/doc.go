// Package distributed runs tournaments on a queue: one process runs a tournament, and workers,
// in this process or on other machines, hold its matches. It owns what they tell each
// other: which match is to be held, its turns while it is, and its record. A tournament
// whose runner was killed goes on where it was: what has been played lies in the archive
// and in the queue. It must not know how a player thinks.
package distributed
