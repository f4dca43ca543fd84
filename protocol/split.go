package protocol

import (
	"errors"
	"fmt"
	"strings"
)

// A small scanner instead of a parser splits the envelope of a message, so that gdl receives the rules as they were
// sent. It needs one pass and no recursion.

// split returns the top-level forms of text: atoms, and parenthesised lists with their text. It drops comments
// between forms, and forms beyond the first most, which would take memory.
func split(text string, most int) ([]string, error) {
	var forms []string
	keep := func(form string) {
		if len(forms) < most {
			forms = append(forms, form)
		}
	}
	depth, start := 0, -1 // start of the list, or of the atom if depth is 0
	symbol := 0           // start of the current symbol
	for i := 0; i < len(text); i++ {
		c := text[i]
		if endsAtom(c) {
			if depth == 0 && start >= 0 {
				keep(text[start:i])
				start = -1
			}
			symbol = i + 1
		} else if i-symbol >= maxSymbol {
			return nil, fmt.Errorf("expected symbols of at most %d bytes, found %s", maxSymbol, clip(text[symbol:i]))
		}
		switch {
		case c == ';':
			i = endOfLine(text, i)
			symbol = i + 1
		case c == '(':
			if depth == 0 {
				start = i
			}
			if depth++; depth > maxNesting {
				return nil, fmt.Errorf("expected at most %d nested parentheses, found more", maxNesting)
			}
		case c == ')':
			if depth == 0 {
				return nil, errors.New("found an unmatched closing parenthesis")
			}
			if depth--; depth == 0 {
				keep(text[start : i+1])
				start = -1
			}
		case depth == 0 && start < 0 && !isSpace(c):
			start = i
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("the message ends with %d open parentheses", depth)
	}
	if start >= 0 {
		keep(text[start:])
	}
	return forms, nil
}

// commandOf returns the command of a message from its beginning, or "".
func commandOf(head string) Command {
	rest, ok := strings.CutPrefix(skipBlank(strings.TrimPrefix(head, "\ufeff")), "(")
	if !ok {
		return ""
	}
	rest = skipBlank(rest)
	n := 0
	for n < len(rest) && !endsAtom(rest[n]) {
		n++
	}
	return Command(strings.ToUpper(rest[:n]))
}

// skipBlank returns text without leading white space and comments.
func skipBlank(text string) string {
	i := 0
	for ; i < len(text) && (isSpace(text[i]) || text[i] == ';'); i++ {
		if text[i] == ';' {
			i = endOfLine(text, i)
		}
	}
	return text[min(i, len(text)):]
}

// endOfLine returns the index of the line break after i, or len(text).
func endOfLine(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// isSpace reports whether c is white space or an ASCII control character.
func isSpace(c byte) bool { return c <= ' ' || c == 0x7f }

func endsAtom(c byte) bool { return isSpace(c) || c == '(' || c == ')' || c == ';' }

func isList(form string) bool { return strings.HasPrefix(form, "(") }

// inside returns the text between the parentheses of a list.
func inside(list string) string { return list[1 : len(list)-1] }

// maxClip limits the text quoted in errors, in bytes.
const maxClip = 80

// clip returns a short printable line of text.
func clip(text string) string { return Printable(text, maxClip) }

// Printable returns at most limit bytes of text, with other bytes than printable ASCII replaced.
func Printable(text string, limit int) string {
	short := text[:min(limit, len(text))]
	var b strings.Builder
	for _, c := range []byte(short) {
		if c < ' ' || c > '~' {
			c = '?'
		}
		b.WriteByte(c)
	}
	if len(short) < len(text) {
		b.WriteString("...")
	}
	return b.String()
}
