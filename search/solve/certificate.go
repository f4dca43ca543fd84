package solve

import (
	"fmt"
	"strings"

	"stackmate/reasoner/machine"
	"stackmate/search/certify"
)

// Certificate is what playing the strategies against every opponent shows.
type Certificate struct {
	Certified        bool    `json:"certified"`         // neither side can gain, and every value claimed is right
	Exploitability   float64 `json:"exploitability"`    // most that a side can gain, in goal points
	PositionsChecked int64   `json:"positions_checked"` // different ones

	found *certify.Certificate
	names *machine.Names
}

func newCertificate(c *certify.Certificate, names *machine.Names) *Certificate {
	return &Certificate{c.Certified(), c.Exploitability(), c.Positions, c, names}
}

// sentence tells it to people.
func (c *Certificate) sentence() string {
	text := fmt.Sprintf("exploitability %g, in %d positions", c.Exploitability, c.PositionsChecked)
	if c.Certified {
		return "certified: " + text
	}
	f := c.found.First
	who := "a lone player"
	if f.Role >= 0 {
		who = "the strategy of " + c.names.Roles[f.Role]
	}
	return fmt.Sprintf("NOT certified: %s; %d claims do not hold, one at %s: claimed %g, %s obtains %g (points of %s)",
		text, c.found.Faults, strings.Join(c.names.AppendFluents(nil, f.Position), " "),
		f.Claimed, who, f.Obtained, c.names.Roles[firstPlayer(c.names.Roles)])
}

// firstPlayer is the first role that is not chance.
func firstPlayer(roles []string) int {
	players, _, _ := certify.Players(roles)
	return int(players[0])
}
