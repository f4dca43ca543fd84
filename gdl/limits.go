package gdl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Rules come from strangers. The limits below are checked in one pass over the
// text that stores nothing, before anything is built: what follows takes at most
// some 300 bytes for each token, so that no text costs more than a third of a
// gigabyte. The largest rulesheets in use have 25 000 tokens, and symbols of 30
// bytes.
const (
	// maxDepth is how deeply parentheses may nest. Rulesheets stay below 20; the
	// limit keeps every recursion over a tree within its stack.
	maxDepth = 1000

	// maxConnectives is how deeply `or`, `and` and `not` may nest: checks look at a
	// condition once for each that it stands in.
	maxConnectives = 64

	// maxConditions is how many conditions all rules have, before disjunctions are
	// distributed and after: each takes half a kilobyte.
	maxConditions = 1 << 17

	// maxTokens is how many symbols, parentheses and comments a text has, maxClause how
	// many symbols and parentheses a clause: its parser takes a kilobyte and a
	// microsecond for each, and does not look at the context.
	maxTokens = 3 << 18
	maxClause = 1 << 15

	// maxSymbol is the length of symbols in bytes.
	maxSymbol = 4096

	// maxFindings is how many errors, and how many warnings, are listed.
	maxFindings = 1000
)

// reading is what is stopped where a context is done.
const reading = "reading the rules"

// survey is the result of a first pass over a text.
type survey struct {
	fits  bool // within the limits
	lacks bool // closing parentheses are missing
	// outer: one pair of parentheses stands around several forms, as in the message that starts a match
	outer bool
}

// survey reads the tokens of a text once. It reports what exceeds a limit, which ends the pass, and blanks that
// are not ASCII.
func (s *scanner) survey(found *findings) (out survey) {
	depth, negations, forms := 0, 0, 0 // forms: lists directly inside the first parenthesis
	wrapped := true                    // all tokens so far stand inside the first parenthesis
	first := true
	for tokens := 0; ; tokens++ {
		t, _ := s.Next() // the scanner never fails
		switch {
		case t.EOF():
			s.reportBlanks(found)
			return survey{lacks: depth > 0, fits: true, outer: wrapped && depth <= 1 && forms > 1}
		case tokens == maxTokens:
			found.report("E008", t.Pos, "", "expected a text of at most %d symbols, parentheses and comments, found more", maxTokens)
			return survey{}
		case t.Type == tokenSymbol && len(t.Value) > maxSymbol:
			found.report("E008", t.Pos, t.Value, "expected a symbol of at most %d bytes, found %s", maxSymbol, clip(t.Value))
			return survey{}
		case t.Type == tokenComment:
			continue
		}
		opens := isPunct(t, "(")
		wrapped = wrapped && (depth > 0 || first && opens) && (depth != 1 || t.Type != tokenSymbol)
		first = false
		switch {
		case opens:
			if depth++; depth == 2 {
				forms++
			}
		case isPunct(t, ")") && depth > 0:
			depth--
		}
		if s.syntax == infix && (t.Value == "~" || infixWords[strings.ToLower(t.Value)] == "~") {
			negations++
		} else {
			negations = 0
		}
		if depth+negations > maxDepth {
			found.report("E003", t.Pos, t.Value, "expected at most %d nested parentheses, found more", maxDepth)
			return survey{}
		}
	}
}

// reportBlanks reports blanks that are not ASCII, all of them in one finding.
func (s *scanner) reportBlanks(found *findings) {
	if s.oddBlanks > 0 {
		r, _ := utf8.DecodeRuneInString(s.src[s.oddBlank.Offset:])
		found.report("W022", s.oddBlank, "", "expected ASCII blanks, found %U %s; read as a blank", r, times(s.oddBlanks))
	}
}

// times returns how often something occurs, in words.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("and the like, %d times", n)
}

// excerptLength is the length of rules and symbols in messages, in bytes.
const excerptLength = 120

// clip shortens a text for a message.
func clip(text string) string {
	if len(text) <= excerptLength {
		return text
	}
	return fmt.Sprintf("%.*s…", excerptLength, text[:excerptLength])
}

// findings collects diagnostics, as many as are listed.
type findings struct {
	list             Diagnostics
	errors, warnings int
}

// report adds a finding.
func (f *findings) report(code string, at lexer.Position, text, format string, args ...any) {
	f.add(code, place(at), text, fmt.Sprintf(format, args...))
}

func (f *findings) add(code string, at Pos, text, message string) {
	f.explain(code, at, text, func() string { return message })
}

// explain adds a finding whose message takes long to write.
func (f *findings) explain(code string, at Pos, text string, message func() string) {
	d := Diagnostic{Code: code, Pos: at, Text: clip(text)}
	count, more := &f.warnings, "W021"
	if d.IsError() {
		count, more = &f.errors, "E031"
	}
	switch *count++; {
	case *count <= maxFindings:
		d.Message = message()
		f.list = append(f.list, d)
	case *count == maxFindings+1:
		f.list = append(f.list, Diagnostic{
			Code: more, Pos: Pos{File: at.File},
			Message: fmt.Sprintf("expected at most %d findings of a kind to list, found more", maxFindings),
		})
	}
}
