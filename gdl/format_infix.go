package gdl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// infix writes the clauses of a rulesheet in infix syntax: facts on one line, rules with one condition per line.
func (w *layouter) infix(tokens []lexer.Token) {
	starts := clauseStarts(tokens)
	depth := 0
	fresh := false // the line is complete
	for i, t := range tokens {
		if t.EOF() {
			break
		}
		if i > 0 {
			w.gap(tokens[i-1], t, fresh, outside(tokens[i:], starts))
		}
		w.out.WriteString(strings.TrimRight(t.Value, " \t"))
		switch t.Value {
		case "(":
			depth++
		case ")":
			depth--
		}
		connective := depth == 0 && !fresh && (t.Value == "&" || t.Value == "|")
		fresh = t.Type == tokenComment || t.Value == ":-" || connective
	}
	if w.out.Len() > 0 {
		w.out.WriteByte('\n')
	}
}

// clauseStarts returns the offsets at which clauses start.
func clauseStarts(tokens []lexer.Token) map[int]bool {
	starts := make(map[int]bool)
	depth := 0
	before := lexer.EOFToken(lexer.Position{})
	for _, t := range tokens {
		if t.Type == tokenComment {
			continue
		}
		if depth == 0 && (before.EOF() || infix.endsClause(before, t)) {
			starts[t.Pos.Offset] = true
		}
		switch {
		case isPunct(t, "("):
			depth++
		case isPunct(t, ")"):
			depth--
		}
		before = t
	}
	return starts
}

// outside reports whether the first of tokens is between clauses: it starts a clause, or it is a comment that no
// further token of its clause follows.
func outside(tokens []lexer.Token, starts map[int]bool) bool {
	for _, t := range tokens {
		if t.Type != tokenComment {
			return t.EOF() || starts[t.Pos.Offset]
		}
	}
	return true
}

// gap writes the space between two tokens. Fresh: a ends its line. Outside: b is in no clause or starts one.
func (w *layouter) gap(a, b lexer.Token, fresh, outside bool) {
	switch {
	case b.Type == tokenComment && a.Pos.Line == b.Pos.Line:
		w.out.WriteByte(' ')
	case outside && b.Pos.Line > a.Pos.Line+1:
		w.out.WriteString("\n\n")
	case outside:
		w.newline(0)
	case fresh || b.Type == tokenComment:
		w.newline(tabWidth)
	case isPunct(b, "."):
	case endsOperand(a) && b.Type == tokenSymbol, infixWords[strings.ToLower(a.Value)] != "", infixWords[strings.ToLower(b.Value)] != "":
		w.out.WriteByte(' ')
	case strings.Contains(":-&|", b.Value) || a.Value == "&" || a.Value == "|":
		w.out.WriteByte(' ')
	}
}
