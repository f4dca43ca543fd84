package toys

import "math/rand/v2"

// Cyclic returns a game of the roles left and right with the given number of positions and three ends, whose
// joint moves lead to any of them: positions may repeat, and some matches never end. Goals add
// up to 100. One role has a choice at a time or, with atOnce, sometimes both have.
func Cyclic(rng *rand.Rand, positions int, atOnce bool) *Tree {
	t := &Tree{Roles: []string{"left", "right"}}
	for range positions {
		moves := []int{1, 1}
		moves[rng.IntN(2)] += rng.IntN(3)
		if atOnce && rng.IntN(3) == 0 {
			moves[0], moves[1] = 2, 2
		}
		n := Node{Moves: moves}
		for range moves[0] * moves[1] {
			n.Kids = append(n.Kids, rng.IntN(positions+3))
		}
		t.Nodes = append(t.Nodes, n)
	}
	for i := range 3 {
		goal := []int32{0, 100, []int32{0, 50, 100}[rng.IntN(3)]}[i]
		t.Nodes = append(t.Nodes, Node{Goals: []int32{goal, 100 - goal}})
	}
	return t
}

// Forced returns, by position, the goals of the first role that are forced in finitely many joint
// moves of a game by turns whose goals add up to 100: the most that it can force itself, and the
// least that the other role can force it down to. They are the least and the greatest fixed point
// of backward induction.
func (t *Tree) Forced() [][2]float64 {
	v := make([][2]float64, len(t.Nodes))
	for i, n := range t.Nodes {
		if v[i] = [2]float64{0, 100}; len(n.Kids) == 0 {
			v[i] = [2]float64{float64(n.Goals[0]), float64(n.Goals[0])}
		}
	}
	for changed := true; changed; {
		changed = false
		for i, n := range t.Nodes {
			if len(n.Kids) == 0 {
				continue
			}
			best := v[n.Kids[0]]
			for _, kid := range n.Kids[1:] {
				for end, goal := range v[kid] {
					if n.Moves[1] > 1 {
						best[end] = min(best[end], goal)
					} else {
						best[end] = max(best[end], goal)
					}
				}
			}
			changed, v[i] = changed || best != v[i], best
		}
	}
	return v
}
