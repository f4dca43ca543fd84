package gdl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// File is the syntax tree of a rulesheet, or of any sequence of terms.
type File struct {
	Clauses []*Clause
	Infix   bool // the text is in infix syntax
}

// Clause is a fact or a rule, as written. A missing head is the zero Term.
type Clause struct {
	Head Term
	Body []Formula
	Pos  Pos
	// malformed clauses count as definitions and are not checked further.
	malformed bool
}

// Connective is the kind of a Formula.
type Connective uint8

// The kinds of a formula.
const (
	Atomic      Connective = iota // the sentence Atom
	Differ                        // distinct: Args are different terms
	Negation                      // not Subs[0]
	Disjunction                   // some formula of Subs
	Conjunction                   // every formula of Subs
)

// Formula is a condition in the body of a Clause, nested as it was written: a
// literal, or literals under `or`, `and` and `not`.
type Formula struct {
	Connective Connective
	Name       string    // of the connective, as spelled
	Atom       Term      // of Atomic
	Args       []Term    // of Differ
	Subs       []Formula // of the other kinds
	Pos        Pos
}

// Parse parses a rulesheet, in prefix or infix syntax, or any sequence of terms in prefix syntax, without checking
// its meaning. The error is nil or an Invalid with the syntax errors.
func Parse(file string, src []byte) (*File, error) {
	return newReader(guard.NewWatch(context.Background(), reading), file, string(src)).tree()
}

// tree returns the syntax tree of the text.
func (r *reader) tree() (*File, error) {
	tree := &File{}
	r.read(func(c *Clause) { tree.Clauses = append(tree.Clauses, c) })
	tree.Infix = r.syntax == infix
	if err := r.findings.finish(r.text).err(); err != nil {
		return nil, err
	}
	return tree, nil
}

// Print returns the clauses of a tree in prefix syntax, one per line and without comments. Parsing the result gives
// the same tree.
func Print(tree *File) string {
	var out []byte
	for _, c := range tree.Clauses {
		out = append(c.appendText(out, math.MaxInt), '\n')
	}
	return string(out)
}

// String returns the clause in prefix syntax with single blanks.
func (c *Clause) String() string { return string(c.appendText(nil, math.MaxInt)) }

func (c *Clause) appendText(dst []byte, length int) []byte {
	switch {
	case c.isHeadless():
		return append(dst, "(<=)"...)
	case c.IsFact() && c.Head.Kind == Symbol && startsForeignComment(c.Head.Name):
		return append(append(append(dst, '('), c.Head.Name...), ')')
	case c.IsFact():
		return c.Head.appendText(dst, length)
	}
	parts := append([]Formula{{Atom: c.Head}}, c.Body...)
	return appendList(dst, length, "<=", parts)
}

func (c *Clause) isHeadless() bool { return c.Head.Kind == Symbol && c.Head.Name == "" }

// IsFact reports whether the clause is a lone term.
func (c *Clause) IsFact() bool { return len(c.Body) == 0 && c.Pos == c.Head.Pos }

// excerpt returns the text of f, clipped for a message.
func (f Formula) excerpt() string { return clip(string(f.appendText(nil, excerptLength))) }

func (f Formula) appendText(dst []byte, length int) []byte {
	switch f.Connective {
	case Atomic:
		return f.Atom.appendText(dst, length)
	case Differ:
		return appendList(dst, length, f.Name, f.Args)
	}
	return appendList(dst, length, f.Name, f.Subs)
}

// reader reads the clauses of a text in sequence.
type reader struct {
	watch      *guard.Watch
	file, text string
	syntax     *syntax
	findings   *findings
	incomplete bool // malformed clauses have been left out
}

// lineEnds replaces the line ends of other systems.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// textOf returns the text of a file without a byte order mark, its lines ended by "\n".
func textOf(src string) string { return lineEnds.Replace(strings.TrimPrefix(src, "\ufeff")) }

func newReader(w *guard.Watch, file, src string) *reader {
	r := &reader{watch: w, file: file, text: textOf(src), syntax: prefix, findings: &findings{}}
	if isInfix(w, r.text) {
		r.syntax = infix
	}
	return r
}

