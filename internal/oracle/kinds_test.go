package oracle_test

// rareEvent drafts a game in which one move at each of many steps leads to an event at the end. Fewer than one in a thousand
// random games get there.
func rareEvent(d *draft) {
	steps := 8 + d.IntN(18)
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (step 0))")
	d.add("(init run)")
	moves := 2 + d.IntN(2)
	for i := range moves {
		d.add("(num %d)", i)
	}
	for i := range steps {
		d.add("(succ %d %d)", i, i+1)
	}
	d.add("(<= (legal x ?n) (num ?n))")
	d.add("(legal o noop)")
	d.add("(<= (next run) (true run) (does x %d))", d.IntN(moves))
	d.add("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))")
	if d.one(2) {
		d.add("(<= (next (mem ?n)) (does x ?n) (true (step %d)))", d.IntN(steps))
		d.add("(<= (next (mem ?n)) (true (mem ?n)))")
		d.add("(<= early (true (mem %d)))", d.IntN(moves))
	}
	d.add("(<= terminal (true (step %d)))", steps)
	d.add("(<= rare (true run) (true (step %d)))", steps)
	if d.one(2) {
		d.add("(<= (legal o a) (true (step %d)) (true run))", steps-1)
		if d.one(2) {
			d.add("(<= (next caught) (does o a))")
		}
	}
	x, o := among(d, 0, 100), 0
	o = 100 - x
	usual := "(not rare)"
	if d.one(3) {
		usual = "(not rare) (not early)"
		d.add("(<= (goal x 50) (not rare) early)")
		d.add("(<= (goal o 50) (not rare) early)")
		d.add("(<= early (true nothing))")
	}
	d.add("(<= (goal x %d) %s)", x, usual)
	d.add("(<= (goal o %d) %s)", o, usual)
	switch d.IntN(6) {
	case 0: // another sum
		d.add("(<= (goal x 0) rare)")
		d.add("(<= (goal o 50) rare)")
	case 1: // the sum stays, the other one wins
		d.add("(<= (goal x %d) rare)", o)
		d.add("(<= (goal o %d) rare)", x)
	case 2: // a role has no goal
		d.add("(<= (goal x 0) rare)")
	case 3: // two goals
		d.add("(<= (goal x 0) rare)")
		d.add("(<= (goal o 100) rare)")
		d.add("(<= (goal o 0) rare)")
	case 4: // a role has no move before
		d.add("(<= (goal x %d) rare)", o)
		d.add("(<= (goal o %d) rare)", x)
		d.lines = without(d.lines, "(legal o noop)")
		d.add("(<= (legal o noop) (not late))")
		d.add("(<= late (true run) (true (step %d)))", steps-1)
	case 5: // a move wins at the rare event only
		d.add("(<= (goal x 100) rare (true caught))")
		d.add("(<= (goal o 0) rare (true caught))")
		d.add("(<= (goal x %d) rare (not (true caught)))", x)
		d.add("(<= (goal o %d) rare (not (true caught)))", o)
	}
}

// levers drafts a turn-based game in which a few of many plies decide.
func levers(d *draft) {
	steps := 3 + d.IntN(22)
	d.add("(role white)")
	d.add("(role black)")
	d.add("(init (control white))")
	d.add("(<= (next (control black)) (true (control white)))")
	d.add("(<= (next (control white)) (true (control black)))")
	d.add("(<= (legal ?r a) (true (control ?r)))")
	d.add("(<= (legal ?r b) (true (control ?r)))")
	for i, role := range []string{"white", "black"} {
		other := []string{"black", "white"}[i]
		d.add("(<= (legal %s noop) (true (control %s)))", role, other)
		if d.one(3) {
			d.add("(<= (legal %s idle) (true (control %s)))", role, other)
		}
	}
	d.add("(init (step 0))")
	for i := range steps {
		d.add("(succ %d %d)", i, i+1)
	}
	d.add("(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))")
	d.add("(<= terminal (true (step %d)))", steps)
	first, last := d.IntN(steps), steps-1-d.IntN(min(2, steps))
	d.add("(<= (next (h %d)) (true (step %d)) (does ?r b))", first, first)
	if last != first {
		d.add("(<= (next (h %d)) (true (step %d)) (does ?r %s))", last, last, among(d, "a", "b", "noop"))
	}
	if d.one(2) {
		middle := d.IntN(steps)
		d.add("(<= (next (h %d)) (true (step %d)) (does ?r %s))", middle, middle, among(d, "a", "idle", "b"))
	}
	d.add("(<= (next (h ?n)) (true (h ?n)))")
	d.add("(<= lost (true (h %d)))", last)
	w := among(d, 0, 100)
	d.add("(<= (goal white %d) lost)", w)
	d.add("(<= (goal black %d) lost)", 100-w)
	v := among(d, 100, 0, 70)
	d.add("(<= (goal white %d) (not lost) (true (h %d)))", v, first)
	d.add("(<= (goal black %d) (not lost) (true (h %d)))", 100-v, first)
	d.add("(<= (goal white 50) (not lost) (not (true (h %d))))", first)
	d.add("(<= (goal black 50) (not lost) (not (true (h %d))))", first)
}

