package cli

import (
	"fmt"
	"io"

	"stackmate/protocol/conformance"
)

// reported shows a report, and returns an error if a required check has failed.
func (s *console) reported(asJSON bool, report *conformance.Report) error {
	if err := show(s, asJSON, report, writeReport); err != nil {
		return err
	}
	if report.Broken > 0 {
		return errTold
	}
	return nil
}

// writeReport writes a line for each check. Below each failed check it lists the request, the expected and
// the actual reply, their difference and the source of the rule.
func writeReport(w io.Writer, r *conformance.Report) error {
	t := newTable(w, 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Level, c.Verdict, c.Check, c.Rule)
		for _, line := range [][2]string{{"sent", c.Sent}, {"expected", c.Expected}, {"got", c.Got}, {"because", c.Reason}, {"source", c.Source}} {
			told := c.Verdict == conformance.Fail || c.Verdict == conformance.NotRun && line[0] == "because"
			if told && line[1] != "" {
				fmt.Fprintf(t, "\t\t\t  %s: %s\n", line[0], line[1])
			}
		}
	}
	fmt.Fprintf(t, "\n%s: %d passed, %d failed, %d of them required, %d not run\n", r.Subject, r.Passed, r.Failed, r.Broken, r.NotRun)
	return t.Flush()
}
