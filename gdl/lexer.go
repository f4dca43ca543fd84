package gdl

import (
	"context"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// The tokens of a rulesheet, in either syntax.
const (
	tokenSymbol  lexer.TokenType = iota + 1 // a name or a variable
	tokenPunct                              // parentheses and operators
	tokenComment                            // to the end of the line

	// Token types of the grammars: names with a meaning, in any case, and in prefix syntax a parenthesis with a name.
	tokenRule       // (<=
	tokenConnective // not, or, and
	tokenDistinct
	tokenList // (name
)

// blank is the type of the characters between tokens.
const blank lexer.TokenType = 0

// syntax is the character classes of one notation: the token type that each byte belongs to.
type syntax struct {
	kinds   [256]lexer.TokenType
	foreign bool // comments of other languages are comments
}

// The notations of rulesheets are prefix and infix. The notation of terms of a game is lone, in which a name such as # or //a
// begins no comment.
var (
	prefix = newSyntax(";", "()", true)
	infix  = newSyntax("%;", "(),&|~:!", true)
	lone   = newSyntax(";", "()", false)
)

// infixWords maps alternative spellings of operators to the operators of infix syntax.
var infixWords = map[string]string{
	"not": "~", `\+`: "~", "!": "~", "and": "&", "&&": "&", "or": "|", "||": "|", "<=": ":-", "<-": ":-",
}

// newSyntax returns a syntax with the given comment signs and single-character tokens.
func newSyntax(comment, punct string, foreign bool) *syntax {
	s := &syntax{foreign: foreign}
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

// endsClause reports whether a clause ends between two tokens outside of parentheses: in infix syntax after a dot, and
// where no operator connects them.
func (s *syntax) endsClause(a, b lexer.Token) bool {
	if s != infix || b.EOF() || isPunct(a, ".") {
		return true
	}
	operator := infixWords[strings.ToLower(a.Value)] != "" || infixOperator(a, b) != "" || isForeignOperator(a) || isForeignOperator(b)
	return endsOperand(a) && b.Type == tokenSymbol && !operator
}

// endsOperand reports whether a term or a condition can end with t.
func endsOperand(t lexer.Token) bool {
	return t.Type == tokenSymbol || t.Type == tokenConnective || t.Type == tokenDistinct || isPunct(t, ")")
}

// infixOperator returns the operator that t represents after the token before, or "". `and`, `or` and the arrows are
// operators after an operand, `not` and other signs of negation elsewhere.
func infixOperator(before, t lexer.Token) string {
	operator := infixWords[strings.ToLower(t.Value)]
	if t.Type == tokenSymbol && (operator == "~") == endsOperand(before) {
		return ""
	}
	return operator
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

// scanner splits a rulesheet into tokens: comments, punctuation, and symbols, which extend to the next blank or sign.
// It is written by hand because a rulesheet consists mostly of tokens: regular expressions would dominate the time of
// a parse.
type scanner struct {
	*syntax
	watch *guard.Watch
	src   string
	pos   lexer.Position

	oddBlanks int            // non-ASCII blanks so far
	oddBlank  lexer.Position // the first non-ASCII blank
}

var (
	_ lexer.Definition = (*syntax)(nil)
	_ lexer.Lexer      = (*scanner)(nil)
)

// Next implements lexer.Lexer.
func (s *scanner) Next() (lexer.Token, error) {
	s.watch.Step()
	s.skip(blank)
	start := s.pos
	rest := s.src[start.Offset:]
	if rest == "" {
		return lexer.EOFToken(start), nil
	}
	kind, _ := s.kindAt(start.Offset)
	switch {
	case kind == tokenComment || s.isForeignComment():
		kind = tokenComment
		s.skipLine()
	case kind == tokenPunct || s.syntax == infix && (rest[0] == '.' || strings.HasPrefix(rest, `\+`)):
		kind = tokenPunct
		s.advance(len(s.sign(rest)))
	default:
		s.skip(tokenSymbol)
		s.dropDot(start)
	}
	return lexer.Token{Type: kind, Value: s.src[start.Offset:s.pos.Offset], Pos: start}, nil
}

// kindAt returns the type of the character at an offset, and its size in bytes. Non-ASCII blanks, such as no-break
// spaces, separate tokens too.
func (s *scanner) kindAt(offset int) (kind lexer.TokenType, size int) {
	c := s.src[offset]
	if c < utf8.RuneSelf {
		return s.kinds[c], 1
	}
	r, size := utf8.DecodeRuneInString(s.src[offset:])
	if isOddBlank(r) || size == 1 && c == 0xa0 { // a no-break space in Latin-1
		return blank, size
	}
	return tokenSymbol, size
}

// isOddBlank reports whether r is a non-ASCII blank or an invisible character.
func isOddBlank(r rune) bool {
	return r >= utf8.RuneSelf && unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// isForeignComment reports whether a comment of another language starts here, if the syntax has any: at the start of a
// line, `//`, or `#` or `%` before a blank.
func (s *scanner) isForeignComment() bool {
	if !s.foreign || !startsForeignComment(s.src[s.pos.Offset:]) {
		return false
	}
	before := strings.TrimRightFunc(s.src[:s.pos.Offset], func(r rune) bool {
		return r != '\n' && (r <= ' ' || isOddBlank(r))
	})
	return before == "" || strings.HasSuffix(before, "\n")
}

// startsForeignComment reports whether a line starts with a comment sign of another language.
func startsForeignComment(text string) bool {
	if text[0] != '#' && text[0] != '%' {
		return strings.HasPrefix(text, "//")
	}
	body := strings.TrimLeft(text, "#%")
	return body == "" || body[0] <= ' '
}

// sign returns the punctuation at the start of text.
func (*scanner) sign(text string) string {
	for _, long := range []string{":-", "&&", "||", "!=", `\+`} {
		if strings.HasPrefix(text, long) {
			return long
		}
	}
	return text[:1]
}

// dropDot excludes the final dot of a symbol of infix syntax, before a blank.
func (s *scanner) dropDot(start lexer.Position) {
	if s.syntax != infix || s.src[s.pos.Offset-1] != '.' {
		return
	}
	if end := s.pos.Offset; end < len(s.src) {
		if kind, _ := s.kindAt(end); kind != blank && kind != tokenComment {
			return
		}
	}
	if s.pos.Offset-1 > start.Offset {
		s.pos.Offset--
		s.pos.Column--
	}
}

// skip advances over the characters of a type and records the first non-ASCII blank.
func (s *scanner) skip(kind lexer.TokenType) {
	for s.pos.Offset < len(s.src) {
		k, size := s.kindAt(s.pos.Offset)
		if k != kind {
			return
		}
		if kind == blank && s.src[s.pos.Offset] >= utf8.RuneSelf {
			if s.oddBlanks == 0 {
				s.oddBlank = s.pos
			}
			s.oddBlanks++
		}
		s.advance(size)
	}
}

// skipLine advances to the end of the line.
func (s *scanner) skipLine() {
	for s.pos.Offset < len(s.src) && s.src[s.pos.Offset] != '\n' {
		s.advance(1)
	}
}

// advance advances by n bytes, and counts lines and characters.
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
		if s.pos.Offset%(1<<16) == 0 {
			s.watch.Look()
		}
	}
}
