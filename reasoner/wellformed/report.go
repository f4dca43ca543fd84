package wellformed

import (
	"fmt"
	"slices"
	"strings"
)

// The kinds of faults. Faults of `base` and `input` are warnings, since players ignore these relations; other faults
// are errors.
const (
	kindStuck   = "stuck"   // a role without a legal move in a position that is not terminal
	kindGoal    = "goal"    // a terminal position without exactly one goal of a role, from 0 to 100
	kindEndless = "endless" // a match that does not end
	kindBase    = "base"    // `base` lacks a reachable fluent, or lists an unreachable fluent
	kindInput   = "input"   // `input` lacks a legal move, or lists an unreachable move
)

// Fault is a distinct fault, with the first position that shows it.
type Fault struct {
	Kind    string     `json:"kind"`
	Warning bool       `json:"warning"` // the game is valid nevertheless
	Role    string     `json:"role,omitempty"`
	Message string     `json:"message"` // the expected and the found thing
	Count   int        `json:"count"`   // occurrences; listed terms for surplus terms of `base` and `input`
	State   []string   `json:"state"`   // the true fluents; null if no position shows the fault
	Moves   [][]string `json:"moves"`   // the joint moves that lead there
}

// String returns the fault with the last joint moves that lead to it, in lines of bounded length.
func (f *Fault) String() string {
	const shown = 20 // joint moves that fit on a screen
	severity := "error"
	if f.Warning {
		severity = "warning"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s (%d in all)", severity, f.Kind, f.Message, f.Count)
	if f.State == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "\n    after %d joint moves, state: %s", len(f.Moves), joinLine(f.State))
	moves := f.Moves[max(0, len(f.Moves)-shown):]
	switch {
	case len(moves) == 0:
		return b.String()
	case len(moves) < len(f.Moves):
		fmt.Fprintf(&b, "\n    the last %d joint moves:", len(moves))
	default:
		b.WriteString("\n    joint moves:")
	}
	var texts []string
	for _, joint := range moves {
		texts = append(texts, "("+strings.Join(joint, " ")+")")
	}
	b.WriteString(" " + joinLine(texts))
	return b.String()
}

// Lengths in messages, in bytes.
const (
	maxTerm = 120
	maxLine = 1500
)

// clip shortens a term to maxTerm bytes.
func clip(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	return strings.ToValidUTF8(term[:maxTerm], "") + "…"
}

// clipAll returns the terms, each shortened to maxTerm bytes.
func clipAll(terms []string) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = clip(t)
	}
	return out
}

// joinLine joins as many texts as fit into maxLine bytes.
func joinLine(texts []string) string {
	length := 0
	for i, t := range texts {
		if length += len(t) + 1; length > maxLine {
			return fmt.Sprintf("%s … and %d more", strings.Join(texts[:i], " "), len(texts)-i)
		}
	}
	return strings.Join(texts, " ")
}

// Report is the result of random matches.
type Report struct {
	Matches int // number of matches played
	Faults  []*Fault
}

// HasErrors reports whether a fault makes the game invalid.
func (r *Report) HasErrors() bool {
	return slices.ContainsFunc(r.Faults, func(f *Fault) bool { return !f.Warning })
}

// key identifies a distinct fault.
type key struct{ kind, role, detail string }

// maxDistinct bounds the distinct faults of a kind and role; goals, for example, may differ in every match. Further
// faults count as a single fault.
const maxDistinct = 20

// count counts a fault, and reports whether it is new.
func (s *simulation) count(kind, role, detail, message string) (*Fault, bool) {
	k := key{kind, role, detail}
	if s.seen[k] == nil && s.kinds[key{kind, role, ""}] >= maxDistinct {
		k.detail = "others"
	}
	f, known := s.seen[k]
	if !known {
		s.kinds[key{kind, role, ""}]++
		f = &Fault{Kind: kind, Warning: kind == kindBase || kind == kindInput, Role: role, Message: message}
		s.seen[k] = f
		s.report.Faults = append(s.report.Faults, f)
	}
	f.Count++
	return f, !known
}

// add adds a fault of the current position.
func (s *simulation) add(kind, role, detail, message string) {
	f, isNew := s.count(kind, role, detail, message)
	if !isNew {
		return
	}
	f.State, f.Moves = clipAll(s.names.AppendFluents(nil, s.state)), [][]string{}
	for n := len(s.joint); len(s.path) >= n*(len(f.Moves)+1); {
		at := n * len(f.Moves)
		f.Moves = append(f.Moves, clipAll(s.names.JointTexts(s.path[at:at+n])))
	}
}
