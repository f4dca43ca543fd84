package gdl

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of prefix syntax. It takes every list whose parentheses match: what
// is malformed is reported of the tree, where it is known what was meant. Tokens
// are all those of a production, of which the first tells the place and the name:
// a name that is captured takes twice the time of one that is not.
type (
	prefixClause struct {
		Tokens []lexer.Token
		Head   *prefixTerm      `parser:"  '(' Arrow ( @@"`
		Body   []*prefixLiteral `parser:"              @@* )? ')'"`
		Fact   *prefixTerm      `parser:"| @@"`
	}

	prefixLiteral struct {
		Tokens   []lexer.Token
		Literals []*prefixLiteral `parser:"  '(' ( Connective @@*"`
		Terms    []*prefixTerm    `parser:"      | Distinct @@* ) ')'"`
		Sentence *prefixTerm      `parser:"| @@"`
	}

	prefixTerm struct {
		Tokens []lexer.Token
		List   []*prefixTerm `parser:"Symbol | '(' @@* ')' | Connective | Distinct | Arrow"`
	}
)

// The parser of a syntax is made when the first such text comes: that takes as long
// as to load a small rulesheet.
var prefixGrammar = sync.OnceValue(func() *participle.Parser[prefixClause] {
	return participle.MustBuild[prefixClause](participle.Lexer(prefix))
})

// prefixParser is the parser of the tokens of one clause.
func prefixParser() func([]lexer.Token) (*Clause, error) {
	return func(tokens []lexer.Token) (*Clause, error) {
		c, err := parse(prefixGrammar(), tokens)
		if err != nil {
			return nil, err
		}
		return c.clause(), nil
	}
}

func (c *prefixClause) clause() *Clause {
	out := &Clause{Pos: place(c.Tokens[0].Pos)}
	switch {
	case c.Fact != nil:
		out.Head = c.Fact.term()
	case c.Head != nil:
		out.Head = c.Head.term()
	}
	for _, l := range c.Body {
		out.Body = append(out.Body, l.formula())
	}
	return out
}

func (l *prefixLiteral) formula() Formula {
	f := Formula{Pos: place(l.Tokens[0].Pos)}
	if l.Sentence != nil {
		f.Atom = l.Sentence.term()
		return f
	}
	f.Name = l.Tokens[1].Value
	f.Connective = connectiveOf(f.Name)
	for _, m := range l.Literals {
		f.Subs = append(f.Subs, m.formula())
	}
	f.Args = prefixTerms(l.Terms)
	return f
}

func (t *prefixTerm) term() Term {
	first := t.Tokens[0]
	if len(t.Tokens) == 1 {
		return symbol(first.Pos, first.Value)
	}
	return list(first.Pos, prefixTerms(t.List))
}

func prefixTerms(terms []*prefixTerm) []Term {
	var out []Term
	for _, t := range terms {
		out = append(out, t.term())
	}
	return out
}
