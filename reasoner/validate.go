package reasoner

import (
	"fmt"
	"io"

	"stackmate/gdl"
)

// Validation is the verdict on one rulesheet.
type Validation struct {
	File     string          `json:"file"`
	Valid    bool            `json:"valid"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Findings gdl.Diagnostics `json:"findings"`
}

// Validate checks a rulesheet. If strict, warnings make it invalid, too.
func Validate(file string, src []byte, strict bool) Validation {
	_, findings, _ := gdl.Load(file, src) // the findings hold the error
	v := Validation{File: file, Findings: findings, Errors: len(findings.Errors())}
	v.Warnings = len(findings) - v.Errors
	v.Valid = v.Errors == 0 && !(strict && v.Warnings > 0)
	return v
}

// WriteTable writes the findings and the verdict for people.
func (v Validation) WriteTable(w io.Writer) error {
	for _, d := range v.Findings {
		if _, err := fmt.Fprintln(w, d.Detail()); err != nil {
			return err
		}
	}
	verdict := "valid"
	if !v.Valid {
		verdict = "not valid"
	}
	_, err := fmt.Fprintf(w, "%s: %s (errors: %d, warnings: %d)\n", v.File, verdict, v.Errors, v.Warnings)
	return err
}