// jugs drafts a puzzle with counters that change by fixed amounts; it may have no solution, and may have no clock.
func jugs(d *draft) {
	size := 4 + d.IntN(5)
	d.add("(role robot)")
	d.add("(init (jug a 0))")
	d.add("(init (jug b %d))", d.IntN(size))
	clock := 0
	if d.one(2) {
		clock = 3 + d.IntN(8)
		d.add("(init (step 0))")
		for i := range clock {
			d.add("(tick %d %d)", i, i+1)
		}
		d.add("(<= (next (step ?n)) (true (step ?m)) (tick ?m ?n))")
		d.add("(<= terminal (true (step %d)))", clock)
	}
	for i, name := range []string{"up", "down"} {
		by := 1 + d.IntN(3)
		if i == 1 {
			by = size - by
		}
		for n := range size {
			if d.one(2) || n+by < size {
				d.add("(%s %d %d)", name, n, (n+by)%size)
			}
		}
		d.add("(<= (legal robot (%s ?j)) (true (jug ?j ?n)) (%s ?n ?m))", name, name)
		d.add("(<= (next (jug ?j ?m)) (does robot (%s ?j)) (true (jug ?j ?n)) (%s ?n ?m))", name, name)
		d.add("(<= (changed ?j) (does robot (%s ?j)))", name)
	}
	d.add("(<= (next (jug ?j ?n)) (true (jug ?j ?n)) (not (changed ?j)))")
	if d.one(2) {
		d.add("(legal robot wait)")
	} else {
		d.add("(<= (legal robot swap) (true (jug a ?n)) (true (jug b ?m)) (distinct ?n ?m))")
		d.add("(<= (legal robot rest) (true (jug a ?n)) (true (jug b ?n)))")
	}
	goal, second := d.IntN(size), d.IntN(size+1)
	d.add("(<= won (true (jug a %d)) (true (jug b %d)))", goal, second)
	if d.one(2) {
		d.add("(<= terminal won)")
	}
	if clock == 0 && d.one(2) {
		d.add("(<= terminal (true (jug b %d)) (true (jug a %d)))", d.IntN(size), d.IntN(size))
	} else if clock == 0 {
		d.add("(<= terminal (true (jug a %d)) (true (jug b %d)))", goal, second)
	}
	d.add("(<= (goal robot 100) won)")
	d.add("(<= (goal robot %d) (not won))", among(d, 0, 0, 25))
}

// walk drafts a game of a token on a graph with cycles and exits, moved by one player, by two in turn, or by both at once.
func walk(d *draft) {
	nodes := 3 + d.IntN(5)
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (at 0))")
	exits := 1 + d.IntN(2)
	for n := range nodes {
		for range 1 + d.IntN(3) {
			d.add("(edge %d %d)", n, d.IntN(nodes+exits))
		}
	}
	switch d.IntN(3) {
	case 0: // one moves
		d.add("(<= (legal x (go ?b)) (true (at ?a)) (edge ?a ?b))")
		d.add("(legal o wait)")
		d.add("(<= (next (at ?b)) (does x (go ?b)))")
	case 1: // turns
		d.add("(init (control x))")
		d.add("(<= (next (control o)) (true (control x)))")
		d.add("(<= (next (control x)) (true (control o)))")
		d.add("(<= (legal ?r (go ?b)) (true (control ?r)) (true (at ?a)) (edge ?a ?b))")
		d.add("(<= (legal x noop) (true (control o)))")
		d.add("(<= (legal o noop) (true (control x)))")
		d.add("(<= (next (at ?b)) (does ?r (go ?b)))")
	default: // the node determines the role to move
		for n := range nodes {
			d.add("(owner %d %s)", n, among(d, "x", "o"))
		}
		d.add("(<= (legal ?r (go ?b)) (true (at ?a)) (owner ?a ?r) (edge ?a ?b))")
		d.add("(<= (legal x noop) (true (at ?a)) (owner ?a o))")
		d.add("(<= (legal o noop) (true (at ?a)) (owner ?a x))")
		d.add("(<= (next (at ?b)) (does ?r (go ?b)))")
	}
	for e := nodes; e < nodes+exits; e++ {
		v := among(d, 100, 0, 60)
		d.add("(exit %d %d %d)", e, v, 100-v)
	}
	d.add("(<= terminal (true (at ?a)) (exit ?a ?v ?w))")
	d.add("(<= (goal x ?v) (true (at ?a)) (exit ?a ?v ?w))")
	d.add("(<= (goal o ?w) (true (at ?a)) (exit ?a ?v ?w))")
}

