package solve

import (
	"time"

	"stackmate/search/certify"
)

// Certificate is what playing the strategies against every opponent shows.
type Certificate struct {
	Certified      bool    `json:"certified"`      // neither side can gain, and every value claimed is right
	Exploitability float64 `json:"exploitability"` // most that a side can gain, in goal points
	// ProvedBounds enclose the value of the first player, and ProvedExploitability
	// is an upper bound of the gains: certify.Certificate has them, without any
	// tolerance or rounding in their favour.
	ProvedBounds         [2]float64 `json:"proved_bounds"`
	ProvedExploitability float64    `json:"proved_exploitability"`
	Complete             bool       `json:"complete"`          // every position was checked, or drawn that was to be
	Drawn                bool       `json:"drawn,omitempty"`   // positions were drawn: no proof
	Faults               int64      `json:"faults"`            // claims that do not hold
	PositionsChecked     int64      `json:"positions_checked"` // different ones
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

// and returns the certificate of two parts of a solution, the first of which may be nil: the bounds of
// its value, and the work and the faults of both.
func (c *Certificate) and(d *Certificate) *Certificate {
	if c == nil {
		return d
	}
	both := *c
	both.Certified, both.Complete, both.Drawn = c.Certified && d.Certified, c.Complete && d.Complete, c.Drawn || d.Drawn
	both.Exploitability = max(c.Exploitability, d.Exploitability)
	both.ProvedExploitability = max(c.ProvedExploitability, d.ProvedExploitability)
	both.Faults, both.PositionsChecked = c.Faults+d.Faults, c.PositionsChecked+d.PositionsChecked
	both.Seconds = d.Seconds // since both began
	if both.First == nil {
		both.First = d.First
	}
	return &both
}
