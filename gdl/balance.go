package gdl

import "github.com/alecthomas/participle/v2/lexer"

// balancer passes on the tokens of a scanner with balanced parentheses: it drops surplus ones and adds missing ones,
// so that the rest of an invalid file can be checked. It reports both, and question marks without a name.
//
// If parentheses are missing, an opening parenthesis in the first column (in infix syntax a symbol) starts a new
// form, as rulesheets are usually laid out. The balancer drops a pair of parentheses around all forms.
type balancer struct {
	*scanner
	byColumn bool
	outer    bool // a pair of parentheses stands around all forms
	open     []lexer.Position
	missing  int          // closing parentheses to add before next
	next     *lexer.Token // read, but not passed on
	findings *findings

	wrapper   *lexer.Token // of outer: the opening parenthesis
	unwrapped bool         // of outer: its closing parenthesis has been read
}

var _ lexer.Lexer = (*balancer)(nil)

// Next implements lexer.Lexer. It drops comments.
func (b *balancer) Next() (lexer.Token, error) {
	for {
		t := b.take()
		if b.missing > 0 {
			b.missing--
			next := t // a copy, so that t is not allocated
			b.next = &next
			return lexer.Token{Type: tokenPunct, Value: ")", Pos: t.Pos}, nil
		}
		if b.accept(t) {
			return t, nil
		}
	}
}

// take returns the next token. If forms must be closed before it, missing counts their parentheses.
func (b *balancer) take() lexer.Token {
	if t := b.next; t != nil {
		b.next = nil
		return *t
	}
	t, _ := b.scanner.Next() // the scanner never fails
	switch {
	case t.EOF():
		b.close("the end of the file")
		if b.outer && !b.unwrapped && b.findings.errors == 0 {
			b.findings.report("E002", b.wrapper.Pos, "(", "expected the closing parenthesis of the pair around all rules, found the end of the file")
		}
	case b.byColumn && t.Pos.Column == 1 && (isPunct(t, "(") || b.syntax == infix && t.Type == tokenSymbol):
		b.close("the next form")
	case b.byColumn && isPunct(t, "."):
		b.close("the dot")
	}
	return t
}

// close ends the open form, if any.
func (b *balancer) close(before string) {
	if len(b.open) > 0 {
		b.findings.report("E002", b.open[0], "(", "expected %s for this form before %s, found none",
			plural(len(b.open), "closing parenthesis"), before)
	}
	b.missing, b.open = len(b.open), b.open[:0]
}

// accept reports whether a token is passed on.
func (b *balancer) accept(t lexer.Token) bool {
	switch {
	case t.Type == tokenComment:
		if b.isForeign(t) {
			b.findings.report("W023", t.Pos, t.Value, "expected a comment that starts with `;`, found `%s`; read as a comment", clip(t.Value))
		}
		return false
	case b.outer && b.wrapper == nil:
		wrapper := t
		b.wrapper = &wrapper
		return false
	case b.outer && len(b.open) == 0 && isPunct(t, ")"):
		b.unwrapped = true
		return false
	case t.Type == tokenSymbol && t.Value == "?":
		b.findings.report("E004", t.Pos, t.Value, "expected the name of a variable after `?`, found nothing")
	case isPunct(t, "("):
		b.open = append(b.open, t.Pos)
	case isPunct(t, ")") && len(b.open) == 0:
		b.findings.report("E001", t.Pos, t.Value, "expected a form, found `)` with no open parenthesis before it")
		return false
	case isPunct(t, ")"):
		b.open = b.open[:len(b.open)-1]
	}
	return true
}

// isForeign reports whether a comment has the comment sign of another language.
func (b *balancer) isForeign(comment lexer.Token) bool {
	return b.kinds[comment.Value[0]] != tokenComment
}

func isPunct(t lexer.Token, sign string) bool { return t.Type == tokenPunct && t.Value == sign }
