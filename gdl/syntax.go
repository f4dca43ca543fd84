package gdl

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// maxDepth is how deeply parentheses may nest. Rulesheets stay below 20; the
// limit keeps every recursion over a tree within its stack.
const maxDepth = 1000

// File is the syntax tree of a rulesheet or of a message in prefix form.
type File struct {
	Forms    []*Form `parser:"@@*"`
	Comments []Comment
}

// Form is a symbol, a variable or a parenthesised list, as spelled.
type Form struct {
	Pos  lexer.Position
	Atom string  `parser:"  @Symbol"`     // "" if the form is a list
	List []*Form `parser:"| '(' @@* ')'"` // the elements of a list
}

// Comment is a comment, which reaches to the end of its line.
type Comment struct {
	Pos  lexer.Position
	Text string // with the sign that starts it
}

var kifParser = participle.MustBuild[File](participle.Lexer(kifDefinition{}), participle.Elide("Comment"))

// Parse reads a rulesheet, or any sequence of forms, without asking what they
// mean. The error is nil or an Invalid that lists every fault of the syntax.
func Parse(file string, src []byte) (*File, error) {
	tree, faults := parse(file, src)
	return tree, faults.finish(string(src)).err()
}

func parse(file string, src []byte) (*File, Diagnostics) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	tokens, err := lexer.ConsumeAll(newKIFLexer(file, text))
	faults := checkTokens(tokens)
	if err == nil && len(faults) == 0 {
		return parseTokens(tokens)
	}
	return nil, faults
}

// parseTokens builds the tree of tokens whose parentheses match.
func parseTokens(tokens []lexer.Token) (*File, Diagnostics) {
	stream, err := lexer.Upgrade(&tokenLexer{tokens}, tokenComment)
	if err != nil {
		return nil, syntaxFault(err)
	}
	tree, err := kifParser.ParseFromLexer(stream)
	if err != nil {
		return nil, syntaxFault(err)
	}
	for _, t := range tokens {
		if t.Type == tokenComment {
			tree.Comments = append(tree.Comments, Comment{t.Pos, t.Value})
		}
	}
	return tree, nil
}

// syntaxFault reports what participle found wrong.
func syntaxFault(err error) Diagnostics {
	d := Diagnostic{Code: "E004", Message: err.Error()}
	if at, ok := err.(participle.Error); ok {
		d.Pos, d.Message = place(at.Position()), at.Message()
	}
	return Diagnostics{d}
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

// checkTokens finds every parenthesis without a partner, nesting that is too
// deep, and question marks that name no variable. It is the guard of the
// recursive parser behind it.
func checkTokens(tokens []lexer.Token) Diagnostics {
	var faults Diagnostics
	var open []lexer.Position
	deep := false
	for _, t := range tokens {
		switch {
		case t.Type == tokenSymbol && t.Value == "?":
			faults.report("E004", t.Pos, t.Value, "expected the name of a variable after `?`, found nothing")
		case t.Type != tokenPunct:
		case t.Value == "(":
			open = append(open, t.Pos)
			if len(open) > maxDepth && !deep {
				deep = true
				faults.report("E003", t.Pos, t.Value, "parentheses nest more than %d deep", maxDepth)
			}
		case t.Value == ")" && len(open) > 0:
			open = open[:len(open)-1]
		case t.Value == ")":
			faults.report("E001", t.Pos, t.Value, "expected a form, found `)` with no open parenthesis before it")
		}
	}
	if !deep {
		for _, p := range open {
			faults.report("E002", p, "(", "expected `)` for this parenthesis before the end of the file")
		}
	}
	return faults
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
