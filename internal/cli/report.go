package cli

import (
	"fmt"
	"io"

	"stackmate/protocol/conformance"
)

// reported shows a report; the error says whether a check has failed.
func (s *console) reported(asJSON bool, report *conformance.Report) error {
	if err := show(s, asJSON, report, writeReport); err != nil {
		return err
	}
	if report.Failed > 0 {
		return errTold
	}
	return nil
}

// writeReport writes a line for each check, and below those that did not pass what
// was sent, expected and got.
func writeReport(w io.Writer, r *conformance.Report) error {
	t := newTable(w, 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Verdict, c.Check, c.Rule)
		switch c.Verdict {
		case conformance.Fail:
			for _, line := range [][2]string{{"sent", c.Sent}, {"expected", c.Expected}, {"got", c.Got}} {
				if line[1] != "" {
					fmt.Fprintf(t, "\t\t  %s: %s\n", line[0], line[1])
				}
			}
		case conformance.Skip:
			fmt.Fprintf(t, "\t\t  because %s\n", c.Reason)
		}
	}
	fmt.Fprintf(t, "\n%s: %d passed, %d failed, %d skipped\n", r.Subject, r.Passed, r.Failed, r.Skipped)
	return t.Flush()
}
