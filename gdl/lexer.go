package gdl

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// The tokens of a rulesheet, in either syntax.
const (
	tokenSymbol  lexer.TokenType = iota + 1 // a name or a variable
	tokenPunct                              // parentheses and operators
	tokenComment                            // to the end of the line

	// In the grammars, names with a meaning, in any case, and in prefix syntax a
	// parenthesis with a name.
	tokenRule       // (<=
	tokenConnective // not, or, and
	tokenDistinct
	tokenList // (name
)

// blank is the kind of what stands between tokens.
const blank lexer.TokenType = 0

// syntax is what tells the two ways of writing rules apart for the scanner: the kind
// of token that a byte is of, or starts.
type syntax struct{ kinds [256]lexer.TokenType }

var (
	prefix = newSyntax(";", "()")
	infix  = newSyntax("%;", "(),&|~:")
)

// newSyntax makes a syntax with the given signs that start a comment, and signs that
// are tokens of their own.
func newSyntax(comment, punct string) *syntax {
	s := &syntax{}
	for c := range s.kinds {
		if c > ' ' && c != 0x7f {
			s.kinds[c] = tokenSymbol
		}
	}
	for _, c := range []byte(comment) {
		s.kinds[c] = tokenComment
	}
	for _, c := range []byte(punct) {
		s.kinds[c] = tokenPunct
	}
	return s
}

// separates tells whether a clause ends between two tokens that stand in no
// parentheses: in infix syntax, where no operator connects them.
func (s *syntax) separates(a, b lexer.Token) bool {
	return s == prefix || b.EOF() || (a.Type == tokenSymbol || isPunct(a, ")")) && b.Type == tokenSymbol
}

// Symbols implements lexer.Definition.
func (*syntax) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Symbol": tokenSymbol, "Punct": tokenPunct, "Comment": tokenComment,
		"Rule": tokenRule, "Connective": tokenConnective, "Distinct": tokenDistinct, "List": tokenList,
	}
}

// Lex implements lexer.Definition.
func (s *syntax) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	return s.scanner(guard.NewWatch(context.Background(), reading), file, string(src)), err
}

func (s *syntax) scanner(w *guard.Watch, file, src string) *scanner {
	return &scanner{syntax: s, watch: w, src: src, pos: lexer.Position{Filename: file, Line: 1, Column: 1}}
}

// scanner cuts a rulesheet into tokens: comments, punctuation, and symbols, which
// are anything else up to the next blank. It is written by hand because a
// rulesheet is nearly all tokens: regular expressions would take most of the time
// of a parse.
type scanner struct {
	*syntax
	watch *guard.Watch
	src   string
	pos   lexer.Position
}

var (
	_ lexer.Definition = (*syntax)(nil)
	_ lexer.Lexer      = (*scanner)(nil)
)

// Next implements lexer.Lexer.
func (s *scanner) Next() (lexer.Token, error) {
	s.watch.Step()
	s.skip(func(c byte) bool { return s.kinds[c] == blank })
	start := s.pos
	rest := s.src[start.Offset:]
	if rest == "" {
		return lexer.EOFToken(start), nil
	}
	kind := s.kinds[rest[0]]
	switch kind {
	case tokenComment:
		s.skip(func(c byte) bool { return c != '\n' && c != '\r' })
	case tokenPunct:
		s.advance(len(s.sign(rest)))
	default:
		s.skip(func(c byte) bool { return s.kinds[c] == tokenSymbol })
	}
	return lexer.Token{Type: kind, Value: s.src[start.Offset:s.pos.Offset], Pos: start}, nil
}

// sign is the punctuation at the start of text.
func (*scanner) sign(text string) string {
	if strings.HasPrefix(text, ":-") {
		return ":-"
	}
	return text[:1]
}

// skip advances over the bytes that satisfy ok.
func (s *scanner) skip(ok func(byte) bool) {
	for s.pos.Offset < len(s.src) && ok(s.src[s.pos.Offset]) {
		s.advance(1)
		if s.pos.Offset%(1<<16) == 0 {
			s.watch.Look()
		}
	}
}

// advance moves n bytes on, counting lines and characters.
func (s *scanner) advance(n int) {
	for range n {
		switch c := s.src[s.pos.Offset]; {
		case c == '\n':
			s.pos.Line++
			s.pos.Column = 1
		case utf8.RuneStart(c):
			s.pos.Column++
		}
		s.pos.Offset++
	}
}
