// Package distributed runs tournaments on a queue: one process, the runner, runs a tournament, and workers, in this
// process or on other machines, play its matches. It owns their messages: the order of a match, its turns, and its
// record. A tournament whose runner was killed can be resumed: played matches are in the archive and the queue. The
// package does not depend on the search of a player.
package distributed
