package oracle

import (
	"math/big"
	"slices"
	"strings"
)

// The statements about all positions that the product proves or refutes. Each method returns the nearest position in
// which its statement fails, or −1.

// Stuck finds a position in which a role has no legal move though the game is not over.
func (g *Game) Stuck() int {
	return g.first(func(p *Position) bool { return p.IsStuck() })
}

// Faulty finds an end at which one of the roles has no goal, several, or one that is no number from 0 to 100.
func (g *Game) Faulty(roles []int) int {
	return g.first(func(p *Position) bool {
		return p.Terminal && slices.ContainsFunc(roles, func(r int) bool { return p.Goals[r] == NoGoal })
	})
}

// Simultaneous finds a position in which two players have a choice.
func (g *Game) Simultaneous() int {
	return g.first(func(p *Position) bool { return len(g.Choosers(p)) > 1 })
}

// OtherSum finds an end at which the goals of the players do not add up to a sum.
func (g *Game) OtherSum(sum int) int {
	return g.first(func(p *Position) bool { return p.Terminal && g.Sum(p) != sum })
}

// Sum returns the sum of the goals of the players; a goal that is none counts 0.
func (g *Game) Sum(p *Position) (sum int) {
	for _, r := range g.Players {
		sum += max(p.Goals[r], 0)
	}
	return sum
}

// Falling finds a position after which a role has a lower goal in the next one; a goal that is none counts 0.
func (g *Game) Falling() int {
	return g.first(func(p *Position) bool {
		return slices.ContainsFunc(p.Next, func(next int) bool {
			for r, goal := range g.Positions[next].Goals {
				if max(goal, 0) < p.Goals[r] {
					return true
				}
			}
			return false
		})
	})
}

func (g *Game) first(fails func(p *Position) bool) int {
	for i := range g.Positions {
		if fails(&g.Positions[i]) {
			return i
		}
	}
	return -1
}

// ConstantSum reports whether the goals of the players have the same sum at all ends, and the sum. It is false if there
// is no end.
func (g *Game) ConstantSum() (sum int, constant bool) {
	end := g.first(func(p *Position) bool { return p.Terminal })
	if end < 0 {
		return 0, false
	}
	sum = g.Sum(&g.Positions[end])
	return sum, g.OtherSum(sum) < 0
}

// Line returns the joint moves, by role, of a shortest way from the initial position to a position.
func (g *Game) Line(to int) (line [][]string) {
	for p := &g.Positions[to]; p.From >= 0; p = &g.Positions[p.From] {
		var joint []string
		for r, m := range g.Positions[p.From].Digits(p.Joint) {
			joint = append(joint, g.Positions[p.From].Moves[r][m])
		}
		line = append([][]string{joint}, line...)
	}
	return line
}

// Follow returns the position after joint moves from the initial position, or false where one of them is not legal.
func (g *Game) Follow(line [][]string) (at int, legal bool) {
	for _, joint := range line {
		p, number := &g.Positions[at], 0
		for r, text := range joint {
			m := slices.Index(p.Moves[r], text)
			if m < 0 || len(p.Next) == 0 {
				return at, false
			}
			number = number*len(p.Moves[r]) + m
		}
		at = p.Next[number]
	}
	return at, true
}

// Undominated returns the goals of all roles at the ends that no other end betters for one role without being worse for
// another one. A goal that is none counts 0.
func (g *Game) Undominated() (list [][]int) {
	for i := range g.Positions {
		if !g.Positions[i].Terminal {
			continue
		}
		goals := slices.Clone(g.Positions[i].Goals)
		for r := range goals {
			goals[r] = max(goals[r], 0)
		}
		isCovered := func(by []int) bool {
			for r := range goals {
				if by[r] < goals[r] {
					return false
				}
			}
			return true
		}
		if slices.ContainsFunc(list, isCovered) {
			continue
		}
		list = slices.DeleteFunc(list, func(old []int) bool {
			for r := range goals {
				if goals[r] < old[r] {
					return false
				}
			}
			return true
		})
		list = append(list, goals)
	}
	return list
}

// Equilibria returns the values, by role, of the equilibria of a game of turns without cycles: every combination of
// best moves, and for each other move of its chooser a combination that does not make it better. It is nil if a
// position has more than limit of them.
func (g *Game) Equilibria(limit int) [][]*big.Rat {
	at := make([][][]*big.Rat, len(g.Positions))
	for _, i := range g.postorder() {
		p := &g.Positions[i]
		if len(p.Next) == 0 {
			var v []*big.Rat
			for _, goal := range p.Goals {
				v = append(v, big.NewRat(int64(max(goal, 0)), 1))
			}
			at[i] = [][]*big.Rat{v}
			continue
		}
		choosers := g.Choosers(p)
		if len(choosers) == 0 { // chance alone, or nobody
			at[i] = means(at, p.Next, limit)
		} else {
			at[i] = chosen(at, p, g.Chance, choosers[0], limit)
		}
		if at[i] = unique(at[i]); len(at[i]) == 0 || len(at[i]) > limit {
			return nil
		}
	}
	return at[0]
}

// means returns the mean vectors over successors, for every combination of their equilibria; nil if they are too many.
func means(at [][][]*big.Rat, next []int, limit int) [][]*big.Rat {
	sums := [][]*big.Rat{nil}
	for _, child := range next {
		var longer [][]*big.Rat
		for _, s := range sums {
			for _, v := range at[child] {
				sum := make([]*big.Rat, len(v))
				for r := range v {
					sum[r] = new(big.Rat).Mul(v[r], big.NewRat(1, int64(len(next))))
					if s != nil {
						sum[r].Add(sum[r], s[r])
					}
				}
				longer = append(longer, sum)
			}
		}
		if sums = unique(longer); len(sums) > limit {
			return nil
		}
	}
	return sums
}

// chosen returns the equilibria where one player chooses, at the same time as chance.
func chosen(at [][][]*big.Rat, p *Position, chance, role, limit int) (list [][]*big.Rat) {
	byMove := make([][]int, len(p.Moves[role]))
	for joint, next := range p.Next {
		m := p.Digits(joint)[role]
		byMove[m] = append(byMove[m], next)
	}
	var options [][][]*big.Rat
	for _, next := range byMove {
		options = append(options, means(at, next, limit))
		if options[len(options)-1] == nil {
			return nil
		}
	}
	for m, own := range options {
		for _, v := range own {
			isBest := true
			for other := range options {
				isBest = isBest && (other == m || slices.ContainsFunc(options[other], func(w []*big.Rat) bool { return w[role].Cmp(v[role]) <= 0 }))
			}
			if isBest {
				list = append(list, v)
			}
		}
	}
	return list
}

// unique removes vectors that occurred before.
func unique(list [][]*big.Rat) (kept [][]*big.Rat) {
	seen := make(map[string]bool)
	for _, v := range list {
		var b strings.Builder
		for _, x := range v {
			b.WriteString(x.RatString() + " ")
		}
		if !seen[b.String()] {
			seen[b.String()] = true
			kept = append(kept, v)
		}
	}
	return kept
}
