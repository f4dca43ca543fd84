package protocol

import (
	"errors"
	"fmt"
	"strings"
)

// The envelope of a message is cut by this small scanner instead of a parser,
// so that rules reach gdl as they were sent. It runs once over the text,
// without recursion.

// split cuts text into its top-level forms: atoms and parenthesised lists, the
// latter uncut. Comments between forms vanish, and so do forms past the given
// number, so that many small ones take no memory.
func split(text string, most int) ([]string, error) {
	var forms []string
	keep := func(form string) {
		if len(forms) < most {
			forms = append(forms, form)
		}
	}
	depth, start := 0, -1 // of the list, or of the atom if depth is 0
	symbol := 0           // where the symbol that i is in begins
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
				return nil, errors.New("found a closing parenthesis too many")
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
		return nil, fmt.Errorf("found the end where %d parentheses are open", depth)
	}
	if start >= 0 {
		keep(text[start:])
	}
	return forms, nil
}

// commandOf is the command of a message of which the beginning is known.
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

// skipBlank is text without the white space and the comments that it begins with.
func skipBlank(text string) string {
	i := 0
	for ; i < len(text) && (isSpace(text[i]) || text[i] == ';'); i++ {
		if text[i] == ';' {
			i = endOfLine(text, i)
		}
	}
	return text[min(i, len(text)):]
}

// endOfLine is the index of the last byte of the line that i is in.
func endOfLine(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// isSpace counts all ASCII control characters as white space.
func isSpace(c byte) bool { return c <= ' ' || c == 0x7f }

func endsAtom(c byte) bool { return isSpace(c) || c == '(' || c == ')' || c == ';' }

func isList(form string) bool { return strings.HasPrefix(form, "(") }

// inside takes the parentheses off a list.
func inside(list string) string { return list[1 : len(list)-1] }

// maxClip is how much of a faulty text a message repeats, in bytes.
const maxClip = 80

// clip makes one short printable line of any text.
func clip(text string) string { return Printable(text, maxClip) }

// Printable is at most limit bytes of text, all of them printable ASCII.
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
