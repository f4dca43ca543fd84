package solve

import (
	"time"

	"stackmate/search/certify"
)

// Certificate is the result of playing the strategies against every opponent.
type Certificate struct {
	Certified      bool    `json:"certified"`      // no side can gain, and all claims hold
	Exploitability float64 `json:"exploitability"` // most that a side can gain, in goal points
	// ProvedBounds enclose the value of the first player, and ProvedExploitability is an upper bound of the gains,
	// without tolerance and with conservative rounding: see certify.Certificate.
	ProvedBounds         [2]float64 `json:"proved_bounds"`
	ProvedExploitability float64    `json:"proved_exploitability"`
	Complete             bool       `json:"complete"`          // every position, or every drawn position, was checked
	Drawn                bool       `json:"drawn,omitempty"`   // positions were sampled: no proof
	Faults               int64      `json:"faults"`            // number of false claims
	PositionsChecked     int64      `json:"positions_checked"` // number of different positions
	Seconds              float64    `json:"certify_seconds"`

	First *certify.Fault `json:"-"` // nil if there is none
}

func newCertificate(c certify.Certificate, took time.Duration) *Certificate {
	return &Certificate{
		Certified:            c.Certified(),
		Exploitability:       c.Exploitability(),
		ProvedBounds:         [2]float64{c.Guarantee, c.Limit},
		ProvedExploitability: c.Gap,
		Complete:             c.Complete,
		Drawn:                c.Drawn,
		Faults:               c.Faults,
		PositionsChecked:     c.Positions,
		Seconds:              took.Seconds(),
		First:                c.First,
	}
}

// and returns the certificate of two parts of a solution; c may be nil. Bounds belong to the first part; work and
// faults are added.
func (c *Certificate) and(d *Certificate) *Certificate {
	if c == nil {
		return d
	}
	both := *c
	both.Certified, both.Complete, both.Drawn = c.Certified && d.Certified, c.Complete && d.Complete, c.Drawn || d.Drawn
	both.Exploitability = max(c.Exploitability, d.Exploitability)
	both.ProvedExploitability = max(c.ProvedExploitability, d.ProvedExploitability)
	both.Faults, both.PositionsChecked = c.Faults+d.Faults, c.PositionsChecked+d.PositionsChecked
	both.Seconds = d.Seconds // measured from the start of both
	if both.First == nil {
		both.First = d.First
	}
	return &both
}
