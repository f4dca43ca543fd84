package gdl

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of prefix syntax. A parenthesis and the following name are one token, named after the construct. The
// grammar accepts every list with balanced parentheses: malformed parts are reported from the tree, with their
// context. Terms are most of a text, so they are parsed by hand: the parser copies its state for each choice.
type (
	prefixClause struct {
		Pos  lexer.Position
		Head *prefixTerm      `parser:"  Rule ( @@"`
		Body []*prefixLiteral `parser:"         @@* )? ')'"`
		Fact *prefixTerm      `parser:"| @@"`
	}

	// prefixLiteral is a connective of literals, or a term: a sentence, or `distinct` of terms.
	prefixLiteral struct {
		Pos      lexer.Position
		Name     string           `parser:"  @Connective"`
		Literals []*prefixLiteral `parser:"  @@* ')'"`
		Term     *prefixTerm      `parser:"| @@"`
	}

	prefixTerm Term
)

// The parser of a syntax is built at its first use, which takes as long as loading a small rulesheet.
var prefixGrammar = sync.OnceValue(func() *participle.Parser[prefixClause] {
	return participle.MustBuild[prefixClause](participle.Lexer(prefix))
})

// parsePrefix parses the tokens of one clause.
func parsePrefix(tokens []lexer.Token) (*Clause, error) {
	c, err := parse(prefixGrammar(), &prefixTokens{tokens})
	if err != nil {
		return nil, err
	}
	return c.clause(), nil
}

func (c *prefixClause) clause() *Clause {
	out := &Clause{Pos: place(c.Pos)}
	switch {
	case c.Fact != nil:
		out.Head = Term(*c.Fact)
	case c.Head != nil:
		out.Head = Term(*c.Head)
	}
	out.Body = formulas(c.Body)
	return out
}

func formulas(list []*prefixLiteral) []Formula {
	if len(list) == 0 {
		return nil
	}
	out := make([]Formula, len(list))
	for i, l := range list {
		out[i] = l.formula()
	}
	return out
}

func (l *prefixLiteral) formula() Formula {
	f := Formula{Pos: place(l.Pos)}
	switch t := l.Term; {
	case t == nil:
		f.Connective, f.Name, f.Subs = connectiveOf(l.Name), l.Name, formulas(l.Literals)
	case t.Kind == Compound && connectiveOf(t.Name) == Differ:
		f.Connective, f.Name, f.Args = Differ, t.Name, t.Args
	default:
		f.Atom = Term(*t)
	}
	return f
}

// Parse implements participle.Parseable: it reads a symbol, or a list of any kind.
func (t *prefixTerm) Parse(tokens *lexer.PeekingLexer) error {
	if next := tokens.Peek(); next.EOF() || isPunct(*next, ")") {
		return participle.NextMatch
	}
	term, err := parseTerms(tokens)
	*t = prefixTerm(term)
	return err
}

// parseTerms reads a symbol, or a list with its terms.
func parseTerms(tokens *lexer.PeekingLexer) (Term, error) {
	first := tokens.Next()
	if first.Type == tokenSymbol {
		return symbol(first.Pos, first.Value), nil
	}
	t := Term{Kind: Compound, Pos: place(first.Pos)}
	if first.Type != tokenPunct {
		t.Name = first.Value
	}
	var few [8]Term // most lists are short
	args := few[:0]
	for next := tokens.Peek(); !isPunct(*next, ")"); next = tokens.Peek() {
		if next.EOF() {
			return t, participle.Errorf(next.Pos, "expected `)`, found the end")
		}
		arg, err := parseTerms(tokens)
		if err != nil {
			return t, err
		}
		args = append(args, arg)
	}
	tokens.Next()
	t.Args = append(t.Args, args...)
	return t, nil
}

// prefixTokens passes the tokens of a clause to the parser, each parenthesis with the following name. The last token
// is the end of the text.
type prefixTokens struct{ tokens []lexer.Token }

// Next implements lexer.Lexer.
func (l *prefixTokens) Next() (lexer.Token, error) {
	t := l.tokens[0]
	l.tokens = l.tokens[1:]
	if !isPunct(t, "(") || l.tokens[0].Type != tokenSymbol || IsVariable(l.tokens[0].Value) {
		return t, nil
	}
	t.Value = l.tokens[0].Value
	l.tokens = l.tokens[1:]
	switch t.Type = nameType(t.Value); {
	case t.Value == "<=":
		t.Type = tokenRule
	case t.Type == tokenSymbol:
		t.Type = tokenList
	}
	return t, nil
}
