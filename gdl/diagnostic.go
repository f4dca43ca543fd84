package gdl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Diagnostic is one finding about a rulesheet.
type Diagnostic struct {
	Code    string // "E012" of an error, "W003" of a warning: see Codes
	Pos     Pos
	Message string // what was expected and what was found
	Text    string // the offending text in prefix form
	Hint    string // how to repair it
	Line    string // the line of the source at Pos
}

// IsError tells whether the finding makes the rulesheet invalid.
func (d Diagnostic) IsError() bool { return strings.HasPrefix(d.Code, "E") }

// String is the finding on one line: file:line:column: code: message.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s", d.Pos, d.Code, d.Message)
}

// Diagnostics are the findings about one rulesheet, in order of position.
type Diagnostics []Diagnostic

// Errors are the findings that make the rulesheet invalid.
func (ds Diagnostics) Errors() Diagnostics {
	return slices.DeleteFunc(slices.Clone(ds), func(d Diagnostic) bool { return !d.IsError() })
}

// Invalid is the error of an invalid rulesheet: all its errors.
type Invalid Diagnostics

// Error lists the errors, one to a line.
func (e Invalid) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// report appends a finding.
func (ds *Diagnostics) report(code string, at lexer.Position, text, format string, args ...any) {
	ds.add(code, place(at), text, fmt.Sprintf(format, args...))
}

func (ds *Diagnostics) add(code string, at Pos, text, message string) {
	*ds = append(*ds, Diagnostic{Code: code, Pos: at, Message: message, Text: text})
}

// err is nil if ds holds no error.
func (ds Diagnostics) err() error {
	if e := ds.Errors(); len(e) > 0 {
		return Invalid(e)
	}
	return nil
}

// place turns a position of the lexer into one of the project.
func place(p lexer.Position) Pos { return Pos{p.Filename, p.Line, p.Column} }

// String is file:line:column, without what is not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0 && p.File == "":
		return "rulesheet"
	case p.Line == 0:
		return p.File
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// compare orders positions of one file.
func (p Pos) compare(q Pos) int {
	if p.Line != q.Line {
		return p.Line - q.Line
	}
	return p.Column - q.Column
}

// finish sorts the findings, drops repetitions, and adds the hints and the lines
// of the source.
func (ds Diagnostics) finish(src string) Diagnostics {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		if c := a.Pos.compare(b.Pos); c != 0 {
			return c
		}
		return strings.Compare(a.Code, b.Code)
	})
	ds = slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
	lines := strings.Split(src, "\n")
	for i, d := range ds {
		if 0 < d.Pos.Line && d.Pos.Line <= len(lines) {
			ds[i].Line = strings.TrimRight(lines[d.Pos.Line-1], "\r")
		}
	}
	return ds
}
