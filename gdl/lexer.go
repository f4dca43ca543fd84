package gdl

import (
	"io"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The tokens of a rulesheet, in either syntax.
const (
	tokenSymbol  lexer.TokenType = iota + 1 // a name or a variable
	tokenPunct                              // parentheses and operators
	tokenComment                            // to the end of the line
)

// kifLexer scans prefix KIF. It is written by hand because a rulesheet is nearly
// all tokens: regular expressions would take most of the time of a parse.
// Anything but blanks, parentheses and `;` is part of a symbol.
type kifLexer struct {
	src string
	pos lexer.Position
}

var (
	_ lexer.Definition = kifDefinition{}
	_ lexer.Lexer      = (*kifLexer)(nil)
)

// kifDefinition tells participle of the lexer.
type kifDefinition struct{}

// Symbols implements lexer.Definition.
func (kifDefinition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Symbol": tokenSymbol, "Punct": tokenPunct, "Comment": tokenComment,
	}
}

// Lex implements lexer.Definition.
func (kifDefinition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	return newKIFLexer(file, string(src)), err
}

func newKIFLexer(file, src string) *kifLexer {
	return &kifLexer{src: src, pos: lexer.Position{Filename: file, Line: 1, Column: 1}}
}

// Next implements lexer.Lexer.
func (l *kifLexer) Next() (lexer.Token, error) {
	l.skip(isBlank)
	start := l.pos
	if start.Offset == len(l.src) {
		return lexer.EOFToken(start), nil
	}
	kind := tokenSymbol
	switch l.src[start.Offset] {
	case '(', ')':
		kind = tokenPunct
		l.pos.Offset++
		l.pos.Column++
	case ';':
		kind = tokenComment
		l.skip(func(c byte) bool { return c != '\n' && c != '\r' })
	default:
		l.skip(isSymbolByte)
	}
	return lexer.Token{Type: kind, Value: l.src[start.Offset:l.pos.Offset], Pos: start}, nil
}

// skip advances over the bytes that satisfy ok, counting lines and characters.
func (l *kifLexer) skip(ok func(byte) bool) {
	p := &l.pos
	for p.Offset < len(l.src) && ok(l.src[p.Offset]) {
		switch c := l.src[p.Offset]; {
		case c == '\n':
			p.Line++
			p.Column = 1
		case c < utf8.RuneSelf || utf8.RuneStart(c):
			p.Column++
		}
		p.Offset++
	}
}

func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

func isSymbolByte(c byte) bool { return !isBlank(c) && c != '(' && c != ')' && c != ';' }
