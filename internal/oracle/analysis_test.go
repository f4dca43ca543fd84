package oracle_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"stackmate/internal/oracle"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/goals"
	"stackmate/search/solve"
)

// compareAnalysis compares the compiler's analyses: decisive moves, symmetries, the class of the game.
func (c *comparison) compareAnalysis() {
	m := c.machine("circuit")
	if m == nil {
		return
	}
	if decisive := facts.Decisive(c.ctx, m, false); decisive != nil && c.sound {
		c.compareDecisive(m, decisive)
	}
	for _, y := range facts.Symmetries(m) {
		if !c.isSymmetry(m, &y) {
			return
		}
	}
	c.compareProvedFacts(m)
	c.compareClass(solve.Classify(c.ctx, m, c.Uint64()))
}

// compareProvedFacts compares the facts proved about goals and about the length of games.
func (c *comparison) compareProvedFacts(m machine.Machine) {
	if sum, proved := facts.ProvedGoalSum(c.ctx, m); proved && (otherSum(c.game, int(sum)) >= 0 || faulty(c.game, c.game.Players) >= 0) {
		c.fault("proved sum", "%d, right: %d (constant: %v), a faulty goal: %v", sum, c.sum, c.constant, faulty(c.game, c.game.Players) >= 0)
	}
	switch length, proved := facts.ProvedLength(c.ctx, m); {
	case proved && !c.acyclic:
		c.fault("proved length", "%d joint moves, and a position comes back", length)
	case proved && longest(c.game) > length:
		c.fault("proved length", "%d joint moves, right: %d", length, longest(c.game))
	}
	f, err := goals.Learn(c.ctx, m)
	var fault *goals.Fault
	switch {
	case errors.As(err, &fault):
		if faulty(c.game, c.game.Players) < 0 {
			c.fault("goals", "%v, and all goals are right", err)
		} else if at, known := c.positions[fmt.Sprint(slices.Sorted(slices.Values(fault.Position)))]; !known || !c.game.Positions[at].Terminal {
			c.fault("goals", "%v is no end", fault.Position)
		}
	case err != nil:
		c.fault("goals", "%v", err)
	case f.Single && faulty(c.game, c.game.Players) >= 0:
		c.fault("goals", "each player has one goal, not after %v", lineTo(c.game, faulty(c.game, c.game.Players)))
	case f.Constant && otherSum(c.game, int(f.Sum)) >= 0, f.Varies && c.constant && c.sound:
		c.fault("goals", "%v, right: %d (constant: %v)", f, c.sum, c.constant)
	}
}

// compareDecisive asks whether wins are won, and whether a sensible move is as good as any other one.
func (c *comparison) compareDecisive(m, decisive machine.Machine) {
	batch := decisive.NewNarrowBatch()
	var moves []machine.Move
	for i := range c.game.Positions {
		p := &c.game.Positions[i]
		if p.Terminal {
			continue
		}
		batch.Fill(c.state(m, i), nil)
		batch.Evaluate(1)
		for _, role := range c.game.Players {
			r := machine.Role(role)
			goal, lanes := machine.Wins(batch, r)
			if low, high := c.bounds(role, true); lanes[0]&1 != 0 && low.Exact && float(low.At[i]) < float64(goal) {
				c.fault("wins", "%s wins %d for sure in %v, right: from %s to %s", c.game.Roles[role], goal, p.Facts, low.At[i].RatString(), high.At[i].RatString())
				return
			}
			moves = machine.AppendSensible(batch, moves[:0], 0, r)
			if len(moves) == 0 {
				c.fault("sensible", "no sensible move of %s in %v", c.game.Roles[role], p.Facts)
				return
			}
			if len(c.game.Players) != 2 || !c.constant || c.game.Chance >= 0 || !c.turns || !c.acyclic {
				continue
			}
			low, _ := c.bounds(role, true)
			best := low.At[i]
			isBest := slices.ContainsFunc(moves, func(move machine.Move) bool {
				mix := make([]*big.Rat, len(p.Moves[role]))
				for k := range mix {
					mix[k] = new(big.Rat)
				}
				text := m.Names().MoveText(r, move)
				k := slices.Index(p.Moves[role], text)
				if k < 0 {
					return false
				}
				mix[k].SetInt64(1)
				return c.game.Reply(i, role, mix, low).Cmp(best) >= 0
			})
			if !isBest {
				c.fault("sensible", "all moves of %s that get %s are left out in %v", c.game.Roles[role], best.RatString(), p.Facts)
				return
			}
		}
	}
}

// isSymmetry asks whether a symmetry maps positions to positions with the same goals, ends and successors.
func (c *comparison) isSymmetry(m machine.Machine, y *facts.Symmetry) bool {
	number := make(map[string]int)
	for i := range c.game.Positions {
		number[fmt.Sprint(c.state(m, i))] = i
	}
	image := m.Names().NewState()
	for i := range c.game.Positions {
		y.Image(image, c.state(m, i))
		j, known := number[fmt.Sprint(image)]
		if !known {
			continue
		}
		if problem := c.differs(m, y, &c.game.Positions[i], &c.game.Positions[j], number); problem != "" {
			c.fault("symmetry", "of roles %v: %v → %v: %s", y.Roles, c.game.Positions[i].Facts, c.game.Positions[j].Facts, problem)
			return false
		}
	}
	return true
}

// differs says in which way position q is no image of p.
func (c *comparison) differs(m machine.Machine, y *facts.Symmetry, p, q *oracle.Position, number map[string]int) string {
	if p.Terminal != q.Terminal {
		return "one is terminal"
	}
	for r := range p.Goals {
		if p.Terminal && p.Goals[r] != q.Goals[y.Roles[r]] {
			return fmt.Sprintf("goals %v and %v", p.Goals, q.Goals)
		}
		if !p.Terminal && len(p.Moves[r]) != len(q.Moves[y.Roles[r]]) {
			return fmt.Sprintf("moves %v and %v", p.Moves, q.Moves)
		}
	}
	image := m.Names().NewState()
	for j, next := range p.Next {
		mapped := make([]string, len(p.Moves))
		for r, k := range p.Joint[j] {
			move, _ := m.Names().Move(machine.Role(r), p.Moves[r][k])
			to := y.Roles[r]
			if mapped[to] = m.Names().MoveText(to, y.Moves[r][move]); !slices.Contains(q.Moves[to], mapped[to]) {
				return fmt.Sprintf("move %s of %s is not legal", mapped[to], c.game.Roles[to])
			}
		}
		y.Image(image, c.state(m, next))
		if other, known := number[fmt.Sprint(image)]; known && after(q, mapped) != other {
			return fmt.Sprintf("after %v", mapped)
		}
	}
	return ""
}

// compareClass compares the kind of a game, as far as random games cannot overlook it.
func (c *comparison) compareClass(k solve.Class) {
	switch {
	case k.Players != len(c.game.Players):
		c.fault("class", "%d players", k.Players)
	case k.Simultaneous && c.turns:
		c.fault("class", "simultaneous moves, and the game is one of turns")
	case !k.ConstantSum && c.constant && c.sound:
		c.fault("class", "general sum, and the goals add up to %d", c.sum)
	case k.Chance && c.game.Chance < 0:
		c.fault("class", "chance, and there is none")
	}
}
