package gdl

import (
	"context"
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// File is the syntax tree of a rulesheet or of a message.
type File struct {
	Forms    []*Form
	Comments []Comment
	Infix    bool // the text is in infix syntax
}

// Form is a symbol, a variable or a parenthesised list, as spelled.
type Form struct {
	Pos  lexer.Position
	Atom string  // "" if the form is a list
	List []*Form // the elements of a list
}

// Comment is a comment, which reaches to the end of its line.
type Comment struct {
	Pos  lexer.Position
	Text string // with the sign that starts it
}

// Parse reads a rulesheet, in prefix or infix syntax, or any sequence of forms in
// prefix syntax, without asking what they mean. The error is nil or an Invalid
// that lists the faults of the syntax.
func Parse(file string, src []byte) (*File, error) {
	tree := &File{}
	r := newReader(&watch{ctx: context.Background()}, file, string(src))
	r.comment = func(c Comment) { tree.Comments = append(tree.Comments, c) }
	r.read(func(f *Form) { tree.Forms = append(tree.Forms, f) })
	tree.Infix = r.syntax == infix
	if err := r.found.finish(r.text).err(); err != nil {
		return nil, err
	}
	return tree, nil
}

// reader turns a text into forms, one after the other.
type reader struct {
	watch      *watch
	file, text string
	syntax     *syntax
	comment    func(Comment) // told of every comment, if not nil
	found      *findings
	incomplete bool // malformed clauses have been left out
}

func newReader(w *watch, file, src string) *reader {
	r := &reader{watch: w, file: file, text: strings.TrimPrefix(src, "\ufeff"), syntax: prefix, found: &findings{}}
	if isInfix(w, r.text) {
		r.syntax = infix
	}
	return r
}

// read hands out what it can read of a faulty text; that is nothing, and ok is
// false, if the text exceeds a limit.
func (r *reader) read(form func(*Form)) (ok bool) {
	s := r.syntax.scanner(r.watch, r.file, r.text).survey(r.found)
	if !s.fits {
		return false
	}
	tokens := &balancer{
		scanner: r.syntax.scanner(r.watch, r.file, r.text), byColumn: s.lacks,
		comment: r.comment, faults: r.found,
	}
	if r.syntax == prefix {
		readPrefix(tokens, form)
		return true
	}
	for _, d := range parseInfix(tokens, form) {
		r.found.add(d.Code, d.Pos, d.Text, d.Message)
		r.incomplete = true
	}
	return true
}

// readPrefix reads Form = Symbol | "(" Form* ")" from tokens whose parentheses
// match. Nearly all of a rulesheet is forms within forms; read by the generic
// parser, a rule takes several times as long and ten times the memory.
func readPrefix(tokens *balancer, form func(*Form)) {
	var open []*Form
	for {
		t, _ := tokens.Next() // it never fails
		f := &Form{Pos: t.Pos}
		switch {
		case t.EOF():
			return
		case isPunct(t, "("):
			open = append(open, f)
			continue
		case isPunct(t, ")"):
			f = open[len(open)-1]
			open = open[:len(open)-1]
		default:
			f.Atom = t.Value
		}
		if len(open) == 0 {
			form(f)
			continue
		}
		list := &open[len(open)-1].List
		*list = append(*list, f)
	}
}

// syntaxFault reports what participle found wrong.
func syntaxFault(err error) Diagnostic {
	d := Diagnostic{Code: "E007", Message: err.Error()}
	var at participle.Error
	if errors.As(err, &at) {
		d.Pos, d.Message = place(at.Position()), at.Message()
	}
	d.Message = clip(d.Message)
	return d
}

// tokenLexer hands out tokens that have been scanned already, the last of which
// is the end of the file.
type tokenLexer struct{ tokens []lexer.Token }

// Next implements lexer.Lexer.
func (l *tokenLexer) Next() (lexer.Token, error) {
	t := l.tokens[0]
	if !t.EOF() {
		l.tokens = l.tokens[1:]
	}
	return t, nil
}

// IsList tells whether f is a list, possibly empty.
func (f *Form) IsList() bool { return f.Atom == "" }

// String writes the form in prefix form with single blanks.
func (f *Form) String() string {
	var b strings.Builder
	f.write(&b)
	return b.String()
}

func (f *Form) write(b *strings.Builder) {
	if !f.IsList() {
		b.WriteString(f.Atom)
		return
	}
	b.WriteByte('(')
	for i, g := range f.List {
		if i > 0 {
			b.WriteByte(' ')
		}
		g.write(b)
	}
	b.WriteByte(')')
}

// excerpt is String for a message.
func (f *Form) excerpt() string { return clip(string(f.appendExcerpt(nil))) }

// appendExcerpt appends the text of f up to some bytes past excerptLength.
func (f *Form) appendExcerpt(dst []byte) []byte {
	if !f.IsList() {
		return append(dst, f.Atom...)
	}
	dst = append(dst, '(')
	for i, g := range f.List {
		if len(dst) > excerptLength {
			return dst
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = g.appendExcerpt(dst)
	}
	return append(dst, ')')
}

// Equal tells whether f and g are the same tree, positions aside.
func (f *Form) Equal(g *Form) bool {
	if f.Atom != g.Atom || len(f.List) != len(g.List) {
		return false
	}
	for i := range f.List {
		if !f.List[i].Equal(g.List[i]) {
			return false
		}
	}
	return true
}

// Print writes the forms of a tree, one to a line and without comments, so that
// parsing gives the same tree again.
func Print(tree *File) string {
	var b strings.Builder
	for _, f := range tree.Forms {
		f.write(&b)
		b.WriteByte('\n')
	}
	return b.String()
}
