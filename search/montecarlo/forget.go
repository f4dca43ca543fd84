package montecarlo

// Where memory is full and nothing is waste, leaves that few paths have come to are forgotten:
// what they brought stays in the sums of the nodes before them. A hand goes round all nodes, so
// a leaf that is new has the time of a whole round to be come by again (as pages have by the
// clock algorithm; Corbató, 1968). Leaves of which anything is proved are kept, and those that
// paths are on their way to.
//
// Cost: forgetTries nodes are looked at for each leaf that is added.

// forgetTries bounds the nodes that are looked at for one to forget.
const forgetTries = 64

// forget frees a leaf and makes it bare, and tells whether it has found one.
func (t *tree) forget() bool {
	for range min(forgetTries, int(t.fresh)) {
		if t.hand++; t.hand >= t.fresh {
			t.hand, t.idle = 0, t.idle/2
		}
		n := t.hand
		a := t.at(n)
		if a.in == none || a.out != none || n == t.root || a.done == 0 || a.visits != a.done || a.done > t.idle+1 || a.bounded {
			continue
		}
		for a.in != none {
			t.cut(a.in)
		}
		if t.shares {
			t.remove(n)
		}
		t.strip(n)
		t.at(n).next, t.bare = t.bare, n
		return true
	}
	t.idle = min(2*t.idle+1, maxIdle)
	return false
}

// maxIdle bounds the paths to a leaf that is forgotten, less one.
const maxIdle = 1 << 20
