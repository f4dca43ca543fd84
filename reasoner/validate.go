package reasoner

import (
	"context"
	"fmt"
	"io"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/wellformed"
)

// ValidateOptions say how to validate.
type ValidateOptions struct {
	Strict   bool  // warnings make a rulesheet invalid, too
	Simulate int   // number of random matches that look for faults of the game
	Memory   int64 // that of Options
}

// Validation is the verdict on one rulesheet.
type Validation struct {
	File     string          `json:"file"`
	Valid    bool            `json:"valid"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Findings gdl.Diagnostics `json:"findings"`
	Matches  int             `json:"matches"` // simulated

	Faults []*wellformed.Fault `json:"faults"` // found by simulation
}

// Validate checks a rulesheet and, if asked to, plays the game. The error says
// that it could not be played: it does not fit the machine, or ctx was done.
func Validate(ctx context.Context, file string, src []byte, o ValidateOptions) (Validation, error) {
	game, findings, err := gdl.Load(ctx, file, src)
	v := Validation{File: file, Findings: findings, Errors: len(findings.Errors()), Faults: []*wellformed.Fault{}}
	v.Warnings = len(findings) - v.Errors
	v.Valid = v.Errors == 0 && !(o.Strict && v.Warnings > 0)
	if err != nil && v.Errors == 0 {
		v.Valid = false // nobody knows: the checks have not come to their end
		return v, fmt.Errorf("%s: %w", file, err)
	}
	if err != nil || o.Simulate <= 0 {
		return v, nil // the findings hold the error
	}
	m, err := New(ctx, game, Options{Memory: o.Memory})
	if err != nil {
		return v, fmt.Errorf("%s: %w", file, err)
	}
	report, err := wellformed.Simulate(ctx, game, m, wellformed.Options{Matches: o.Simulate, Seed: simulateSeed})
	v.Matches, v.Faults = report.Matches, report.Faults
	v.Valid = v.Valid && !report.HasErrors() && !(o.Strict && len(v.Faults) > 0)
	return v, err
}

// simulateSeed makes every simulation the same one.
const simulateSeed = 1

// WriteTable writes the findings and the verdict for people.
func (v Validation) WriteTable(w io.Writer) error {
	var b strings.Builder
	for _, d := range v.Findings {
		fmt.Fprintln(&b, d.Detail())
	}
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "%s: %s\n", v.File, f)
	}
	verdict := "valid"
	if !v.Valid {
		verdict = "not valid"
	}
	fmt.Fprintf(&b, "%s: %s (errors: %d, warnings: %d", v.File, verdict, v.Errors, v.Warnings)
	if v.Matches > 0 {
		fmt.Fprintf(&b, ", faults in %d matches: %d", v.Matches, len(v.Faults))
	}
	b.WriteString(")\n")
	_, err := io.WriteString(w, b.String())
	return err
}
