package conformance

import "slices"

// Level is the importance of a check.
type Level string

// The levels of checks, in the order in which players are checked.
const (
	// Required: a server in use relies on it.
	Required Level = "required"
	// Expected: most servers and players agree on it. A match can do without.
	Expected Level = "expected"
	// Robust: reactions to hostile and broken senders. The checks may crash a player.
	Robust Level = "robust"
)

// upTo returns the elements up to a level.
func upTo[T any](last Level, all []T, level func(T) Level) []T {
	order := []Level{Required, Expected, Robust}
	return slices.DeleteFunc(slices.Clone(all), func(each T) bool {
		return slices.Index(order, level(each)) > slices.Index(order, last)
	})
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts of a check.
const (
	Pass   Verdict = "pass"
	Fail   Verdict = "fail"
	NotRun Verdict = "not run" // the Reason is given
)

// Result is the outcome of one check. Sent, Expected and Got describe the first exchange that broke the rule, else
// the last exchange. All texts are printable ASCII.
type Result struct {
	Check    string  `json:"check"`
	Level    Level   `json:"level"`
	Rule     string  `json:"rule"`
	Source   string  `json:"source"` // origin of the rule
	Verdict  Verdict `json:"verdict"`
	Sent     string  `json:"sent,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Got      string  `json:"got,omitempty"`
	Reason   string  `json:"reason,omitempty"` // the difference, or the reason for not running the check
}

// Report lists the results of all checks.
type Report struct {
	Subject string   `json:"subject"` // the player or manager
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
