package oracle_test

import "fmt"

// steps writes a counter of n steps, at which the game ends; its numbers may be nested terms.
func (d *draft) steps(n int) (number func(i int) string) {
	number = func(i int) string { return fmt.Sprint(i) }
	if d.one(4) {
		number = func(i int) string {
			s := "z"
			for range i {
				s = "(s " + s + ")"
			}
			return s
		}
	}
	d.add("(init (step %s))", number(0))
	for i := range n {
		d.add("(succ %s %s)", number(i), number(i+1))
	}
	d.add("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))")
	d.add("(<= terminal (true (step %s)))", number(n))
	return number
}

// lock drafts a puzzle in which at most one sequence of moves opens a lock.
func lock(d *draft) {
	n, keys := 6+d.IntN(14), 2+d.IntN(2)
	d.add("(role robot)")
	number := d.steps(n)
	d.add("(init run)")
	for k := range keys {
		d.add("(key %d)", k)
	}
	broken := -1
	if d.one(3) {
		broken = d.IntN(n)
	}
	for i := range n {
		if i != broken {
			d.add("(secret %s %d)", number(i), d.IntN(keys))
		}
	}
	d.add("(<= (legal robot (press ?k)) (key ?k))")
	d.add("(<= (next run) (true run) (true (step ?n)) (secret ?n ?k) (does robot (press ?k)))")
	if d.one(2) {
		d.add("(<= (next late) (true (step %s)) (does robot (press 0)))", number(d.IntN(n)))
		d.add("(<= (next late) (true late))")
		d.add("(<= (goal robot 50) (not (true run)) (true late))")
		d.add("(<= (goal robot 0) (not (true run)) (not (true late)))")
	} else {
		d.add("(<= (goal robot 0) (not (true run)))")
	}
	d.add("(<= (goal robot 100) (true run))")
}

// circuit writes relations over bits, each a random function of two earlier ones, and returns the last.
func (d *draft) circuit(bits []string, gates int) string {
	signals := append([]string{}, bits...)
	for g := range gates {
		name := fmt.Sprintf("g%d", g)
		a, b := signals[d.IntN(len(signals))], signals[len(signals)-1-d.IntN(min(len(signals), 3))]
		switch d.IntN(3) {
		case 0:
			d.add("(<= %s %s %s)", name, a, b)
		case 1:
			d.add("(<= %s (or %s (not %s)))", name, a, b)
		default:
			d.add("(<= %s %s (not %s))", name, a, b)
			d.add("(<= %s (not %s) %s)", name, a, b)
		}
		signals = append(signals, name)
	}
	return signals[len(signals)-1]
}

// formula drafts a game in which bits are written one by one, and a circuit over them decides at the end: a puzzle, a game of two
// writers in turn, or a guess of one player against the other.
func formula(d *draft) {
	n, players := 3+d.IntN(4), 1+d.IntN(2)
	roles := []string{"x", "o"}[:players]
	for _, r := range roles {
		d.add("(role %s)", r)
	}
	number := d.steps(n)
	var bits []string
	for i := range n {
		bits = append(bits, fmt.Sprintf("(true (one %s))", number(i)))
		d.add("(turn %s %s)", number(i), roles[d.IntN(players)])
	}
	d.add("(<= (legal ?r (write ?b)) (true (step ?n)) (turn ?n ?r) (bit ?b))")
	d.add("(bit 0)")
	d.add("(bit 1)")
	if players == 2 {
		d.add("(<= (legal ?r noop) (role ?r) (true (step ?n)) (not (turn ?n ?r)))")
		if d.one(2) {
			d.add("(<= (legal x idle) (true (step ?n)) (turn ?n o))")
		}
		if d.one(3) {
			d.add("(<= (next (one %s)) (true (step %s)) (does x idle))", number(0), number(d.IntN(n)))
		}
	}
	d.add("(<= (next (one ?n)) (true (step ?n)) (does ?r (write 1)))")
	d.add("(<= (next (one ?n)) (true (one ?n)))")
	d.add("(<= won %s)", d.circuit(bits, 4+d.IntN(8)))
	d.add("(<= half %s)", bits[d.IntN(len(bits))])
	w, h, l := among(d, 100, 0), among(d, 50, 30, 0), among(d, 0, 20, 100)
	for i, r := range roles {
		of := func(v int) int {
			if i == 1 {
				return 100 - v
			}
			return v
		}
		d.add("(<= (goal %s %d) won)", r, of(w))
		d.add("(<= (goal %s %d) (not won) half)", r, of(h))
		d.add("(<= (goal %s %d) (not won) (not half))", r, of(l))
	}
}

// scores drafts a symmetric game of simultaneous rounds that score points; it may go on until one player is ahead.
func scores(d *draft) {
	d.add("(role x)")
	d.add("(role o)")
	moves := []string{"a", "b", "c"}[:2+d.IntN(2)]
	most := 1 + d.IntN(2)
	for s := -most; s < most; s++ {
		d.add("(up n%d n%d)", s+most, s+1+most)
	}
	d.add("(init (lead n%d))", most)
	for _, m := range moves {
		d.add("(move %s)", m)
	}
	for i, m := range moves {
		for j, other := range moves {
			if i != j && d.one(2) || j == (i+1)%len(moves) {
				d.add("(beats %s %s)", m, other)
			}
		}
	}
	d.add("(<= (legal ?r ?m) (role ?r) (move ?m))")
	d.add("(<= ahead (does x ?m) (does o ?k) (beats ?m ?k) (not (both ?m ?k)))")
	d.add("(<= behind (does x ?m) (does o ?k) (beats ?k ?m) (not (both ?m ?k)))")
	d.add("(<= (both ?m ?k) (beats ?m ?k) (beats ?k ?m))")
	d.add("(<= (next (lead ?t)) (true (lead ?s)) ahead (up ?s ?t))")
	d.add("(<= (next (lead ?t)) (true (lead ?s)) behind (up ?t ?s))")
	d.add("(<= (next (lead ?s)) (true (lead ?s)) (not ahead) (not behind))")
	if !d.one(3) {
		d.steps(1 + d.IntN(4))
	}
	d.add("(<= terminal (true (lead n0)))")
	d.add("(<= terminal (true (lead n%d)))", 2*most)
	even := among(d, 50, 50, 50, 70) // the goals alone may break the symmetry
	for s := 0; s <= 2*most; s++ {
		v := even
		if s != most {
			v = 100 * s / (2 * most)
		}
		d.add("(<= (goal x %d) (true (lead n%d)))", v, s)
		d.add("(<= (goal o %d) (true (lead n%d)))", 100-v, s)
	}
}

