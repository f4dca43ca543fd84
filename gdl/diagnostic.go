package gdl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Diagnostic is a finding about a rulesheet.
type Diagnostic struct {
	Code    string // "E012" of an error, "W003" of a warning: see DIAGNOSTICS.md
	Pos     Pos
	Message string // expected and found
	Text    string // the offending text in prefix form
	Hint    string // a suggested repair
	Line    string // the line of the source at Pos
	Meaning string // the reading of the error by LoadToPlay, if any
}

// IsError reports whether the finding makes the rulesheet invalid.
func (d Diagnostic) IsError() bool { return strings.HasPrefix(d.Code, "E") && d.Meaning == "" }

// String returns the finding on one line: file:line:column: code: message.
func (d Diagnostic) String() string {
	text := fmt.Sprintf("%s: %s: %s", d.Pos, d.Code, d.Message)
	if d.Meaning != "" {
		text += "; played all the same: " + d.Meaning
	}
	return text
}

// Detail returns the finding on several lines: String, the line of the source with the offending text underlined, and
// the hint.
func (d Diagnostic) Detail() string {
	var b strings.Builder
	b.WriteString(d.String())
	if d.Line != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s", d.Line, d.underline())
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "\n    hint: %s", d.Hint)
	}
	return b.String()
}

// underline marks the offending text below its line: a list up to its closing parenthesis or the end of the line, or
// else a symbol.
func (d Diagnostic) underline() string {
	line := []rune(d.Line)
	start := min(d.Pos.Column-1, len(line))
	margin := make([]rune, start)
	for i := range margin {
		margin[i] = ' '
		if line[i] == '\t' {
			margin[i] = '\t'
		}
	}
	return string(margin) + strings.Repeat("^", max(1, extent(line[start:])))
}

// extent returns the length of the form at the start of text.
func extent(text []rune) int {
	depth := 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth <= 1:
			return i + depth
		case r == ')':
			depth--
		case depth == 0 && strings.ContainsRune(" \t;,", r):
			return i
		}
	}
	return len(text)
}

// MarshalJSON encodes the finding with its position as file, line and column.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	severity := "warning"
	if d.IsError() {
		severity = "error"
	}
	return json.Marshal(struct {
		Code     string `json:"code"`
		Severity string `json:"severity"`
		File     string `json:"file"`
		Line     int    `json:"line,omitempty"`
		Column   int    `json:"column,omitempty"`
		Message  string `json:"message"`
		Text     string `json:"text,omitempty"`
		Hint     string `json:"hint,omitempty"`
		Meaning  string `json:"meaning,omitempty"`
	}{d.Code, severity, d.Pos.File, d.Pos.Line, d.Pos.Column, d.Message, d.Text, d.Hint, d.Meaning})
}

// Diagnostics is a list of findings about a rulesheet, in order of position.
type Diagnostics []Diagnostic

// Errors returns the findings that make the rulesheet invalid.
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

// err returns an Invalid if ds contains errors, else nil.
func (ds Diagnostics) err() error {
	if e := ds.Errors(); len(e) > 0 {
		return Invalid(e)
	}
	return nil
}

// place converts a position of the lexer.
func place(p lexer.Position) Pos { return Pos{p.Filename, p.Line, p.Column} }

// String returns file:line:column without unknown parts.
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

// finish sorts the findings, removes duplicates, and adds hints and source lines.
func (f *findings) finish(text string) Diagnostics {
	ds := f.list
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column, strings.Compare(a.Code, b.Code))
	})
	ds = slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
	line, number := "", 0
	for i, d := range ds {
		ds[i].Hint = hints()[d.Code]
		for number < d.Pos.Line {
			line, text, _ = strings.Cut(text, "\n")
			number++
		}
		if d.Pos.Line > 0 && len(line) <= maxLine {
			ds[i].Line = line
		}
	}
	return ds
}

// maxLine is the longest source line shown, in bytes.
const maxLine = 1000
