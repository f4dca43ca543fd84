package gdl

import (
	"context"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// The canonical layout.
const (
	lineWidth = 80
	tabWidth  = 4
	maxIndent = lineWidth / 2 // deeper lists are indented no further
)

// Format returns a rulesheet in canonical layout, in its own syntax. Facts are on one line, rules have one condition
// per line, and lists too long for a line have one element per line. Comments stay on a line of their own or behind
// their form; several blank lines become one. Formatting is idempotent. The error is an Invalid with the syntax
// errors.
func Format(src []byte) ([]byte, error) {
	tree, err := Parse("", src)
	if err != nil {
		return nil, err
	}
	text := textOf(string(src))
	w := &layouter{}
	if tree.Infix {
		w.infix(tokensOf(infix, text))
	} else {
		w.prefix(unwrapped(items(tokensOf(prefix, text))))
	}
	out := w.out.String()
	if again, err := Parse("", []byte(out)); err != nil || again.Infix != tree.Infix || Print(again) != Print(tree) {
		return src, nil // only symbols: other line breaks could turn them into a comment or into the other syntax
	}
	return []byte(out), nil
}

// tokensOf returns the tokens of a valid text.
func tokensOf(s *syntax, text string) []lexer.Token {
	tokens, _ := lexer.ConsumeAll(s.scanner(guard.NewWatch(context.Background(), reading), "", text)) // the scanner never fails
	return tokens
}

// item is an element of the layout: a symbol, a comment or a list.
type item struct {
	token   lexer.Token // of a list the opening parenthesis
	list    []*item
	width   int  // on one line; past lineWidth if it contains a comment
	trails  bool // begins on the line on which the previous item ends
	spaced  bool // a blank line precedes it
	endLine int
}

func (it *item) isComment() bool { return it.token.Type == tokenComment }

func (it *item) isList() bool { return isPunct(it.token, "(") }

// items reads tokens with balanced parentheses.
func items(tokens []lexer.Token) []*item {
	root := &item{}
	open := []*item{root}
	line := 0
	for _, t := range tokens {
		top := open[len(open)-1]
		if t.EOF() {
			break
		}
		if isPunct(t, ")") {
			top.endLine, line = t.Pos.Line, t.Pos.Line
			top.measure()
			open = open[:len(open)-1]
			continue
		}
		it := &item{token: t, endLine: t.Pos.Line, trails: t.Pos.Line == line, spaced: line > 0 && t.Pos.Line > line+1}
		line = t.Pos.Line
		top.list = append(top.list, it)
		if it.isList() {
			open = append(open, it)
		} else {
			it.measure()
		}
	}
	return root.list
}

// unwrapped returns the forms without parentheses around all of them, if any.
func unwrapped(forms []*item) (out []*item) {
	lists := 0
	for _, f := range forms {
		if !f.isComment() {
			lists++
			out = append(out, f)
		}
	}
	if lists != 1 || !out[0].isList() || out[0].hasName() {
		return forms
	}
	wrapped := out[0]
	out = nil
	for _, f := range forms {
		if f == wrapped {
			out = append(out, f.list...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// hasName reports whether a list directly contains a symbol, or at most one list.
func (it *item) hasName() bool {
	lists := 0
	for _, e := range it.list {
		if e.isList() {
			lists++
		} else if !e.isComment() {
			return true
		}
	}
	return lists < 2
}

// measure computes the width of an item from the widths of its elements.
func (it *item) measure() {
	switch {
	case it.isComment():
		it.width = lineWidth + 1
	case it.isList():
		it.width = 2 + max(0, len(it.list)-1)
		for _, e := range it.list {
			it.width = min(it.width+e.width, lineWidth+1)
		}
	default:
		it.width = len(it.token.Value)
	}
}

// layouter writes lines.
type layouter struct {
	out strings.Builder
}

func (w *layouter) newline(indent int) {
	w.out.WriteByte('\n')
	for range min(indent, maxIndent) {
		w.out.WriteByte(' ')
	}
}

// prefix writes the forms of a rulesheet in prefix syntax.
func (w *layouter) prefix(forms []*item) {
	for i, f := range forms {
		switch {
		case i == 0:
		case f.isComment() && f.trails && !forms[i-1].isComment():
			w.out.WriteByte(' ')
		case f.spaced:
			w.out.WriteString("\n\n")
		default:
			w.out.WriteByte('\n')
		}
		w.item(f, 0)
	}
	if len(forms) > 0 {
		w.out.WriteByte('\n')
	}
}

// item writes an item, at the present column.
func (w *layouter) item(it *item, indent int) {
	switch {
	case !it.isList():
		w.out.WriteString(strings.TrimRight(it.token.Value, " \t"))
	case indent+it.width <= lineWidth && !it.isRule():
		w.flat(it)
	default:
		w.broken(it, indent)
	}
}

// isRule reports whether the list is a rule with conditions.
func (it *item) isRule() bool {
	return it.isList() && len(it.list) > 2 && it.list[0].token.Value == "<="
}

func (w *layouter) flat(it *item) {
	if !it.isList() {
		w.out.WriteString(it.token.Value)
		return
	}
	w.out.WriteByte('(')
	for i, e := range it.list {
		if i > 0 {
			w.out.WriteByte(' ')
		}
		w.flat(e)
	}
	w.out.WriteByte(')')
}

// broken writes a list with one element per line; the name, and the head of a rule, stay on the first line.
func (w *layouter) broken(it *item, indent int) {
	w.out.WriteByte('(')
	first := 1 // elements on the first line
	if it.isRule() {
		first = 2
	}
	clean := true // the first line can be continued
	for i, e := range it.list {
		switch {
		case e.isComment() && e.trails:
			w.out.WriteByte(' ')
		case i == 0 && !e.isComment():
		case i < first && clean && !e.isComment():
			w.out.WriteByte(' ')
		default:
			w.newline(indent + tabWidth)
		}
		clean = clean && !e.isComment()
		w.item(e, indent+tabWidth)
	}
	if n := len(it.list); n > 0 && it.list[n-1].isComment() {
		w.newline(indent)
	}
	w.out.WriteByte(')')
}
