package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/prove"
	"stackmate/reasoner/wellformed"
)

// validateCommand checks rulesheets.
type validateCommand struct {
	Files    []string      `arg:"" name:"file" help:"Rulesheets to check, or folders of them; - is standard input."`
	Strict   bool          `help:"Count warnings as errors."`
	Simulate int           `placeholder:"N" help:"Also play N random matches of each valid game and report their faults."`
	Prove    bool          `help:"Prove or refute properties of all positions: legal moves, goals, constant sum, turns, an end."`
	Budget   time.Duration `default:"10s" help:"Time for the proofs of each rulesheet."`
	JSON     bool          `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *validateCommand) Run(s *console) error {
	if c.Simulate < 0 {
		return usageError{fmt.Errorf("expected a number of matches above 0 to --simulate, found %d", c.Simulate)}
	}
	if c.Budget <= 0 {
		return noBudget(c.Budget)
	}
	files, err := rulesheetsIn(c.Files, gameFiles)
	if err != nil {
		return err
	}
	var faulty error
	for _, file := range files {
		src, err := s.readRules(file)
		if err != nil {
			return err
		}
		line := s.progress("validating %s", file)
		v, err := c.validate(s, file, src)
		line.end()
		if err != nil && s.ctx.Err() != nil && v.Matches == 0 && len(v.Proofs) == 0 {
			return err // there is no verdict yet
		}
		if shown := show(s, c.JSON, v, writeValidation); shown != nil {
			return errors.Join(shown, err)
		}
		if err != nil && (s.ctx.Err() != nil || len(files) == 1) {
			return err
		}
		if err != nil { // the others have their verdicts all the same
			fmt.Fprintf(s.err, "stackmate: %v\n", err)
			faulty = errTold
		}
		if !v.Valid {
			faulty = errTold
		}
	}
	return faulty
}

// validation is the verdict on one rulesheet.
type validation struct {
	File     string          `json:"file"`
	Valid    bool            `json:"valid"`
	Playable bool            `json:"playable"` // serve, match, play and the arena page play it
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Findings gdl.Diagnostics `json:"findings"`
	Matches  int             `json:"matches"` // simulated

	Faults []*wellformed.Fault `json:"faults"` // found by simulation

	Proofs  []proof `json:"proofs,omitempty"`
	Refuted int     `json:"refuted,omitempty"` // proofs that a valid rulesheet must pass, and this one does not

	foreign bool // the text is no rulesheet: findings and counts do not apply
}

// validate checks a rulesheet and, if asked to, plays the game. The error says
// that it could not be played: it does not fit the machine, or the command ends.
func (c *validateCommand) validate(s *console, file string, src []byte) (validation, error) {
	game, findings, err := gdl.Load(s.ctx, file, src)
	v := validation{File: file, Findings: append(gdl.Diagnostics{}, findings...), Errors: len(findings.Errors()), Faults: []*wellformed.Fault{}}
	v.Warnings = len(findings) - v.Errors
	v.Valid = v.Errors == 0 && !(c.Strict && v.Warnings > 0)
	if err != nil && v.Errors == 0 {
		v.Valid = false // nobody knows: the checks have not come to their end
		return v, fmt.Errorf("%s: %w", file, err)
	}
	if other := foreign(file, src, err); other != nil {
		return validation{File: file, Findings: gdl.Diagnostics{}, Faults: v.Faults, foreign: true}, other
	}
	if err != nil { // the findings hold the error
		_, _, err = gdl.LoadToPlay(s.ctx, file, src)
		v.Playable = err == nil
		return v, nil
	}
	v.Playable = true
	if c.Prove {
		if v.Proofs, err = proofs(s.ctx, s, game, c.Budget); err != nil {
			return v, fmt.Errorf("%s: %w", file, err)
		}
		for _, p := range v.Proofs {
			if p.Required && p.Verdict == prove.Refuted {
				v.Valid = false
				v.Refuted++
			}
		}
	}
	if c.Simulate <= 0 {
		return v, nil
	}
	m, err := reasoner.New(s.ctx, game, reasoner.Options{Memory: s.memory.share(1), Cache: s.cache})
	if err != nil {
		return v, fmt.Errorf("%s: %w", file, err)
	}
	report, err := wellformed.Simulate(s.ctx, game, m, wellformed.Options{Matches: c.Simulate, Seed: simulateSeed})
	v.Matches, v.Faults = report.Matches, report.Faults
	v.Valid = v.Valid && !report.HasErrors() && !(c.Strict && len(v.Faults) > 0)
	return v, err
}

// simulateSeed makes every simulation the same one.
const simulateSeed = 1

// writeValidation writes the findings and the verdict for people.
func writeValidation(w io.Writer, v validation) error {
	var b strings.Builder
	for _, d := range v.Findings {
		fmt.Fprintln(&b, d.Detail())
	}
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "%s: %s\n", v.File, f)
	}
	if len(v.Proofs) > 0 {
		writeProofs(&b, v.Proofs)
	}
	if v.foreign {
		_, err := fmt.Fprintf(w, "%s: not valid\n", v.File)
		return err
	}
	verdict := "valid"
	if !v.Valid {
		verdict = "not valid"
	}
	fmt.Fprintf(&b, "%s: %s (errors: %d, warnings: %d", v.File, verdict, v.Errors, v.Warnings)
	if v.Refuted > 0 {
		fmt.Fprintf(&b, ", refuted: %d", v.Refuted)
	}
	if v.Matches > 0 {
		fmt.Fprintf(&b, ", faults in %d matches: %d", v.Matches, len(v.Faults))
	}
	b.WriteString(")\n")
	if v.Playable && v.Errors > 0 {
		b.WriteString("serve, match, play and the page of the arena play it all the same, as game managers read it (rules.md, \"Rules that are only played\")\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
