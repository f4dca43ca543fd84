package gdl

import "math"

// Pos is a position in a rulesheet. Line and column count from 1, the column in characters; the zero Pos is unknown.
type Pos struct {
	File   string
	Line   int
	Column int
}

// Kind is the kind of a Term.
type Kind uint8

// The kinds of a term.
const (
	Symbol   Kind = iota // xplayer, 17, mark
	Variable             // ?x; Name keeps the question mark
	Compound             // (mark 1 ?y); at least one argument
)

// Term is a symbol, a variable or a function term. An atom (a relation applied to arguments) has the same form: a
// Symbol if the relation has no arguments, else a Compound. In a syntax tree, a Compound may have no arguments, where
// `(p)` stands for `p`. Its name is empty if it is a list that starts with a list, which is always invalid.
type Term struct {
	Kind Kind
	Name string // symbol, variable with its "?", or functor/relation name
	Args []Term // of a Compound
	Pos  Pos
}

// String returns the term in prefix form with single blanks.
func (t Term) String() string {
	if t.Kind != Compound {
		return t.Name
	}
	return string(t.appendText(nil, math.MaxInt))
}

// excerpt returns the text of t, clipped for a message.
func (t Term) excerpt() string { return clip(string(t.appendText(nil, excerptLength))) }

// appendText appends the text of t, and stops some bytes past a length.
func (t Term) appendText(dst []byte, length int) []byte {
	if t.Kind != Compound {
		return append(dst, t.Name...)
	}
	return appendList(dst, length, t.Name, t.Args)
}

// text is a value that can append its text.
type text interface {
	appendText(dst []byte, length int) []byte
}

// appendList appends a name and a list, in parentheses.
func appendList[T text](dst []byte, length int, name string, list []T) []byte {
	dst = append(append(dst, '('), name...)
	for i, t := range list {
		if len(dst) > length {
			return dst
		}
		if i > 0 || name != "" {
			dst = append(dst, ' ')
		}
		dst = t.appendText(dst, length)
	}
	return append(dst, ')')
}

// Equal reports whether t and u are the same term, positions aside.
func (t Term) Equal(u Term) bool {
	if t.Kind != u.Kind || t.Name != u.Name || len(t.Args) != len(u.Args) {
		return false
	}
	for i := range t.Args {
		if !t.Args[i].Equal(u.Args[i]) {
			return false
		}
	}
	return true
}

// Op is the operator of a Literal.
type Op uint8

// The kinds of a literal in the body of a Rule.
const (
	Holds    Op = iota // the atom is true
	Not                // the atom is false
	Distinct           // Left and Right are different terms
	Equal              // Left and Right are the same term: (not (distinct l r))
)

// Literal is one condition in the body of a Rule.
type Literal struct {
	Op          Op
	Atom        Term // of Holds and Not
	Left, Right Term // of Distinct and Equal
	Pos         Pos
}

// String returns the literal in prefix form with single blanks.
func (l Literal) String() string {
	switch l.Op {
	case Not:
		return "(not " + l.Atom.String() + ")"
	case Distinct:
		return "(distinct " + l.Left.String() + " " + l.Right.String() + ")"
	case Equal:
		return "(not (distinct " + l.Left.String() + " " + l.Right.String() + "))"
	default:
		return l.Atom.String()
	}
}

// Rule is a Horn clause with negation: Head holds if every literal of Body
// does. A fact is a rule with an empty body.
type Rule struct {
	Head Term
	Body []Literal
	Pos  Pos
}

// Game is a checked, normalised rulesheet, the input of the reasoner. Its rules satisfy all restrictions of GDL
// (safety, stratification, recursion restriction), and keywords are in lower case. Every `or` is distributed over
// rules or replaced by an auxiliary relation. Literals are ordered so that a Holds literal binds each variable before
// Not, Distinct or Equal uses it. A chance role is spelled `random`. Auxiliary relations have names that the rulesheet
// does not use. A relation that negates itself by name only is split, so that the names are stratified. The relations
// with a fixed meaning are role/1 init/1 base/1 input/2 true/1 does/2 next/1 legal/2 goal/2 terminal/0.
type Game struct {
	Roles []Term // ground, in order of declaration
	Rules []Rule // in order of the rulesheet; includes the role facts

	percepts []percept // of the rules for `sees`, which Rules does not contain
}
