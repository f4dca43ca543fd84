package conformance

import "slices"

// Level is how much depends on a check.
type Level string

// The levels of checks, in the order in which players are checked.
const (
	// Required is what a match needs: a server in use relies on it.
	Required Level = "required"
	// Expected is what most servers and players agree on. A match can do without.
	Expected Level = "expected"
	// Robust is what players do about hostile and broken senders. The checks may end a
	// player.
	Robust Level = "robust"
)

// upTo takes those of a list that a check up to a level has.
func upTo[T any](last Level, all []T, level func(T) Level) []T {
	order := []Level{Required, Expected, Robust}
	return slices.DeleteFunc(slices.Clone(all), func(each T) bool {
		return slices.Index(order, level(each)) > slices.Index(order, last)
	})
}

// Verdict is what a check has come to.
type Verdict string

// The verdicts of a check.
const (
	Pass   Verdict = "pass"
	Fail   Verdict = "fail"
	NotRun Verdict = "not run" // it could not be told; the Reason says why
)

// Result is what one check has found. Sent, Expected and Got are of the first
// exchange that broke the rule, else of the last one. All texts are printable
// ASCII, whatever was received.
type Result struct {
	Check    string  `json:"check"`
	Level    Level   `json:"level"`
	Rule     string  `json:"rule"`
	Source   string  `json:"source"` // where the rule comes from
	Verdict  Verdict `json:"verdict"`
	Sent     string  `json:"sent,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Got      string  `json:"got,omitempty"`
	Reason   string  `json:"reason,omitempty"` // what differs, or why the check was not run
}

// Report lists the results of all checks.
type Report struct {
	Subject string   `json:"subject"` // what was checked
	Checks  []Result `json:"checks"`
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	NotRun  int      `json:"not_run"`
	Broken  int      `json:"broken"` // required checks that failed
}

func (r *Report) add(result Result) {
	r.Checks = append(r.Checks, result)
	switch result.Verdict {
	case Pass:
		r.Passed++
	case NotRun:
		r.NotRun++
	default:
		r.Failed++
		if result.Level == Required {
			r.Broken++
		}
	}
}