// connection drafts a game of marks on a grid of two rows: the player who connects both ends wins, or loses.
func connection(d *draft) {
	columns := 2 + d.IntN(2)
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (control x))")
	d.add("(<= (next (control o)) (true (control x)))")
	d.add("(<= (next (control x)) (true (control o)))")
	var cells []string
	for r := range 2 {
		for c := range columns {
			cells = append(cells, fmt.Sprintf("c%d%d", r, c))
			d.add("(cell c%d%d)", r, c)
			if c > 0 {
				d.add("(adjacent c%d%d c%d%d)", r, c-1, r, c)
				d.add("(adjacent c%d%d c%d%d)", r, c, r, c-1)
			}
			if r == 1 && !d.one(4) {
				d.add("(adjacent c0%d c1%d)", c, c)
				d.add("(adjacent c1%d c0%d)", c, c)
			}
		}
	}
	d.add("(<= (used ?c) (true (mark ?c ?r)))")
	d.add("(<= (legal ?r ?c) (true (control ?r)) (cell ?c) (not (used ?c)))")
	d.add("(<= (legal x noop) (true (control o)))")
	d.add("(<= (legal o noop) (true (control x)))")
	d.add("(<= (next (mark ?c ?r)) (does ?r ?c) (distinct ?c noop))")
	d.add("(<= (next (mark ?c ?r)) (true (mark ?c ?r)))")
	d.add("(<= (reach ?c) (true (mark ?c x)) (or (distinct ?c %s) (not full)) (left ?c))", cells[0])
	d.add("(left c00)")
	d.add("(left c10)")
	d.add("(<= (reach ?d) (reach ?c) (adjacent ?c ?d) (true (mark ?d x)))")
	d.add("(<= free (cell ?c) (not (used ?c)))")
	d.add("(<= full (not free))")
	d.add("(<= joins (reach c0%d))", columns-1)
	d.add("(<= joins (reach c1%d))", columns-1)
	d.add("(<= terminal full)")
	if d.one(2) {
		d.add("(<= terminal joins)")
	}
	w := among(d, 100, 0)
	d.add("(<= (goal x %d) joins)", w)
	d.add("(<= (goal o %d) joins)", 100-w)
	d.add("(<= (goal x %d) (not joins))", 100-w)
	d.add("(<= (goal o %d) (not joins))", w)
}

// points drafts a game of two independent heaps; the player who takes the last counter of a heap gets its points.
func points(d *draft) {
	d.add("(role x)")
	d.add("(role o)")
	d.add("(init (control x))")
	d.add("(<= (next (control o)) (true (control x)))")
	d.add("(<= (next (control x)) (true (control o)))")
	heaps := []string{"a", "b", "c"}[:2+d.IntN(2)]
	most := 0
	for _, h := range heaps {
		n := 1 + d.IntN(3)
		most = max(most, n)
		d.add("(init (heap %s %d))", h, n)
	}
	for i := range most {
		for k := 1; k <= min(i+1, 2); k++ {
			if k == 1 || d.one(2) {
				d.add("(less %d %d %d)", i+1, k, i+1-k)
			}
		}
	}
	d.add("(<= (legal ?r (take ?h ?k)) (true (control ?r)) (true (heap ?h ?n)) (less ?n ?k ?m))")
	d.add("(<= (legal x noop) (true (control o)))")
	d.add("(<= (legal o noop) (true (control x)))")
	if d.one(3) {
		d.add("(<= (legal o pass) (true (control o)))")
		d.add("(<= (next (control x)) (does o pass))")
	}
	d.add("(<= (next (heap ?h ?m)) (does ?r (take ?h ?k)) (true (heap ?h ?n)) (less ?n ?k ?m))")
	d.add("(<= (touched ?h) (does ?r (take ?h ?k)))")
	d.add("(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))")
	d.add("(<= (next (won ?h ?r)) (does ?r (take ?h ?k)) (true (heap ?h ?n)) (less ?n ?k 0))")
	d.add("(<= (next (won ?h ?r)) (true (won ?h ?r)))")
	d.add("(<= open (true (heap ?h ?n)) (distinct ?n 0))")
	d.add("(<= terminal (not open))")
	worth := []int{50, 30, 20}
	if len(heaps) == 2 {
		worth = among(d, []int{50, 50}, []int{70, 30})
	}
	for mask := range 1 << len(heaps) {
		body, sum := "", 0
		for i, h := range heaps {
			winner := "o"
			if mask>>i&1 != 0 {
				winner = "x"
				sum += worth[i]
			}
			body += fmt.Sprintf(" (true (won %s %s))", h, winner)
		}
		d.add("(<= (goal x %d)%s)", sum, body)
		d.add("(<= (goal o %d)%s)", 100-sum, body)
	}
}
