// Package gdl reads the Game Description Language: it parses text into a syntax tree of clauses, then checks and
// normalises the clauses into a Game. It owns the language, in prefix (KIF) and infix (HRF) syntax: errors and
// warnings with their positions and reasons, and the canonical layout. It does not contain positions, moves or
// engines: the reasoner evaluates rules.
//
//	text ─scanner─▶ tokens ─balancer─▶ tokens ─cut─▶ tokens of a clause
//	tokens of a clause ─parser─▶ Clause ─collector─▶ Clause
//	clauses ─check─▶ Diagnostics
//	clauses ─stratify─▶ clauses ─normaliser─▶ Game
//
// Each syntax has a grammar (prefix.go, infix.go), by which participle parses one clause after another into the same
// syntax tree (syntax.go). The scanner and the division into clauses are written by hand. Load runs all passes, Parse
// stops at the tree. Limits bound the cost of a text before any tree is built (limits.go). All passes are linear in
// the size of the text, with two exceptions: the distribution of disjunctions, which is bounded, and the search for
// cycles through negation, which runs once per split relation.
package gdl
