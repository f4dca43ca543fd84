package gdl

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Infix syntax, which some course servers send: rules `head :- a & ~b`, terms
// `cell(X,1)`, capitalised variables, `|` between conditions in parentheses, and
// comments that start with `%`. It is read into the forms of prefix syntax:
//
//	seen(X) :- true(cell(X,1)) & (p | ~q(X))
//	→ (<= (seen ?X) (true (cell ?X 1)) (or p (not (q ?X))))
type infixFile struct {
	Clauses []*infixClause `parser:"@@*"`
}

type infixClause struct {
	Pos  lexer.Position
	Head *infixTerm        `parser:"@@"`
	Body *infixDisjunction `parser:"( ':-' @@ )?"`
}

type infixDisjunction struct {
	Pos      lexer.Position
	Branches []*infixConjunction `parser:"@@ ( '|' @@ )*"`
}

type infixConjunction struct {
	Pos        lexer.Position
	Conditions []*infixCondition `parser:"@@ ( '&' @@ )*"`
}

type infixCondition struct {
	Pos     lexer.Position
	Negated *infixCondition   `parser:"  '~' @@"`
	Group   *infixDisjunction `parser:"| '(' @@ ')'"`
	Atom    *infixTerm        `parser:"| @@"`
}

type infixTerm struct {
	Pos   lexer.Position
	Name  string       `parser:"@Symbol"`
	Paren bool         `parser:"( @'('"`
	Args  []*infixTerm `parser:"  ( @@ ( ',' @@ )* )? ')' )?"`
}

// infixParser is made when the first such text comes: that takes as long as to load a small
// rulesheet, and most are written in prefix syntax.
var infixParser = sync.OnceValue(func() *participle.Parser[infixFile] {
	return participle.MustBuild[infixFile](participle.Lexer(infix), participle.Elide("Comment"))
})

// isInfix tells whether a text is written in infix syntax: its first punctuation
// is `:-`, or a parenthesis that follows a symbol at once. Rules in prefix syntax
// and messages start with a parenthesis, single terms are a symbol alone.
func isInfix(w *watch, text string) bool {
	s := infix.scanner(w, "", text)
	for before := (lexer.Token{}); ; {
		t, _ := s.Next() // the scanner never fails
		switch {
		case t.EOF():
			return false
		case isPunct(t, "("):
			return before.Type == tokenSymbol && before.Pos.Offset+len(before.Value) == t.Pos.Offset
		case t.Type == tokenPunct:
			return t.Value == ":-"
		}
		before = t
	}
}

// maxInfixFaults is how many malformed clauses of a file are reported; for each
// the file is parsed once more.
const maxInfixFaults = 20

// parseInfix parses tokens that match in parentheses and hands out the clauses as
// forms. A clause that is malformed is reported and left out.
func parseInfix(source *balancer, form func(*Form)) Diagnostics {
	var faults Diagnostics
	tokens, _ := lexer.ConsumeAll(source) // it never fails
	for range maxInfixFaults {
		source.watch.look()
		stream, _ := lexer.Upgrade(&tokenLexer{tokens}) // nor does this
		tree, err := infixParser().ParseFromLexer(stream)
		if err == nil {
			c := infixConverter{}
			for _, cl := range tree.Clauses {
				form(c.clause(cl))
			}
			return faults
		}
		fault := syntaxFault(err)
		faults = append(faults, fault)
		tokens = withoutClause(tokens, fault.Pos)
	}
	return faults
}

// withoutClause drops the clause around a position. A clause reaches from a
// token in the first column to the next such token.
func withoutClause(tokens []lexer.Token, at Pos) []lexer.Token {
	first, last := 0, len(tokens)-1
	for i, t := range tokens[:last] {
		if t.Pos.Column != 1 {
			continue
		}
		if place(t.Pos).compare(at) <= 0 {
			first = i
		} else {
			last = i
			break
		}
	}
	return append(tokens[:first:first], tokens[last:]...)
}

// infixConverter makes forms of the infix tree.
type infixConverter struct {
	anonymous int // variables written `_` so far
}

func (c *infixConverter) clause(cl *infixClause) *Form {
	head := c.term(cl.Head)
	if cl.Body == nil {
		return head
	}
	rule := &Form{Pos: cl.Pos, List: []*Form{symbol(cl.Pos, "<="), head}}
	if len(cl.Body.Branches) == 1 {
		for _, f := range cl.Body.Branches[0].Conditions {
			rule.List = append(rule.List, c.condition(f))
		}
		return rule
	}
	rule.List = append(rule.List, c.disjunction(cl.Body))
	return rule
}

func symbol(pos lexer.Position, name string) *Form { return &Form{Pos: pos, Atom: name} }

func (c *infixConverter) disjunction(d *infixDisjunction) *Form {
	f := &Form{Pos: d.Pos, List: []*Form{symbol(d.Pos, "or")}}
	for _, b := range d.Branches {
		f.List = append(f.List, c.conjunction(b))
	}
	if len(d.Branches) == 1 {
		return f.List[1]
	}
	return f
}

func (c *infixConverter) conjunction(j *infixConjunction) *Form {
	f := &Form{Pos: j.Pos, List: []*Form{symbol(j.Pos, "and")}}
	for _, g := range j.Conditions {
		f.List = append(f.List, c.condition(g))
	}
	if len(j.Conditions) == 1 {
		return f.List[1]
	}
	return f
}

func (c *infixConverter) condition(f *infixCondition) *Form {
	switch {
	case f.Negated != nil:
		return &Form{Pos: f.Pos, List: []*Form{symbol(f.Pos, "not"), c.condition(f.Negated)}}
	case f.Group != nil:
		return c.disjunction(f.Group)
	}
	return c.term(f.Atom)
}

func (c *infixConverter) term(t *infixTerm) *Form {
	if !t.Paren {
		return symbol(t.Pos, c.name(t.Name))
	}
	f := &Form{Pos: t.Pos, List: []*Form{symbol(t.Pos, t.Name)}}
	for _, a := range t.Args {
		f.List = append(f.List, c.term(a))
	}
	return f
}

// name is a symbol, or a variable if it is capitalised; each `_` is a variable
// of its own.
func (c *infixConverter) name(s string) string {
	if s == "_" {
		c.anonymous++
		return fmt.Sprintf("?_%d", c.anonymous)
	}
	if r, _ := utf8.DecodeRuneInString(s); unicode.IsUpper(r) || r == '_' {
		return "?" + s
	}
	return s
}
