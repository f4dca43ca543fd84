// Package gdl reads the Game Description Language: text becomes a syntax tree,
// the tree becomes clauses, clauses are checked and normalised into a Game. It
// owns the language, in prefix (KIF) and infix (HRF) syntax: what is valid, what
// is odd, where and why, and the canonical layout. It knows nothing of positions,
// moves or engines: what rules mean when they are run is the reasoner's business.
//
//	text ─scanner─▶ tokens ─balancer─▶ tokens ─reader─▶ forms ─builder─▶ clauses
//	clauses ─check─▶ Diagnostics
//	clauses ─stratify─▶ clauses ─normaliser─▶ Game
//
// Load does all of it, form by form, Parse stops at the forms; those of infix
// syntax are read by participle. What a text may cost is bounded before anything is
// built of it (limits.go). All passes are linear in the size of the text, but for
// the distribution of disjunctions, which is bounded, and the search for cycles
// through negation, which runs once for each relation that has to be split.
package gdl
