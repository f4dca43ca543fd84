package gdl

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// File is the syntax tree of a rulesheet or of a message.
type File struct {
	Forms    []*Form `parser:"@@*"`
	Comments []Comment
	Infix    bool // the text is in infix syntax

	incomplete bool // malformed clauses have been left out
}

// Form is a symbol, a variable or a parenthesised list, as spelled.
type Form struct {
	Pos  lexer.Position
	Atom string  // "" if the form is a list
	List []*Form // the elements of a list
}

var _ participle.Parseable = (*Form)(nil)

// Parse implements participle.Parseable for Form = Symbol | "(" Form* ")". Nearly
// all of a rulesheet is forms within forms; read by the generic parser, a rule
// takes several times as long and ten times the allocations.
func (f *Form) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.EOF() || isPunct(*t, ")") {
		return participle.NextMatch
	}
	lex.Next()
	f.Pos = t.Pos
	if !isPunct(*t, "(") {
		f.Atom = t.Value
		return nil
	}
	for {
		switch t := lex.Peek(); {
		case t.EOF():
			return participle.Errorf(t.Pos, "expected `)`, found the end of the file")
		case isPunct(*t, ")"):
			lex.Next()
			return nil
		}
		element := new(Form)
		if err := element.Parse(lex); err != nil {
			return err
		}
		f.List = append(f.List, element)
	}
}

// Comment is a comment, which reaches to the end of its line.
type Comment struct {
	Pos  lexer.Position
	Text string // with the sign that starts it
}

var prefixParser = participle.MustBuild[File](participle.Lexer(prefix), participle.Elide("Comment"))

// Parse reads a rulesheet, in prefix or infix syntax, or any sequence of forms in
// prefix syntax, without asking what they mean. The error is nil or an Invalid
// that lists every fault of the syntax.
func Parse(file string, src []byte) (*File, error) {
	tree, faults := parse(file, src)
	if err := faults.finish(string(src)).err(); err != nil {
		return nil, err
	}
	return tree, nil
}

// parse reads what it can of a faulty text; the tree is nil if that is nothing.
func parse(file string, src []byte) (*File, Diagnostics) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	language := prefix
	if isInfix(text) {
		language = infix
	}
	tokens, err := lexer.ConsumeAll(language.scanner(file, text))
	if err != nil {
		return nil, Diagnostics{syntaxFault(err)}
	}
	balanced, faults := balance(tokens, language == infix)
	if balanced == nil {
		return nil, faults
	}
	tree := &File{Infix: language == infix}
	var more Diagnostics
	if tree.Infix {
		tree.Forms, more = parseInfix(balanced)
	} else {
		tree.Forms, more = parsePrefix(balanced)
	}
	tree.incomplete = len(more) > 0
	for _, t := range tokens {
		if t.Type == tokenComment {
			tree.Comments = append(tree.Comments, Comment{t.Pos, t.Value})
		}
	}
	return tree, append(faults, more...)
}

// parsePrefix parses tokens that match in parentheses.
func parsePrefix(tokens []lexer.Token) ([]*Form, Diagnostics) {
	stream, err := lexer.Upgrade(&tokenLexer{tokens}, tokenComment)
	if err != nil {
		return nil, Diagnostics{syntaxFault(err)}
	}
	tree, err := prefixParser.ParseFromLexer(stream)
	if err != nil {
		return nil, Diagnostics{syntaxFault(err)}
	}
	return tree.Forms, nil
}

// syntaxFault reports what participle found wrong.
func syntaxFault(err error) Diagnostic {
	d := Diagnostic{Code: "E007", Message: err.Error()}
	var at participle.Error
	if errors.As(err, &at) {
		d.Pos, d.Message = place(at.Position()), at.Message()
	}
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
