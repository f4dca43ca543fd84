package solve

import (
	"fmt"
	"math"
	"strings"
	"time"

	"stackmate/reasoner/machine"
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
	Complete             bool       `json:"complete"`          // every position was checked
	Faults               int64      `json:"faults"`            // claims that do not hold
	PositionsChecked     int64      `json:"positions_checked"` // different ones
	Seconds              float64    `json:"certify_seconds"`

	first *certify.Fault
	names *machine.Names
}

func newCertificate(c certify.Certificate, names *machine.Names, took time.Duration) *Certificate {
	return &Certificate{
		Certified:            c.Certified(),
		Exploitability:       c.Exploitability(),
		ProvedBounds:         [2]float64{c.Guarantee, c.Limit},
		ProvedExploitability: c.Gap,
		Complete:             c.Complete,
		Faults:               c.Faults,
		PositionsChecked:     c.Positions,
		Seconds:              took.Seconds(),
		first:                c.First,
		names:                names,
	}
}

// sentence tells it to people.
func (c *Certificate) sentence() string {
	work := fmt.Sprintf("%d positions, %.3f s", c.PositionsChecked, c.Seconds)
	proved := fmt.Sprintf("exploitability %g (proved%s)", c.Exploitability, atMost(c.ProvedExploitability))
	switch {
	case c.Certified:
		return fmt.Sprintf("certified: %s; %s", proved, work)
	case c.first == nil:
		return fmt.Sprintf("NOT finished: no fault found yet, the value is proved to lie in [%g, %g]; %s",
			c.ProvedBounds[0], c.ProvedBounds[1], work)
	}
	who := "a lone player"
	if c.first.Role >= 0 {
		who = "the strategy of " + c.names.Roles[c.first.Role]
	}
	return fmt.Sprintf("NOT certified: %s; %d claims do not hold, one at %s: claimed %g, %s obtains %g (points of %s); %s",
		proved, c.Faults, strings.Join(c.names.AppendFluents(nil, c.first.Position), " "),
		c.first.Claimed, who, c.first.Obtained, c.names.Roles[c.names.Players()[0]], work)
}

// atMost writes an upper bound with two digits, rounded up; nothing for 0.
func atMost(v float64) string {
	if v == 0 {
		return ""
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return fmt.Sprintf(": at most %.2g", math.Ceil(v/unit)*unit)
}
