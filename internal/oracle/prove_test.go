package oracle_test

import (
	"fmt"
	"strings"
	"time"

	"stackmate/reasoner"
	"stackmate/reasoner/prove"
)

// statement is the oracle's side of a property that is proved.
type statement struct {
	name  string
	fails func(c *comparison) int // the nearest position in which it fails, or −1
	moves int                     // joint moves from there on that it speaks of
}

var statements = []statement{
	{"every role has a legal move", func(c *comparison) int { return stuck(c.game) }, 0},
	{"every role has one goal", func(c *comparison) int {
		all := append([]int{}, c.game.Players...)
		if c.game.Chance >= 0 {
			all = append(all, c.game.Chance)
		}
		return faulty(c.game, all)
	}, 0},
	{"the goals of the players add up to ", nil, 0},
	{"at most one player has a choice", func(c *comparison) int { return simultaneous(c.game) }, 0},
	{"every game ends", func(c *comparison) int {
		if !c.acyclic {
			return 0
		}
		return stuck(c.game)
	}, 0},
	{"no goal ever falls", func(c *comparison) int { return falling(c.game) }, 1},
}

// compareProofs compares the proved and the refuted properties of a game.
func (c *comparison) compareProofs() {
	found, names, err := reasoner.Prove(c.ctx, c.rules, reasoner.Options{Memory: 256 << 20}, prove.Limits{MaxTime: 2 * time.Second, MaxBytes: 64 << 20})
	if err != nil {
		c.fault("prove", "%v", err)
		return
	}
	for _, f := range found {
		known := false
		if strings.HasPrefix(f.Property, "groups with exactly one") {
			var groups, grouped, all int
			if _, err := fmt.Sscanf(f.Detail, "%d groups with %d of %d fluents", &groups, &grouped, &all); err == nil && grouped > all {
				c.fault("groups", "%s", f.Detail)
			}
			continue
		}
		for _, s := range statements {
			rest, ok := strings.CutPrefix(f.Property, s.name)
			if !ok {
				continue
			}
			known = true
			var fails int
			if s.fails != nil {
				fails = s.fails(c)
			} else {
				sum := 0
				for _, digit := range strings.Fields(rest)[0] {
					sum = 10*sum + int(digit-'0')
				}
				fails = otherSum(c.game, sum)
			}
			c.judgeProof(f, s, fails, names.LineTexts(f.Line))
		}
		if !known {
			c.fault("prove", "unknown property %q", f.Property)
		}
	}
}

func (c *comparison) judgeProof(f prove.Finding, s statement, fails int, line [][]string) {
	switch {
	case f.Verdict == prove.Proved && fails >= 0:
		c.fault("proved: "+s.name, "%q is proved (%s) and fails after %v", f.Property, f.Detail, lineTo(c.game, fails))
	case f.Verdict == prove.Refuted && fails < 0:
		c.fault("refuted: "+s.name, "%q is refuted by %v (%s) and holds", f.Property, line, f.Detail)
	case f.Verdict == prove.Refuted && s.name == "every game ends":
		if _, legal := follow(c.game, line); !legal {
			c.fault("refuted: "+s.name, "%q: the line %v has a move that is not legal", f.Property, line)
		}
	case f.Verdict == prove.Refuted:
		if at, legal := follow(c.game, line); !legal {
			c.fault("refuted: "+s.name, "%q: the line %v has a move that is not legal in position %d", f.Property, line, at)
		}
		if depth := c.game.Positions[fails].Depth + s.moves; f.Shortest && depth != len(line) || depth > len(line) {
			c.fault("refuted: "+s.name, "%q: a line of %d moves (the shortest: %v), want %d", f.Property, len(line), f.Shortest, depth)
		}
	}
}
