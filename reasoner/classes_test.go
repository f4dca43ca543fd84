package reasoner_test

import (
	"fmt"
	"strings"
)

// A class is a kind of rules that is hard to ground, with rulesheets of three sizes.
type class struct {
	name  string
	write func(size int) string
	sizes [3]int
}

var classes = []class{
	{"counting along a path", pathCount, [3]int{30, 60, 120}},
	{"counting around a loop", loopCount, [3]int{30, 60, 120}},
	{"exactly one of many", exactlyOne, [3]int{5, 7, 9}},
	{"race", race, [3]int{60, 120, 250}},
	{"race on a plane", planeRace, [3]int{12, 24, 40}},
	{"connection", connection, [3]int{9, 13, 19}},
	{"connection of pairs", pairConnection, [3]int{5, 9, 13}},
	{"transitive connection", transitiveConnection, [3]int{4, 7, 9}},
	{"groups", groups, [3]int{4, 9, 13}},
	{"flood", flood, [3]int{6, 14, 20}},
	{"shared attribute", sharedAttribute, [3]int{3, 4, 5}},
	{"threats", threats, [3]int{4, 6, 8}},
	{"three-part moves", threePartMoves, [3]int{6, 8, 10}},
	{"minefield", minefield, [3]int{6, 10, 16}},
	{"sowing", sowing, [3]int{4, 6, 8}},
	{"bidding of many", auction, [3]int{3, 5, 8}},
}

// sheet collects the text of a rulesheet.
type sheet struct{ strings.Builder }

