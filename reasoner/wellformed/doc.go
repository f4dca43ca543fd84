// Package wellformed finds faults of a game that appear only in play: it plays random matches and checks the demands
// of GDL. Every match must end, every role must have a legal move until then, and exactly one goal from 0 to 100 at
// the end (Love, Hinrichs, Haley, Schkufza, Genesereth: "General Game Playing: Game Description Language
// Specification", 2008, section on well-formed games). If `base` and `input` are given, they must list all fluents
// and moves that occur. The package owns these checks and their messages. It uses any machine, and the prover
// for queries about single positions.
package wellformed