// repeatedMatrix drafts a sequence of matrix games; the result of each determines the next one, and the last result the goals.
func repeatedMatrix(d *draft) {
	rows, columns, rounds := 2+d.IntN(2), 2+d.IntN(2), 1+d.IntN(3)
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (state 0))")
	d.add("(init (round 0))")
	for i := range rounds {
		d.add("(succ %d %d)", i, i+1)
	}
	states := 2 + d.IntN(2)
	for s := range states {
		for r := range rows {
			for c := range columns {
				d.add("(table %d r%d c%d %d)", s, r, c, d.IntN(states))
			}
		}
		v := among(d, 0, 100, 50, 20, 85)
		d.add("(worth %d %d %d)", s, v, 100-v)
	}
	d.add("(<= (legal x ?r) (table ?s ?r ?c ?n))")
	d.add("(<= (legal o ?c) (table ?s ?r ?c ?n))")
	d.add("(<= (next (state ?n)) (true (state ?s)) (does x ?r) (does o ?c) (table ?s ?r ?c ?n))")
	d.add("(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))")
	if d.one(5) { // until a state is reached
		d.add("(<= terminal (true (state %d)))", states-1)
		d.lines = without(d.lines, "(init (round 0))")
	} else {
		d.add("(<= terminal (true (round %d)))", rounds)
	}
	d.add("(<= (goal x ?v) (true (state ?s)) (worth ?s ?v ?w))")
	d.add("(<= (goal o ?w) (true (state ?s)) (worth ?s ?v ?w))")
}

func without(lines []string, line string) (kept []string) {
	for _, l := range lines {
		if l != line {
			kept = append(kept, l)
		}
	}
	return kept
}

// joined drafts a game of two independent heaps.
func joined(d *draft) {
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (control x))")
	d.add("(<= (next (control o)) (true (control x)))")
	d.add("(<= (next (control x)) (true (control o)))")
	most := 0
	for _, h := range []string{"a", "b"} {
		n := 1 + d.IntN(4)
		most = max(most, n)
		d.add("(init (heap %s %d))", h, n)
	}
	for i := range most {
		d.add("(less %d 1 %d)", i+1, i)
		if i+2 <= most && d.one(2) {
			d.add("(less %d 2 %d)", i+2, i)
		}
	}
	d.add("(<= (legal ?r (take ?h ?k)) (true (control ?r)) (true (heap ?h ?n)) (less ?n ?k ?m))")
	d.add("(<= (legal x noop) (true (control o)))")
	d.add("(<= (legal o noop) (true (control x)))")
	d.add("(<= (next (heap ?h ?m)) (does ?r (take ?h ?k)) (true (heap ?h ?n)) (less ?n ?k ?m))")
	d.add("(<= (touched ?h) (does ?r (take ?h ?k)))")
	d.add("(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))")
	d.add("(<= terminal (true (heap a 0)) (true (heap b 0)))")
	loser, winner := "x", "o"
	if d.one(2) {
		loser, winner = winner, loser
	}
	d.add("(<= (goal %s 100) (true (control x)))", winner)
	d.add("(<= (goal %s 0) (true (control x)))", loser)
	d.add("(<= (goal %s 100) (true (control o)))", loser)
	d.add("(<= (goal %s 0) (true (control o)))", winner)
}

// symmetric drafts a game of marks on cells in a ring or a row; lines of marks win.
func symmetric(d *draft) {
	cells := 3 + d.IntN(3)
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (control x))")
	d.add("(other x o)")
	d.add("(other o x)")
	d.add("(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))")
	for i := range cells {
		d.add("(cell %d)", i)
		if i+1 < cells || d.one(2) {
			d.add("(beside %d %d)", i, (i+1)%cells)
			d.add("(beside %d %d)", (i+1)%cells, i)
		}
	}
	d.add("(<= (taken ?c) (true (mark ?c ?r)))")
	d.add("(<= (legal ?r (put ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))")
	d.add("(<= (legal ?r noop) (true (control ?s)) (other ?r ?s))")
	d.add("(<= (next (mark ?c ?r)) (does ?r (put ?c)))")
	d.add("(<= (next (mark ?c ?r)) (true (mark ?c ?r)))")
	d.add("(<= open (cell ?c) (not (taken ?c)))")
	if d.one(2) {
		d.add("(<= (line ?r) (true (mark ?a ?r)) (true (mark ?b ?r)) (beside ?a ?b))")
	} else {
		d.add("(<= (line ?r) (true (mark ?a ?r)) (true (mark ?b ?r)) (true (mark ?c ?r)) (beside ?a ?b) (beside ?b ?c) (distinct ?a ?c))")
	}
	d.add("(<= terminal (line ?r))")
	d.add("(<= terminal (not open))")
	d.add("(<= some (line ?r))")
	win := among(d, 100, 0)
	xWins, first := win, 50 // in a draw with a mark of x in the first cell
	switch d.IntN(6) {      // the goals alone break the symmetry
	case 0:
		xWins = among(d, 60, 30)
	case 1:
		first = among(d, 40, 70)
	}
	d.add("(<= (goal x %d) (line x))", xWins)
	d.add("(<= (goal o %d) (line x))", 100-xWins)
	d.add("(<= (goal o %d) (line o))", win)
	d.add("(<= (goal x %d) (line o))", 100-win)
	d.add("(<= (goal x %d) (not some) (true (mark 0 x)))", first)
	d.add("(<= (goal o %d) (not some) (true (mark 0 x)))", 100-first)
	d.add("(<= (goal ?r 50) (role ?r) (not some) (not (true (mark 0 x))))")
}
