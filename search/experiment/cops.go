package experiment

import "math/bits"

// copsAndRobber is the second domain of the paper: on a 4-connected grid a robber, who moves first and
// is MAX, and several cops, who move together and are MIN. Each moves to a neighbouring cell or stays.
// The game ends when a cop reaches the robber's cell; the score is the number of moves of either side
// until then. At the depth limit the score is the mean Manhattan distance between cops and robber.
type copsAndRobber struct {
	depth  int
	chosen float64 // probability of the chosen move; 0 means 1
	// steps: by cell, the reachable cells (north, east, south, west, stay).
	steps *[gridCells][]int8
}

const (
	gridSide  = 6
	gridCells = gridSide * gridSide
	cops      = 3
	gridGoal  = 12 // v_max of the paper: the longest way across the grid
)

// chase is a node. At a chance node, move is the number of the chosen move plus 1.
type chase struct {
	robber int8
	cops   [cops]int8
	made   int8 // number of moves so far
	move   int16
}

// newChase returns a random position with a share of the cells blocked.
func newChase(seed uint64, obstacles float64) (start chase, blocked uint64) {
	random := func(i int) int8 {
		cell, _ := bits.Mul64(mixed(seed, i), gridCells)
		return int8(cell)
	}
	i := 0
	for ; float64(bits.OnesCount64(blocked)) < obstacles*gridCells-0.5; i++ {
		blocked |= 1 << random(i)
	}
	free := func(other func(cell int8) bool) int8 {
		for ; ; i++ {
			if cell := random(i); blocked>>cell&1 == 0 && !other(cell) {
				i++
				return cell
			}
		}
	}
	start.robber = free(func(int8) bool { return false })
	for c := range start.cops {
		start.cops[c] = free(func(cell int8) bool { return cell == start.robber })
	}
	return start, blocked
}

// isCaught reports whether a cop is on the robber's cell.
func (n *chase) isCaught() bool {
	for _, c := range n.cops {
		if c == n.robber {
			return true
		}
	}
	return false
}

// distance returns the mean Manhattan distance between cops and robber.
func (n *chase) distance() float64 {
	sum := 0
	for _, c := range n.cops {
		sum += abs(int(c%gridSide)-int(n.robber%gridSide)) + abs(int(c/gridSide)-int(n.robber/gridSide))
	}
	return float64(sum) / cops
}

func abs(i int) int { return max(i, -i) }

// kindOf implements tree.
func (t *copsAndRobber) kindOf(n chase) (kind, float64) {
	switch {
	case n.move > 0:
		return chanceNode, 0
	case n.isCaught():
		return leafNode, float64(n.made)
	case int(n.made) == t.depth:
		return leafNode, n.distance()
	case n.made%2 == 0:
		return maxNode, 0
	}
	return minNode, 0
}

// children implements tree.
func (t *copsAndRobber) children(dst []chase, n chase) []chase {
	first := len(dst)
	chosen := n.move
	n.move = 0
	n.made++
	if n.made%2 == 1 {
		for _, c := range t.steps[n.robber] {
			dst = append(dst, chase{c, n.cops, n.made, 0})
		}
	} else {
		var to [cops][]int8
		for c := range to {
			to[c] = t.steps[n.cops[c]]
		}
		for _, a := range to[0] {
			for _, b := range to[1] {
				for _, c := range to[2] {
					dst = append(dst, chase{n.robber, [cops]int8{a, b, c}, n.made, 0})
				}
			}
		}
	}
	if t.chosen > 0 && chosen == 0 { // one chance node for each move
		n.made--
		for i := range dst[first:] {
			n.move = int16(i + 1)
			dst[first+i] = n
		}
	}
	return dst
}

// weight implements tree.
func (t *copsAndRobber) weight(n chase, i, of int) float64 {
	return slip(t.chosen, int(n.move)-1, i, of)
}

// stepsAround returns the steps on a grid with blocked cells.
func stepsAround(blocked uint64) *[gridCells][]int8 {
	steps := new([gridCells][]int8)
	for cell := range steps {
		x, y := cell%gridSide, cell/gridSide
		for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {0, 0}} {
			to := (y+d[1])*gridSide + x + d[0]
			if u := x + d[0]; u >= 0 && u < gridSide && to >= 0 && to < gridCells && blocked>>to&1 == 0 {
				steps[cell] = append(steps[cell], int8(to))
			}
		}
	}
	return steps
}
