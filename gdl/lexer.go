package gdl

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
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

// syntax is what tells the two ways of writing rules apart for the scanner.
type syntax struct {
	comment string // the signs that start a comment
	punct   string // the signs that are tokens of their own
}

var (
	prefix = &syntax{comment: ";", punct: "()"}
	infix  = &syntax{comment: "%;", punct: "(),&|~:"}
)

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
	return s.scanner(&watch{ctx: context.Background()}, file, string(src)), err
}

func (s *syntax) scanner(w *watch, file, src string) *scanner {
	return &scanner{syntax: s, watch: w, src: src, pos: lexer.Position{Filename: file, Line: 1, Column: 1}}
}

// scanner cuts a rulesheet into tokens: comments, punctuation, and symbols, which
// are anything else up to the next blank. It is written by hand because a
// rulesheet is nearly all tokens: regular expressions would take most of the time
// of a parse.
type scanner struct {
	*syntax
	watch *watch
	src   string
	pos   lexer.Position
}

var (
	_ lexer.Definition = (*syntax)(nil)
	_ lexer.Lexer      = (*scanner)(nil)
)

// Next implements lexer.Lexer.
func (s *scanner) Next() (lexer.Token, error) {
	s.watch.step()
	s.skip(isBlank)
	start := s.pos
	rest := s.src[start.Offset:]
	if rest == "" {
		return lexer.EOFToken(start), nil
	}
	kind := tokenSymbol
	switch c := rest[0]; {
	case strings.IndexByte(s.comment, c) >= 0:
		kind = tokenComment
		s.skip(func(c byte) bool { return c != '\n' && c != '\r' })
	case strings.IndexByte(s.punct, c) >= 0:
		kind = tokenPunct
		s.advance(len(s.sign(rest)))
	default:
		s.skip(s.isSymbol)
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

func (s *scanner) isSymbol(c byte) bool {
	return !isBlank(c) && strings.IndexByte(s.punct, c) < 0 && strings.IndexByte(s.comment, c) < 0
}

func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

// skip advances over the bytes that satisfy ok.
func (s *scanner) skip(ok func(byte) bool) {
	for s.pos.Offset < len(s.src) && ok(s.src[s.pos.Offset]) {
		s.advance(1)
		if s.pos.Offset%(1<<16) == 0 {
			s.watch.look()
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
