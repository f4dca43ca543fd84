package gdl

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of prefix syntax. A parenthesis and the following name are one token, named after the construct. The
// grammar accepts every list with balanced parentheses: malformed parts are reported from the tree, with their
// context. A production captures all its tokens, names included, and adjacent names are one production: separate
// captures dominate the parsing time.
type (
	prefixClause struct {
		Tokens []lexer.Token
		Head   *prefixSentence  `parser:"  Rule ( @@"`
		Body   []*prefixLiteral `parser:"         @@* )? ')'"`
		Fact   *prefixSentence  `parser:"| @@"`
	}

	// prefixLiteral is a sentence, `distinct` of terms, or a connective of literals.
	prefixLiteral struct {
		Tokens   []lexer.Token
		Terms    []*prefixTerms   `parser:"  List @@* ')' | Symbol | ( Distinct | Rule | '(' ) @@* ')'"`
		Literals []*prefixLiteral `parser:"| Connective @@* ')'"`
	}

	prefixSentence struct {
		Tokens []lexer.Token
		List   []*prefixTerms `parser:"List @@* ')' | Symbol | ( Rule | Connective | Distinct | '(' ) @@* ')'"`
	}

	// prefixTerms is a list, or names.
	prefixTerms struct {
		Tokens []lexer.Token
		List   []*prefixTerms `parser:"List @@* ')' | Symbol+ | ( Rule | Connective | Distinct | '(' ) @@* ')'"`
	}
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
	out := &Clause{Pos: place(c.Tokens[0].Pos)}
	switch {
	case c.Fact != nil:
		out.Head = term(c.Fact.Tokens[0], c.Fact.List)
	case c.Head != nil:
		out.Head = term(c.Head.Tokens[0], c.Head.List)
	}
	for _, l := range c.Body {
		out.Body = append(out.Body, l.formula())
	}
	return out
}

func (l *prefixLiteral) formula() Formula {
	first := l.Tokens[0]
	f := Formula{Pos: place(first.Pos)}
	switch first.Type {
	case tokenConnective:
		f.Connective, f.Name = connectiveOf(first.Value), first.Value
		for _, m := range l.Literals {
			f.Subs = append(f.Subs, m.formula())
		}
	case tokenDistinct:
		f.Connective, f.Name, f.Args = Differ, first.Value, terms(l.Terms)
	default:
		f.Atom = term(first, l.Terms)
	}
	return f
}

// term returns a symbol or a compound term from its first token.
func term(first lexer.Token, args []*prefixTerms) Term {
	if first.Type == tokenSymbol {
		return symbol(first.Pos, first.Value)
	}
	t := Term{Kind: Compound, Args: terms(args), Pos: place(first.Pos)}
	if first.Type != tokenPunct {
		t.Name = first.Value
	}
	return t
}

func terms(runs []*prefixTerms) []Term {
	var out []Term
	for _, r := range runs {
		if r.Tokens[0].Type != tokenSymbol {
			out = append(out, term(r.Tokens[0], r.List))
			continue
		}
		for _, t := range r.Tokens {
			out = append(out, term(t, nil))
		}
	}
	return out
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