// read calls visit for each readable clause of a text. It reads nothing and returns false if the text exceeds a
// limit.
func (r *reader) read(visit func(*Clause)) (ok bool) {
	s := r.syntax.scanner(r.watch, r.file, r.text).survey(r.findings)
	if !s.fits {
		return false
	}
	tokens := &balancer{scanner: r.syntax.scanner(r.watch, r.file, r.text), byColumn: s.lacks, outer: s.outer, findings: r.findings}
	parse := parsePrefix
	if r.syntax == infix {
		parse = (&infixConverter{}).parse
	}
	r.cut(tokens, func(clause []lexer.Token) {
		if fault, found := foreignFault(clause); found && r.syntax == infix {
			r.reject(fault)
			return
		}
		c, err := parse(clause)
		if err == nil {
			visit(c)
			return
		}
		parts := byColumn(clause)
		for _, part := range parts {
			if len(parts) > 1 {
				c, err = parse(part)
			}
			if err == nil {
				visit(c)
			} else {
				r.reject(syntaxFault(err))
			}
		}
	})
	return true
}

// byColumn splits an unparsable clause before each token in the first column: after a missing operator or head, the
// next clause was read as a part of it.
func byColumn(clause []lexer.Token) (parts [][]lexer.Token) {
	end := len(clause) - 1
	start := 0
	for i := 1; i <= end; i++ {
		if i == end || clause[i].Pos.Column == 1 {
			parts = append(parts, append(clause[start:i:i], lexer.EOFToken(clause[i].Pos)))
			start = i
		}
	}
	return parts
}

// cut splits tokens with balanced parentheses into clauses, each followed by an end token. The slice is valid until
// the next clause.
func (r *reader) cut(tokens *balancer, visit func(clause []lexer.Token)) {
	var clause []lexer.Token
	depth := 0
	for {
		t, _ := tokens.Next() // it never fails
		if n := len(clause); n > 0 && depth == 0 && r.syntax.endsClause(clause[n-1], t) {
			if n <= maxClause {
				visit(append(trimDot(clause), lexer.EOFToken(t.Pos)))
			} else {
				r.reject(Diagnostic{Code: "E008", Pos: place(clause[0].Pos), Message: fmt.Sprintf(
					"expected a rule of at most %d symbols and parentheses, found more", maxClause)})
			}
			clause = clause[:0]
		}
		switch {
		case t.EOF():
			return
		case isPunct(t, "("):
			depth++
		case isPunct(t, ")"):
			depth--
		}
		if len(clause) <= maxClause {
			clause = append(clause, t)
		} else {
			clause[maxClause] = t
		}
	}
}

// trimDot returns the tokens of a clause without its final dot.
func trimDot(clause []lexer.Token) []lexer.Token {
	if n := len(clause); n > 1 && isPunct(clause[n-1], ".") {
		return clause[:n-1]
	}
	return clause
}

// reject reports the error of a clause and leaves it out.
func (r *reader) reject(fault Diagnostic) {
	r.findings.add(fault.Code, fault.Pos, fault.Text, fault.Message)
	r.incomplete = true
}

// syntaxFault converts an error of participle.
func syntaxFault(err error) Diagnostic {
	d := Diagnostic{Code: "E007", Message: err.Error()}
	if at, ok := errors.AsType[participle.Error](err); ok {
		d.Pos, d.Message = place(at.Position()), at.Message()
	}
	d.Message = clip(d.Message)
	return d
}

// parse parses the tokens of one clause.
func parse[G any](p *participle.Parser[G], clause lexer.Lexer) (*G, error) {
	stream, _ := lexer.Upgrade(clause) // never fails
	return p.ParseFromLexer(stream)
}

// nameType returns the token type of a name: a name with a meaning in the grammars, or a symbol.
func nameType(name string) lexer.TokenType {
	switch connectiveOf(name) {
	case Atomic:
		return tokenSymbol
	case Differ:
		return tokenDistinct
	}
	return tokenConnective
}
