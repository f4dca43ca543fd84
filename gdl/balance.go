package gdl

import "github.com/alecthomas/participle/v2/lexer"

// maxDepth is how deeply parentheses may nest. Rulesheets stay below 20; the
// limit keeps every recursion over a tree within its stack.
const maxDepth = 1000

// balance finds every parenthesis without a partner, nesting that is too deep,
// and question marks that name no variable. It is the guard of the recursive
// parser: the tokens that it returns have parentheses that match, surplus ones
// dropped and missing ones added, so that the rest of a faulty file can be
// checked too. They are nil if the nesting is too deep.
//
// Where parentheses are missing, an opening one in the first column (in infix
// syntax a symbol) is taken to start a form of its own, as rulesheets are laid out.
func balance(tokens []lexer.Token, infix bool) ([]lexer.Token, Diagnostics) {
	b := balancer{infix: infix, byColumn: missing(tokens), out: make([]lexer.Token, 0, len(tokens))}
	for _, t := range tokens {
		b.token(t)
	}
	if b.deep {
		return nil, b.faults
	}
	return b.out, b.faults
}

// missing tells whether the tokens lack closing parentheses.
func missing(tokens []lexer.Token) bool {
	depth := 0
	for _, t := range tokens {
		switch {
		case isPunct(t, "("):
			depth++
		case isPunct(t, ")") && depth > 0:
			depth--
		}
	}
	return depth > 0
}

func isPunct(t lexer.Token, sign string) bool { return t.Type == tokenPunct && t.Value == sign }

type balancer struct {
	infix    bool
	byColumn bool
	deep     bool
	open     []lexer.Position
	run      int // signs of negation that stand one behind the other
	out      []lexer.Token
	faults   Diagnostics
}

func (b *balancer) token(t lexer.Token) {
	if b.byColumn && t.Pos.Column == 1 && (isPunct(t, "(") || b.infix && t.Type == tokenSymbol) {
		b.close(t.Pos, "the next form")
	}
	if isPunct(t, "~") {
		b.run++
	} else {
		b.run = 0
	}
	switch {
	case t.EOF():
		b.close(t.Pos, "the end of the file")
	case t.Type == tokenSymbol && t.Value == "?":
		b.faults.report("E004", t.Pos, t.Value, "expected the name of a variable after `?`, found nothing")
	case isPunct(t, "("):
		b.open = append(b.open, t.Pos)
	case isPunct(t, ")") && len(b.open) == 0:
		b.faults.report("E001", t.Pos, t.Value, "expected a form, found `)` with no open parenthesis before it")
		return
	case isPunct(t, ")"):
		b.open = b.open[:len(b.open)-1]
	}
	if len(b.open)+b.run > maxDepth && !b.deep {
		b.deep = true
		b.faults.report("E003", t.Pos, t.Value, "expected at most %d nested parentheses, found more", maxDepth)
	}
	b.out = append(b.out, t)
}

// close ends the form that is open, if one is.
func (b *balancer) close(at lexer.Position, before string) {
	if len(b.open) > 0 {
		b.faults.report("E002", b.open[0], "(", "expected %s for this form before %s, found none",
			plural(len(b.open), "closing parenthesis"), before)
	}
	for range b.open {
		b.out = append(b.out, lexer.Token{Type: tokenPunct, Value: ")", Pos: at})
	}
	b.open = b.open[:0]
}
