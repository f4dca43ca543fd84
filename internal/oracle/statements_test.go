package oracle_test

import (
	"fmt"
	"slices"

	"stackmate/internal/oracle"
)

// The statements about all positions that the product proves or refutes. Each function returns the nearest position in
// which its statement fails, or −1.

// stuck finds a position in which a role has no legal move though the game is not over.
func stuck(g *oracle.Game) int { return g.First((*oracle.Position).IsStuck) }

// faulty finds an end at which one of the roles has no goal, several, or one that is no number from 0 to 100.
func faulty(g *oracle.Game, roles []int) int {
	return g.First(func(p *oracle.Position) bool {
		return p.Terminal && slices.ContainsFunc(roles, func(r int) bool { return p.Goals[r] == oracle.NoGoal })
	})
}

// choosers returns the players that have more than one legal move.
func choosers(g *oracle.Game, p *oracle.Position) (list []int) {
	for _, role := range g.Players {
		if !p.Terminal && len(p.Moves[role]) > 1 {
			list = append(list, role)
		}
	}
	return list
}

// simultaneous finds a position in which two players have a choice.
func simultaneous(g *oracle.Game) int {
	return g.First(func(p *oracle.Position) bool { return len(choosers(g, p)) > 1 })
}

// otherSum finds an end at which the goals of the players do not add up to a sum; a goal that is none counts 0.
func otherSum(g *oracle.Game, sum int) int {
	return g.First(func(p *oracle.Position) bool { return p.Terminal && sumOf(g, p) != sum })
}

func sumOf(g *oracle.Game, p *oracle.Position) (sum int) {
	for _, r := range g.Players {
		sum += max(p.Goals[r], 0)
	}
	return sum
}

// constantSum reports whether the goals of the players have the same sum at all ends, and the sum. It is false if there
// is no end.
func constantSum(g *oracle.Game) (sum int, constant bool) {
	end := g.First(func(p *oracle.Position) bool { return p.Terminal })
	if end < 0 {
		return 0, false
	}
	sum = sumOf(g, &g.Positions[end])
	return sum, otherSum(g, sum) < 0
}

// falling finds a position after which a role has a lower goal in the next one; a goal that is none counts 0.
func falling(g *oracle.Game) int {
	return g.First(func(p *oracle.Position) bool {
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

// longest returns the length of the longest game, where none is endless.
func longest(g *oracle.Game) int {
	length := make(map[int]int)
	var visit func(i int) int
	visit = func(i int) int {
		if _, known := length[i]; !known {
			for _, next := range g.Positions[i].Next {
				length[i] = max(length[i], 1+visit(next))
			}
		}
		return length[i]
	}
	return visit(0)
}

// perft returns the number of sequences of depth joint moves from the initial position, and of the ones that end in a
// terminal position.
func perft(g *oracle.Game, depth int) (joints, terminals int64) {
	count := map[int]int64{0: 1}
	for range depth {
		next := make(map[int]int64)
		for p, n := range count {
			for _, child := range g.Positions[p].Next {
				next[child] += n
			}
		}
		count = next
	}
	for p, n := range count {
		if joints += n; g.Positions[p].Terminal {
			terminals += n
		}
	}
	return joints, terminals
}

// after returns the successor of a position by a joint move, given by its texts, or −1 where it is not legal.
func after(p *oracle.Position, joint []string) int {
	for j, moves := range p.Joint {
		same := true
		for role, m := range moves {
			same = same && p.Moves[role][m] == joint[role]
		}
		if same {
			return p.Next[j]
		}
	}
	return -1
}

// follow returns the position after joint moves from the initial position, or false where one of them is not legal.
func follow(g *oracle.Game, line [][]string) (at int, legal bool) {
	for _, joint := range line {
		next := after(&g.Positions[at], joint)
		if next < 0 {
			return at, false
		}
		at = next
	}
	return at, true
}

// lineTo returns the joint moves of a shortest way from the initial position to a position.
func lineTo(g *oracle.Game, to int) (line [][]string) {
	for to > 0 {
		before := g.First(func(p *oracle.Position) bool {
			return p.Depth == g.Positions[to].Depth-1 && slices.Contains(p.Next, to)
		})
		p, joint := &g.Positions[before], []string(nil)
		for role, m := range p.Joint[slices.Index(p.Next, to)] {
			joint = append(joint, p.Moves[role][m])
		}
		line, to = append([][]string{joint}, line...), before
	}
	return line
}

// covers reports whether some goals are nowhere lower than others.
func covers(some, others []int) bool {
	for r := range some {
		if some[r] < others[r] {
			return false
		}
	}
	return true
}

// undominated returns the goals of all roles at the ends that no other end betters for one role without being worse for
// another one. A goal that is none counts 0.
func undominated(g *oracle.Game) (list [][]int) {
	for _, p := range g.Positions {
		goals := atLeast0(p.Goals)
		if !p.Terminal || slices.ContainsFunc(list, func(other []int) bool { return covers(other, goals) }) {
			continue
		}
		list = append(slices.DeleteFunc(list, func(other []int) bool { return covers(goals, other) }), goals)
	}
	return list
}

func atLeast0(goals []int) []int {
	goals = slices.Clone(goals)
	for r := range goals {
		goals[r] = max(goals[r], 0)
	}
	return goals
}

// equilibria returns the goals, by role, of the equilibria of a game of turns without chance and cycles: every best move
// of a chooser, with an equilibrium after each other move that does not make it better. It is nil if a position has more
// than most of them.
func equilibria(g *oracle.Game, most int) [][]int {
	at := make(map[int][][]int)
	var visit func(i int) [][]int
	visit = func(i int) (list [][]int) {
		p := &g.Positions[i]
		if list, known := at[i]; known {
			return list
		}
		role := slices.IndexFunc(p.Moves, func(moves []string) bool { return len(moves) > 1 })
		seen := make(map[string]bool)
		for m, next := range p.Next {
			for _, v := range visit(next) {
				isBest := true
				for other, after := range p.Next {
					isBest = isBest && (other == m || slices.ContainsFunc(visit(after), func(w []int) bool { return w[role] <= v[role] }))
				}
				if key := fmt.Sprint(v); isBest && !seen[key] {
					seen[key], list = true, append(list, v)
				}
			}
		}
		if len(p.Next) == 0 {
			list = [][]int{atLeast0(p.Goals)}
		}
		if len(list) > most {
			list = nil
		}
		at[i] = list
		return list
	}
	return visit(0)
}
