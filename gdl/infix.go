package gdl

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// Infix syntax, which some course servers send: rules `head :- a & ~b`, terms `cell(X,1)`, capitalised variables, `
// ` between conditions in parentheses, and comments that start with `%`. As in Prolog, a comma between conditions is
// `&`, `not` is `~`, and a dot may end a clause. The parser produces the tree of prefix syntax:
//
//	seen(X) :- true(cell(X,1)) & (p | ~q(X))
//	→ (<= (seen ?X) (true (cell ?X 1)) (or p (not (q ?X))))
type (
	infixClause struct {
		Pos  lexer.Position
		Head *infixTerm        `parser:"@@"`
		Body *infixDisjunction `parser:"( ':-' @@ )?"`
	}

	infixDisjunction struct {
		Pos      lexer.Position
		Branches []*infixConjunction `parser:"@@ ( '|' @@ )*"`
	}

	infixConjunction struct {
		Pos      lexer.Position
		Literals []*infixLiteral `parser:"@@ ( ( '&' | ',' ) @@ )*"`
	}

	infixLiteral struct {
		Pos      lexer.Position
		Negated  *infixLiteral     `parser:"  '~' @@"`
		Group    *infixDisjunction `parser:"| '(' @@ ')'"`
		Name     string            `parser:"| ( @Connective '('"`
		Literals []*infixLiteral   `parser:"    ( @@ ( ',' @@ )* )? ')'"`
		Terms    []*infixTerm      `parser:"  | Distinct '(' ( @@ ( ',' @@ )* )? ')' )"`
		Sentence *infixTerm        `parser:"| @@"`
	}

	infixTerm struct {
		Pos   lexer.Position
		Name  string       `parser:"@( Symbol | Connective | Distinct )"`
		Paren bool         `parser:"( @'('"`
		Args  []*infixTerm `parser:"  ( @@ ( ',' @@ )* )? ')' )?"`
	}
)

var infixGrammar = sync.OnceValue(func() *participle.Parser[infixClause] {
	return participle.MustBuild[infixClause](participle.Lexer(infix))
})

// isInfix reports whether a text is in infix syntax: its first punctuation is `:-`, or a parenthesis directly after a
// symbol. Rules in prefix syntax and messages start with a parenthesis, single terms are a lone symbol.
func isInfix(w *guard.Watch, text string) bool {
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

// infixConverter converts infix trees of one text to clauses.
type infixConverter struct {
	anonymous int // number of variables written `_` so far
}

// parse parses the tokens of one clause.
func (c *infixConverter) parse(tokens []lexer.Token) (*Clause, error) {
	tree, err := parse(infixGrammar(), &infixTokens{tokens: tokens})
	if err != nil {
		return nil, err
	}
	return c.clause(tree), nil
}

func (c *infixConverter) clause(cl *infixClause) *Clause {
	out := &Clause{Head: c.term(cl.Head), Pos: place(cl.Pos)}
	if cl.Body == nil {
		return out
	}
	if len(cl.Body.Branches) > 1 {
		out.Body = []Formula{c.disjunction(cl.Body)}
		return out
	}
	for _, l := range cl.Body.Branches[0].Literals {
		out.Body = append(out.Body, c.literal(l))
	}
	return out
}

func (c *infixConverter) disjunction(d *infixDisjunction) Formula {
	if len(d.Branches) == 1 {
		return c.conjunction(d.Branches[0])
	}
	f := Formula{Connective: Disjunction, Name: "or", Pos: place(d.Pos)}
	for _, b := range d.Branches {
		f.Subs = append(f.Subs, c.conjunction(b))
	}
	return f
}

func (c *infixConverter) conjunction(j *infixConjunction) Formula {
	if len(j.Literals) == 1 {
		return c.literal(j.Literals[0])
	}
	f := Formula{Connective: Conjunction, Name: "and", Pos: place(j.Pos)}
	for _, l := range j.Literals {
		f.Subs = append(f.Subs, c.literal(l))
	}
	return f
}

func (c *infixConverter) literal(l *infixLiteral) Formula {
	f := Formula{Pos: place(l.Pos)}
	switch {
	case l.Negated != nil:
		f.Connective, f.Name = Negation, "not"
		f.Subs = []Formula{c.literal(l.Negated)}
	case l.Group != nil:
		return c.disjunction(l.Group)
	case l.Sentence != nil:
		f.Atom = c.term(l.Sentence)
	default:
		if f.Name = l.Name; f.Name == "" {
			f.Name = "distinct"
		}
		f.Connective = connectiveOf(f.Name)
		for _, t := range l.Terms {
			f.Args = append(f.Args, c.term(t))
		}
		for _, m := range l.Literals {
			f.Subs = append(f.Subs, c.literal(m))
		}
	}
	return f
}

func (c *infixConverter) term(t *infixTerm) Term {
	if !t.Paren {
		return symbol(t.Pos, c.name(t.Name))
	}
	out := Term{Kind: Compound, Name: t.Name, Pos: place(t.Pos)}
	for _, a := range t.Args {
		out.Args = append(out.Args, c.term(a))
	}
	return out
}

// name returns a symbol, or a variable for a capitalised name. Each `_` is a new variable, with a colon, which names of
// infix syntax cannot contain.
func (c *infixConverter) name(s string) string {
	if s == "_" {
		c.anonymous++
		return fmt.Sprintf("?_:%d", c.anonymous)
	}
	if r, _ := utf8.DecodeRuneInString(s); unicode.IsUpper(r) || r == '_' {
		return "?" + s
	}
	return s
}

// infixTokens passes the tokens of a clause to the parser, with operators in one spelling. The last token is the end
// of the text.
type infixTokens struct {
	tokens []lexer.Token
	before lexer.Token
}

// Next implements lexer.Lexer.
func (l *infixTokens) Next() (lexer.Token, error) {
	t := l.tokens[0]
	l.tokens = l.tokens[1:]
	operator := infixOperator(l.before, t)
	switch {
	case operator != "":
		t.Type, t.Value = tokenPunct, operator
	case t.Type == tokenSymbol:
		t.Type = nameType(t.Value)
	}
	l.before = t
	return t, nil
}