func (s *sheet) add(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// numbers adds (number 0) … (number n) and (succ 0 1) … up to n.
func (s *sheet) numbers(n int) {
	for i := range n + 1 {
		s.add("(number %d)", i)
		if i > 0 {
			s.add("(succ %d %d)", i-1, i)
		}
	}
}

// turns adds roles white and black that alternate, white first.
func (s *sheet) turns() {
	s.add(`(role white) (role black) (init (control white))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))`)
}

// ending ends a game with (won role) or with (full).
func (s *sheet) ending() {
	s.add(`(opponent white black) (opponent black white)
(<= (goal ?r 100) (won ?r))
(<= (goal ?r 0) (opponent ?r ?q) (won ?q))
(<= (goal ?r 50) (role ?r) (not decided))
(<= decided (won ?r))
(<= terminal (won ?r))
(<= terminal full)`)
}

// stones adds the moves (put place) and the fluents (stone place role).
func (s *sheet) stones(places int) {
	for i := range places {
		s.add("(place %d)", i)
	}
	s.add(`(<= (legal ?r (put ?p)) (true (control ?r)) (place ?p) (not (taken ?p)))
(<= (taken ?p) (true (stone ?p ?r)))
(<= (next (stone ?p ?r)) (does ?r (put ?p)))
(<= (next (stone ?p ?r)) (true (stone ?p ?r)))
(<= free (place ?p) (not (taken ?p)))
(<= full (not free))`)
}

// pathCount counts the stones along a fixed path of 20 places; numbers go up to n.
func pathCount(n int) string {
	const places = 20
	s := &sheet{}
	s.turns()
	s.numbers(n)
	s.stones(places)
	for i := range places - 1 {
		s.add("(after %d %d)", i, i+1)
	}
	s.add(`(<= (count ?p ?w1 ?b1 ?w ?b) (true (stone ?p white)) (after ?p ?q) (succ ?w1 ?w2) (count ?q ?w2 ?b1 ?w ?b))
(<= (count ?p ?w1 ?b1 ?w ?b) (true (stone ?p black)) (after ?p ?q) (succ ?b1 ?b2) (count ?q ?w1 ?b2 ?w ?b))
(<= (count ?p ?w1 ?b1 ?w ?b) (place ?p) (not (taken ?p)) (after ?p ?q) (count ?q ?w1 ?b1 ?w ?b))
(<= (count %d ?w ?b ?w ?b) (number ?w) (number ?b))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= (won white) full (count 0 0 0 ?w ?b) (less ?b ?w))
(<= (won black) full (count 0 0 0 ?w ?b) (less ?w ?b))`, places-1)
	s.ending()
	return s.String()
}

// loopCount returns a game of counting around a closed path of stones: a line leads from each place to the
// next place or the place after it.
func loopCount(n int) string {
	const places = 20
	s := &sheet{}
	s.turns()
	s.numbers(n)
	for i := range places {
		s.add("(place %d) (init (empty %d)) (near %d %d) (far %d %d)", i, i, i, (i+1)%places, i, (i+2)%places)
	}
	s.add(`(<= (legal ?r (link ?p near)) (true (control ?r)) (true (empty ?p)))
(<= (legal ?r (link ?p far)) (true (control ?r)) (true (empty ?p)))
(<= (next (empty ?p)) (true (empty ?p)) (not (linked ?p)))
(<= (linked ?p) (does ?r (link ?p ?d)))
(<= (next (line ?p ?q ?r)) (does ?r (link ?p near)) (near ?p ?q))
(<= (next (line ?p ?q ?r)) (does ?r (link ?p far)) (far ?p ?q))
(<= (next (line ?p ?q ?r)) (true (line ?p ?q ?r)))
(<= (count_loop ?s ?p ?w1 ?b1 ?w ?b) (true (line ?p ?q white)) (distinct ?p ?s) (succ ?w1 ?w2) (count_loop ?s ?q ?w2 ?b1 ?w ?b))
(<= (count_loop ?s ?p ?w1 ?b1 ?w ?b) (true (line ?p ?q black)) (distinct ?p ?s) (succ ?b1 ?b2) (count_loop ?s ?q ?w1 ?b2 ?w ?b))
(<= (count_loop ?s ?s ?w ?b ?w ?b) (place ?s) (number ?w) (number ?b))
(<= (around ?w ?b) (true (line 0 ?q white)) (count_loop 0 ?q 1 0 ?w ?b))
(<= (around ?w ?b) (true (line 0 ?q black)) (count_loop 0 ?q 0 1 ?w ?b))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= open (true (empty ?p)))
(<= full (not open))
(<= (won white) (around ?w ?b) (less ?b ?w))
(<= (won black) (around ?w ?b) (less ?w ?b))`)
	s.ending()
	return s.String()
}

// exactlyOne asks of n variables over n digits whether exactly one equals a digit.
func exactlyOne(n int) string {
	s := &sheet{}
	s.turns()
	var free, all []string
	for i := range n {
		s.add("(digit %d) (variable %d) (init (value %d 0)) (hidden %d)", i+1, i, i, i%n+1)
		free = append(free, fmt.Sprintf("?v%d", i))
		all = append(all, fmt.Sprintf("(true (value %d ?v%d))", i, i))
	}
	s.add("(digit 0)")
	for i := range n {
		s.add("(<= (exactly_one ?z %s) (digit ?z)", strings.Join(free, " "))
		for j := range n {
			s.add("(digit ?v%d)", j)
			if i == j {
				s.add("(not (distinct ?v%d ?z))", j)
			} else {
				s.add("(distinct ?v%d ?z)", j)
			}
		}
		s.add(")")
	}
	s.add(`(<= (legal ?r (set ?i ?z)) (true (control ?r)) (variable ?i) (true (value ?i 0)) (hidden ?z))
(<= (changed ?i) (does ?r (set ?i ?z)))
(<= (next (value ?i ?z)) (does ?r (set ?i ?z)))
(<= (next (value ?i ?z)) (true (value ?i ?z)) (not (changed ?i)))
(<= (once ?z) (hidden ?z) %s (exactly_one ?z %s))
(<= open (true (value ?i 0)))
(<= full (not open))
(<= failed (hidden ?z) (not (once ?z)))
(<= (won white) full (not failed))
(<= (won black) full failed)`, strings.Join(all, " "), strings.Join(free, " "))
	s.ending()
	return s.String()
}

// race returns a race over n places in which the speed changes by at most 2, or to zero.
func race(n int) string {
	const fastest = 30
	s := &sheet{}
	s.add("(role red) (role blue)")
	s.numbers(n)
	for v := range fastest + 1 {
		s.add("(speed %d)", v)
		for w := range fastest + 1 {
			if w == 0 || v-2 <= w && w <= v+2 {
				s.add("(change %d %d)", v, w)
			}
		}
		for p := range n + 1 {
			s.add("(sum %d %d %d)", p, v, min(n, p+v))
		}
	}
	for p := 5; p < n; p += 11 {
		s.add("(bend %d %d)", p, 3+p%7)
	}
	s.add(`(init (at red 0 0)) (init (at blue 0 0)) (init (time 0))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= (legal_speed ?p ?v ?landing) (number ?p) (speed ?v) (sum ?p ?v ?landing) (not (flies ?p ?v ?landing)))
(<= (flies ?p ?v ?landing) (sum ?p ?v ?landing) (bend ?b ?most) (less ?p ?b) (less ?b ?landing) (less ?most ?v))
(<= (legal ?r (drive ?v ?landing)) (true (at ?r ?p ?u)) (change ?u ?v) (legal_speed ?p ?v ?landing))
(<= (next (at ?r ?landing ?v)) (does ?r (drive ?v ?landing)))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= (ahead ?r ?q) (true (at ?r ?p ?v)) (true (at ?q ?o ?w)) (less ?o ?p))
(<= (goal ?r 100) (role ?r) (role ?q) (ahead ?r ?q))
(<= (goal ?r 0) (role ?r) (role ?q) (ahead ?q ?r))
(<= even (true (at red ?p ?v)) (true (at blue ?p ?w)))
(<= (goal ?r 50) (role ?r) even)
(<= terminal (true (at ?r %d ?v)))
(<= terminal (true (time %d)))`, n, n)
	return s.String()
}

// planeRace returns a race on a track through a plane of numbers from -n to n, with sums by recursion: the
// speed in both directions changes by 1 at most.
func planeRace(n int) string {
	s := &sheet{}
	s.add("(role red) (role blue) (role green)")
	number := func(i int) string { return strings.Replace(fmt.Sprintf("p%d", i), "p-", "n", 1) }
	for i := -n; i <= n; i++ {
		s.add("(number %s)", number(i))
		if i < n {
			s.add("(succ %s %s)", number(i), number(i+1))
		}
		for k := i/2 - 3; k <= i/2+3 && i >= 0; k++ {
			s.add("(track %s %s)", number(i), number(k))
		}
	}
	for i, r := range []string{"red", "blue", "green"} {
		s.add("(init (x %s p0)) (init (y %s %s)) (init (dx %s p0)) (init (dy %s p0))", r, r, number(i-1), r, r)
	}
	s.add(`(init (time p0))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= (near ?v ?v) (number ?v))
(<= (near ?v ?w) (succ ?v ?w))
(<= (near ?v ?w) (succ ?w ?v))
(<= (sum ?a p0 ?a) (number ?a))
(<= (sum ?a ?b ?c) (less p0 ?b) (succ ?d ?b) (succ ?a ?e) (sum ?e ?d ?c))
(<= (sum ?a ?b ?c) (less ?b p0) (succ ?b ?d) (succ ?e ?a) (sum ?e ?d ?c))
(<= (can ?r ?v ?w) (true (dx ?r ?s)) (true (dy ?r ?t)) (true (x ?r ?p)) (true (y ?r ?q)) (near ?s ?v) (near ?t ?w)
  (less n1 ?v) (or (distinct ?v p0) (distinct ?w p0)) (sum ?p ?v ?x) (sum ?q ?w ?y) (track ?x ?y))
(<= (legal ?r (speed ?v ?w)) (can ?r ?v ?w))
(<= (moves ?r) (can ?r ?v ?w))
(<= (legal ?r stand) (role ?r) (not (moves ?r)))
(<= (next (dx ?r ?v)) (does ?r (speed ?v ?w)))
(<= (next (dy ?r ?w)) (does ?r (speed ?v ?w)))
(<= (next (x ?r ?x)) (does ?r (speed ?v ?w)) (true (x ?r ?p)) (sum ?p ?v ?x))
(<= (next (y ?r ?y)) (does ?r (speed ?v ?w)) (true (y ?r ?q)) (sum ?q ?w ?y))
(<= (next (dx ?r p0)) (does ?r stand))
(<= (next (dy ?r p0)) (does ?r stand))
(<= (next (x ?r ?x)) (does ?r stand) (true (x ?r ?x)))
(<= (next (y ?r ?y)) (does ?r stand) (true (y ?r ?y)))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= (home ?r) (true (x ?r %s)))
(<= (goal ?r 100) (home ?r))
(<= (goal ?r 0) (role ?r) (not (home ?r)))
(<= terminal (home ?r))
(<= terminal (true (time %s)))`, number(n), number(n))
	return s.String()
}

// sowing returns a game of sowing with n pits a side and 3 seeds in each: seeds are sown around the board,
// and seeds in a house count.
func sowing(n int) string {
	s := &sheet{}
	s.turns()
	seeds := 6 * n
	s.numbers(seeds)
	pits := 2*n + 2
	for i := range pits {
		s.add("(after %d %d)", i, (i+1)%pits)
		switch {
		case i == n:
			s.add("(house white %d) (init (pit %d 0))", i, i)
		case i == pits-1:
			s.add("(house black %d) (init (pit %d 0))", i, i)
		case i < n:
			s.add("(of white %d) (init (pit %d 3))", i, i)
		default:
			s.add("(of black %d) (init (pit %d 3))", i, i)
		}
	}
	s.add(`(init (time 0))
(<= (legal ?r (sow ?p)) (true (control ?r)) (of ?r ?p) (true (pit ?p ?n)) (distinct ?n 0))
(<= (can ?r) (of ?r ?p) (true (pit ?p ?n)) (distinct ?n 0))
(<= (legal ?r pass) (true (control ?r)) (not (can ?r)))
(<= (sown ?q ?n) (does ?r (sow ?p)) (true (pit ?p ?n)) (after ?p ?q))
(<= (sown ?q ?n) (sown ?p ?m) (succ ?n ?m) (distinct ?n 0) (after ?p ?q))
(<= (gets ?q) (sown ?q ?n))
(<= (taken ?p) (does ?r (sow ?p)))
(<= (next (pit ?p 0)) (taken ?p) (not (gets ?p)))
(<= (next (pit ?p 1)) (taken ?p) (gets ?p))
(<= (next (pit ?p ?n)) (true (pit ?p ?n)) (not (taken ?p)) (not (gets ?p)))
(<= (next (pit ?p ?n)) (true (pit ?p ?m)) (not (taken ?p)) (gets ?p) (succ ?m ?n))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= (score ?r ?n) (house ?r ?p) (true (pit ?p ?n)))
(<= full (true (time %d)))
(<= (won white) full (score white ?m) (score black ?n) (less ?n ?m))
(<= (won black) full (score white ?m) (score black ?n) (less ?m ?n))`, seeds)
	s.ending()
	return s.String()
}

// auction returns a game of n roles that bid from their money. The sum of the bids decides the winner.
func auction(n int) string {
	const money = 20
	s := &sheet{}
	s.numbers(n * money)
	for r := range n {
		s.add("(role r%d) (init (has r%d %d)) (init (sum r%d 0))", r, r, money, r)
		if r > 0 {
			s.add("(after r%d r%d)", r-1, r)
		}
	}
	s.add(`(init (time 0))
(<= (plus ?n 0 ?n) (number ?n))
(<= (plus ?n ?m ?k) (plus ?n ?l ?j) (succ ?l ?m) (succ ?j ?k))
(<= (atmost ?n ?n) (number ?n))
(<= (atmost ?n ?k) (atmost ?n ?m) (succ ?m ?k))
(<= (legal ?r (bid ?n)) (true (has ?r ?m)) (atmost ?n ?m))
(<= (total r0 ?n) (does r0 (bid ?n)))
(<= (total ?r ?k) (after ?q ?r) (total ?q ?n) (does ?r (bid ?m)) (plus ?n ?m ?k))
(<= (next (has ?r ?k)) (true (has ?r ?n)) (does ?r (bid ?m)) (plus ?m ?k ?n))
(<= (next (sum ?r ?k)) (true (sum ?r ?n)) (does ?r (bid ?m)) (plus ?n ?m ?k))
(<= (next (all ?k)) (total r%d ?k))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= (beaten ?r) (true (sum ?r ?n)) (true (sum ?q ?m)) (distinct ?n ?m) (atmost ?n ?m))
(<= (goal ?r 100) (role ?r) (not (beaten ?r)) (true (all ?k)) (atmost 3 ?k))
(<= (goal ?r 40) (role ?r) (not (beaten ?r)) (true (all ?k)) (not (atmost 3 ?k)))
(<= (goal ?r 0) (beaten ?r))
(<= terminal (true (time 6)))`, n-1)
	return s.String()
}
