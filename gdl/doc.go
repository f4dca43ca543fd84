// Package gdl reads the Game Description Language: text becomes a syntax tree of
// clauses, clauses are checked and normalised into a Game. It
// owns the language, in prefix (KIF) and infix (HRF) syntax: what is valid, what
// is odd, where and why, and the canonical layout. It knows nothing of positions,
// moves or engines: what rules mean when they are run is the reasoner's business.
//
//	text ─scanner─▶ tokens ─balancer─▶ tokens ─cut─▶ tokens of a clause
//	tokens of a clause ─parser─▶ Clause ─collector─▶ Clause
//	clauses ─check─▶ Diagnostics
//	clauses ─stratify─▶ clauses ─normaliser─▶ Game
//
// Each syntax has a grammar (prefix.go, infix.go), by which participle parses one
// clause after the other into the same syntax tree (syntax.go); tokens and the ends of
// clauses are found by hand. Load does all of it, Parse stops at the tree. What a text
// may cost is bounded before anything is built of it (limits.go). All passes are linear
// in the size of the text, but for the distribution of disjunctions, which is bounded,
// and the search for cycles through negation, which runs once for each relation that
// has to be split.
package gdl
