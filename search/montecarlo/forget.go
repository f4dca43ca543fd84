package montecarlo

// When memory is full and there is no waste, rarely visited leaves are evicted; their goals stay in the
// sums of the nodes above. A hand circles over all nodes, so a new leaf has a whole turn to be visited
// again (clock algorithm; Corbató, 1968). Leaves with proved bounds and leaves with pending paths are
// kept.
//
// Cost: at most forgetTries inspected nodes for each added leaf.

// forgetTries is the maximum number of inspected nodes for one eviction.
const forgetTries = 64

// forget evicts a leaf and adds it to the bare list. It reports whether it found one.
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

// maxIdle bounds the idle threshold.
const maxIdle = 1 << 20
