// Package wellformed finds the faults of a game that its text does not show: it
// plays random matches and compares what happens with what GDL demands. Every
// match must end, every role must have a legal move until then and exactly one
// goal from 0 to 100 at the end (Love, Hinrichs, Haley, Schkufza, Genesereth:
// "General Game Playing: Game Description Language Specification", 2008, section
// on well-formed games), and `base` and `input`, where they are given, must list
// what occurs. It owns these checks and their messages; it knows no engine but the
// interpreter, which it asks about single positions.
package wellformed
