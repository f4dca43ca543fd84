package prove

import "stackmate/reasoner/circuit"

// The clock of a game (circuit.Game.ClockFluents) has one sequence of values in all games, so invariants of that sequence
// hold in every position. No formula is needed, and the size of the game does not matter.

// Clock returns the invariants of the clock, or none if its sequence of positions is too long.
func Clock(g *circuit.Game) *Invariants {
	found, _ := clock(g)
	return found
}

// clock returns the invariants of the clock and its fluents, or nothing if its sequence of positions is too long.
func clock(g *circuit.Game) (*Invariants, []int32) {
	fluents := g.ClockFluents()
	orbit := g.ClockOrbit(fluents)
	if len(orbit) == 0 {
		return &Invariants{}, nil
	}
	s := &sample{true: make([][]uint64, len(g.Fluents)), rises: g.Names.NewState(), falls: g.Names.NewState(), ticks: g.Names.NewState(), pause: neverPause}
	for len(orbit)%64 != 0 {
		orbit = append(orbit, orbit[len(orbit)-1])
	}
	for _, f := range fluents {
		row := make([]uint64, len(orbit)/64)
		for at, position := range orbit {
			value := position.Has(int(f))
			if value {
				row[at>>6] |= 1 << (at & 63)
			}
			if before := orbit[max(at, 1)-1].Has(int(f)); value && !before {
				s.rises.Set(int(f))
			} else if before && !value {
				s.falls.Set(int(f))
			}
		}
		s.true[f] = row
		s.findLasting(f)
	}
	s.findPairs(fluents)
	s.findGroups()
	return &s.Invariants, fluents
}
