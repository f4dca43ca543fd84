package conformance

// Verdict is what a check has come to.
type Verdict string

// The verdicts of a check.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	Skip Verdict = "skip" // it could not be told; the Reason says why
)

// Result is what one check has found. Sent, Expected and Got are of the first
// exchange that broke the rule, else of the last one. All texts are printable
// ASCII, whatever was received.
type Result struct {
	Check    string  `json:"check"`
	Rule     string  `json:"rule"`
	Verdict  Verdict `json:"verdict"`
	Sent     string  `json:"sent,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Got      string  `json:"got,omitempty"`
	Reason   string  `json:"reason,omitempty"`
}

// Report lists the results of all checks.
type Report struct {
	Subject string   `json:"subject"` // what was checked
	Checks  []Result `json:"checks"`
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
}

func (r *Report) add(result Result) {
	r.Checks = append(r.Checks, result)
	switch result.Verdict {
	case Pass:
		r.Passed++
	case Fail:
		r.Failed++
	default:
		r.Skipped++
	}
}
