package gdl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Rules are untrusted input. One pass over the text checks the limits below before anything is built. Later passes
// take at most about 300 bytes per token, so that no text costs more than a third of a gigabyte. The largest known
// rulesheets have 25 000 tokens, and symbols of 30 bytes.
const (
	// maxDepth limits the nesting of parentheses. Known rulesheets stay below 20; the limit keeps every recursion
	// over a tree within its stack.
	maxDepth = 1000

	// maxConnectives limits the nesting of `or`, `and` and `not`: checks visit a condition once per enclosing
	// connective.
	maxConnectives = 64

	// maxConditions limits the conditions of all rules, before and after the distribution of disjunctions: each takes
	// half a kilobyte.
	maxConditions = 1 << 17

	// maxTokens limits the symbols, parentheses and comments of a text, maxClause the symbols and parentheses of a
	// clause. The parser of a clause takes a kilobyte and a microsecond per token, and does not check the context.
	maxTokens = 3 << 18
	maxClause = 1 << 15

	// maxSymbol limits the length of symbols in bytes.
	maxSymbol = 4096

	// maxFindings limits the listed errors and the listed warnings.
	maxFindings = 1000
)

// reading names the work that a context can stop.
const reading = "reading the rules"

// survey is the result of the first pass over a text.
type survey struct {
	fits  bool // within the limits
	lacks bool // closing parentheses are missing
	// outer: one pair of parentheses surrounds several forms, as in START messages
	outer bool
}

// survey scans the text once. It reports non-ASCII blanks and the first symbol that is not UTF-8. It ends at an exceeded
// limit, which it reports.
func (s *scanner) survey(found *findings) (out survey) {
	depth, negations, forms := 0, 0, 0 // forms: lists directly inside the first parenthesis
	wrapped := true                    // all tokens so far are inside the first parenthesis
	first, valid := true, true
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
		case valid && t.Type == tokenSymbol && !utf8.ValidString(t.Value):
			valid = false
			found.report("E034", t.Pos, t.Value, "expected UTF-8, found the symbol %s", clip(strconv.QuoteToASCII(t.Value)))
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

// reportBlanks reports all non-ASCII blanks in one finding.
func (s *scanner) reportBlanks(found *findings) {
	if s.oddBlanks > 0 {
		r, _ := utf8.DecodeRuneInString(s.src[s.oddBlank.Offset:])
		found.report("W022", s.oddBlank, "", "expected ASCII blanks, found %U %s; read as a blank", r, times(s.oddBlanks))
	}
}

// times returns a count in words.
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

// findings collects diagnostics, up to maxFindings.
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

// explain adds a finding whose message is expensive to compute.
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
