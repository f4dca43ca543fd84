package reasoner_test

import (
	"fmt"
	"strings"
)

// hexagons and squares are the steps to the neighbours of a place.
var (
	hexagons = [][2]int{{1, 0}, {0, 1}, {1, -1}, {-1, 0}, {0, -1}, {-1, 1}}
	squares  = [][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
)

// neighbours adds (adjacent place place) on n×n.
func (s *sheet) neighbours(n int, steps [][2]int) {
	for p := range n * n {
		for _, d := range steps {
			if u, v := p%n+d[0], p/n+d[1]; u >= 0 && v >= 0 && u < n && v < n {
				s.add("(adjacent %d %d)", p, v*n+u)
			}
		}
	}
}

// connecting adds a game of connecting two sides of an n×n board of hexagons, without the rules that define a
// connection.
func (s *sheet) connecting(n int) {
	s.turns()
	s.stones(n * n)
	s.neighbours(n, hexagons)
	for i := range n {
		s.add("(side white %d) (goalside white %d) (side black %d) (goalside black %d)", i*n, i*n+n-1, i, n*n-n+i)
	}
	s.ending()
}

// connection adds the rules that compute the cells reached from a side.
func connection(n int) string {
	s := &sheet{}
	s.connecting(n)
	s.add(`(<= (reached ?r ?p) (side ?r ?p) (true (stone ?p ?r)))
(<= (reached ?r ?q) (reached ?r ?p) (adjacent ?p ?q) (true (stone ?q ?r)))
(<= (won ?r) (reached ?r ?p) (goalside ?r ?p))`)
	return s.String()
}

// pairConnection asks which two places are connected.
func pairConnection(n int) string {
	s := &sheet{}
	s.connecting(n)
	s.add(`(<= (connected ?r ?p ?q) (true (stone ?p ?r)) (adjacent ?p ?q) (true (stone ?q ?r)))
(<= (connected ?r ?p ?q) (connected ?r ?p ?o) (adjacent ?o ?q) (true (stone ?q ?r)))
(<= (won ?r) (side ?r ?p) (goalside ?r ?q) (connected ?r ?p ?q))`)
	return s.String()
}

// transitiveConnection says that two places are connected if both are with a third.
func transitiveConnection(n int) string {
	s := &sheet{}
	s.connecting(n)
	s.add(`(<= (connected ?r ?p ?q) (true (stone ?p ?r)) (adjacent ?p ?q) (true (stone ?q ?r)))
(<= (connected ?r ?p ?q) (place ?o) (connected ?r ?p ?o) (connected ?r ?o ?q))
(<= (won ?r) (side ?r ?p) (goalside ?r ?q) (connected ?r ?p ?q))`)
	return s.String()
}

// groups returns a game of capturing groups of stones without liberties on n×n.
func groups(n int) string {
	s := &sheet{}
	s.turns()
	s.neighbours(n, squares)
	for p := range n * n {
		s.add("(init (empty %d))", p)
	}
	s.numbers(2 * n * n)
	s.add(`(init (time 0))
(<= (legal ?r (put ?p)) (true (control ?r)) (true (empty ?p)))
(<= (legal ?r pass) (true (control ?r)))
(<= (filled ?p) (does ?r (put ?p)))
(<= (free ?p) (true (empty ?p)) (not (filled ?p)))
(<= (stone ?p ?r) (true (at ?p ?r)))
(<= (stone ?p ?r) (does ?r (put ?p)))
(<= (group ?p ?p) (stone ?p ?r))
(<= (group ?p ?q) (group ?p ?o) (adjacent ?o ?q) (stone ?p ?r) (stone ?q ?r))
(<= (alive ?p) (group ?p ?q) (adjacent ?q ?o) (free ?o))
(<= (dead ?p ?r) (stone ?p ?r) (not (alive ?p)))
(<= capture (dead ?p ?r) (not (true (control ?r))))
(<= (taken ?p) (dead ?p ?r) (not (true (control ?r))))
(<= (taken ?p) (dead ?p ?r) (not capture))
(<= (next (at ?p ?r)) (stone ?p ?r) (not (taken ?p)))
(<= (next (empty ?p)) (free ?p))
(<= (next (empty ?p)) (taken ?p))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= full (true (time %d)))
(<= (won ?r) full (true (at %d ?r)))`, 2*n*n, n*n/2)
	s.ending()
	return s.String()
}

// flood returns a puzzle: to fill the region of a corner with colours until it covers the board.
func flood(n int) string {
	const colours = 5
	s := &sheet{}
	s.add("(role robot) (init (time 0))")
	s.neighbours(n, squares)
	s.numbers(2*n + colours)
	for p := range n * n {
		s.add("(place %d) (init (cell %d c%d))", p, p, (p*p*7+p/n*3+p)%11%colours)
	}
	for c := range colours {
		s.add("(colour c%d)", c)
	}
	s.add(`(<= (legal robot (fill ?c)) (colour ?c) (not (true (cell 0 ?c))))
(region 0)
(<= (region ?q) (region ?p) (adjacent ?p ?q) (true (cell ?p ?c)) (true (cell ?q ?c)))
(<= (next (cell ?p ?c)) (region ?p) (does robot (fill ?c)))
(<= (next (cell ?p ?c)) (true (cell ?p ?c)) (not (region ?p)))
(<= (next (time ?t)) (true (time ?s)) (succ ?s ?t))
(<= rest (place ?p) (not (region ?p)))
(<= (goal robot 100) (not rest))
(<= (goal robot 0) rest)
(<= terminal (not rest))
(<= terminal (true (time %d)))`, 2*n+colours)
	return s.String()
}

// sharedAttribute returns a game in which n pieces in a line of n×n must share one of n attributes.
func sharedAttribute(n int) string {
	s := &sheet{}
	s.turns()
	for p := range 1 << n {
		s.add("(piece p%d) (init (pool p%d))", p, p)
		for a := range n {
			s.add("(attribute p%d a%d %d)", p, a, p>>a&1)
		}
	}
	for i := range n {
		s.add("(index %d)", i+1)
		for j := range n {
			s.add("(init (cell %d %d empty))", i+1, j+1)
		}
	}
	var pieces, same, rising, falling, row, column []string
	for i := range n {
		v := fmt.Sprintf("?p%d", i)
		pieces = append(pieces, v)
		same = append(same, fmt.Sprintf("(attribute %s ?a ?v)", v))
		rising = append(rising, fmt.Sprintf("(true (cell %d %d %s))", i+1, i+1, v))
		falling = append(falling, fmt.Sprintf("(true (cell %d %d %s))", i+1, n-i, v))
		row = append(row, fmt.Sprintf("(true (cell ?i %d %s))", i+1, v))
		column = append(column, fmt.Sprintf("(true (cell %d ?i %s))", i+1, v))
	}
	list := strings.Join(pieces, " ")
	s.add("(<= (alike %s) %s)", list, strings.Join(same, " "))
	for _, line := range [][]string{rising, falling, row, column} {
		bound := ""
		if strings.Contains(line[0], "?i") {
			bound = "(index ?i) "
		}
		s.add("(<= line %s%s (alike %s))", bound, strings.Join(line, " "), list)
	}
	s.add(`(<= (legal ?r (place ?p ?x ?y)) (true (control ?r)) (true (pool ?p)) (true (cell ?x ?y empty)))
(<= (gone ?p) (does ?r (place ?p ?x ?y)))
(<= (filled ?x ?y) (does ?r (place ?p ?x ?y)))
(<= (next (pool ?p)) (true (pool ?p)) (not (gone ?p)))
(<= (next (cell ?x ?y ?p)) (does ?r (place ?p ?x ?y)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (filled ?x ?y)))
(<= open (true (cell ?x ?y empty)))
(<= left (true (pool ?p)))
(<= full (not open))
(<= full (not left))
(<= (won ?r) line (opponent ?r ?q) (true (control ?q)))`)
	s.ending()
	return s.String()
}

// threats returns chess with kings, rooks and bishops on n×n. The rules ask whether a king is threatened in
// the position without the moving piece and without the captured piece. Files and ranks are both coordinates,
// so that relations over coordinates are larger than the board.
func threats(n int) string {
	s := &sheet{}
	s.turns()
	file := func(i int) string { return string(rune('a' + i)) }
	for i := range n {
		s.add("(coordinate %s) (coordinate %d)", file(i), i+1)
		if i > 0 {
			s.add("(after %s %s) (after %d %d)", file(i-1), file(i), i, i+1)
		}
		back := []string{"r", "b", "k", "r"}[i%4]
		if i >= 4 {
			back = "b"
		}
		for k := range n {
			switch k {
			case 0:
				s.add("(init (cell %s 1 w%s))", file(i), back)
			case n - 1:
				s.add("(init (cell %s %d b%s))", file(i), n, back)
			default:
				s.add("(init (cell %s %d empty))", file(i), k+1)
			}
		}
	}
	for _, kind := range []string{"rook", "bishop", "king"} {
		s.add("(piece w%s white %s) (piece b%s black %s)", kind[:1], kind, kind[:1], kind)
	}
	s.add(`(opponent white black) (opponent black white) (init (time 0))
(<= (apart ?a ?b ?c ?d) (distinct ?a ?c) (coordinate ?a) (coordinate ?b) (coordinate ?c) (coordinate ?d))
(<= (apart ?a ?b ?c ?d) (distinct ?b ?d) (coordinate ?a) (coordinate ?b) (coordinate ?c) (coordinate ?d))
(<= (beside ?a ?b) (after ?a ?b))
(<= (beside ?a ?b) (after ?b ?a))
(<= (path ?u ?v ?u ?y ?i ?j) (after ?v ?y) (coordinate ?u) (coordinate ?i) (coordinate ?j))
(<= (path ?i ?v ?i ?y ?i ?j) (after ?v ?j) (path ?i ?j ?i ?y ?i ?j))
(<= (path ?u ?v ?u ?y ?i ?j) (after ?v ?w) (true (cell ?u ?w empty)) (path ?u ?w ?u ?y ?i ?j))
(<= (slope ?u ?v ?x ?y ?i ?j) (after ?u ?x) (beside ?v ?y) (coordinate ?i) (coordinate ?j))
(<= (slope ?u ?v ?x ?y ?i ?j) (after ?u ?i) (beside ?v ?j) (slope ?i ?j ?x ?y ?i ?j))
(<= (slope ?u ?v ?x ?y ?i ?j) (after ?u ?w) (beside ?v ?z) (true (cell ?w ?z empty)) (slope ?w ?z ?x ?y ?i ?j))
(<= (goes rook ?u ?v ?x ?y ?i ?j) (path ?u ?v ?x ?y ?i ?j))
(<= (goes rook ?u ?v ?x ?y ?i ?j) (path ?x ?y ?u ?v ?i ?j))
(<= (goes bishop ?u ?v ?x ?y ?i ?j) (slope ?u ?v ?x ?y ?i ?j))
(<= (goes bishop ?u ?v ?x ?y ?i ?j) (slope ?x ?y ?u ?v ?i ?j))
(<= (hits ?r ?u ?v ?x ?y ?i ?j) (piece ?p ?r ?kind) (true (cell ?u ?v ?p)) (goes ?kind ?u ?v ?x ?y ?i ?j))
(<= (king_at ?r ?x ?y) (piece ?p ?r king) (true (cell ?x ?y ?p)))
(<= (king_hits ?r ?x ?y) (king_at ?r ?u ?v) (steps ?u ?v ?x ?y))
(<= (steps ?u ?v ?x ?v) (beside ?u ?x) (coordinate ?v))
(<= (steps ?u ?v ?u ?y) (beside ?v ?y) (coordinate ?u))
(<= (threatened ?r ?x ?y ?i ?j) (opponent ?r ?q) (or (hits ?q ?u ?v ?x ?y ?i ?j) (king_hits ?q ?x ?y)) (coordinate ?i) (coordinate ?j))
(<= (threatened_without ?r ?c ?d ?x ?y ?i ?j) (opponent ?r ?q) (hits ?q ?u ?v ?x ?y ?i ?j) (apart ?c ?d ?u ?v))
(<= (threatened_without ?r ?c ?d ?x ?y ?i ?j) (opponent ?r ?q) (king_hits ?q ?x ?y) (coordinate ?c) (coordinate ?d) (coordinate ?i) (coordinate ?j))
(<= (moves ?p ?u ?v ?x ?y) (true (control ?r)) (piece ?p ?r ?kind) (true (cell ?u ?v ?p)) (goes ?kind ?u ?v ?x ?y ?u ?v))
(<= (taken_from ?r ?x ?y) (piece ?p ?r ?kind) (true (cell ?x ?y ?p)))
(<= (legal ?r (move ?p ?u ?v ?x ?y)) (true (control ?r)) (moves ?p ?u ?v ?x ?y) (true (cell ?x ?y empty)) (king_at ?r ?k ?l) (not (threatened ?r ?k ?l ?u ?v)))
(<= (legal ?r (move ?p ?u ?v ?x ?y)) (true (control ?r)) (moves ?p ?u ?v ?x ?y) (opponent ?r ?q) (taken_from ?q ?x ?y) (king_at ?r ?k ?l) (not (threatened_without ?r ?x ?y ?k ?l ?u ?v)))
(<= (legal ?r (move ?p ?u ?v ?x ?y)) (true (control ?r)) (piece ?p ?r king) (true (cell ?u ?v ?p)) (steps ?u ?v ?x ?y) (not (taken_from ?r ?x ?y)) (not (threatened ?r ?x ?y ?u ?v)))
(<= (next (cell ?u ?v empty)) (does ?r (move ?p ?u ?v ?x ?y)))
(<= (next (cell ?x ?y ?p)) (does ?r (move ?p ?u ?v ?x ?y)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (move ?q ?u ?v ?a ?b)) (apart ?x ?y ?u ?v) (apart ?x ?y ?a ?b))
(<= (next (time ?t)) (true (time ?s)) (tick ?s ?t))
(<= mobile (legal ?r (move ?p ?u ?v ?x ?y)))
(<= terminal (not mobile))
(<= terminal (true (time 60)))
(<= (check ?r) (king_at ?r ?x ?y) (threatened ?r ?x ?y ?x ?y))
(<= (goal ?r 100) (opponent ?r ?q) (not mobile) (check ?q))
(<= (goal ?r 0) (role ?r) (not mobile) (check ?r))
(<= drawn mobile)
(<= drawn (not (check white)) (not (check black)))
(<= (goal ?r 50) (role ?r) drawn)`)
	for i := range 60 {
		s.add("(tick %d %d)", i, i+1)
	}
	return s.String()
}

// threePartMoves returns a game of amazons with one amazon each on n×n: a queen's move, and an arrow shot
// from its destination.
func threePartMoves(n int) string {
	s := &sheet{}
	s.turns()
	for i := range n {
		s.add("(index %d)", i)
		if i > 0 {
			s.add("(up %d %d)", i-1, i)
		}
	}
	s.add("(init (amazon white 0 %d)) (init (amazon black %d %d))", n/2, n-1, n/2-1)
	s.add(`(<= (steps ?x ?x 0) (index ?x))
(<= (steps ?x ?y 1) (up ?x ?y))
(<= (steps ?x ?y 2) (up ?y ?x))
(<= (blocked ?x ?y) (true (amazon ?r ?x ?y)))
(<= (blocked ?x ?y) (true (arrow ?x ?y)))
(<= (step ?d ?e ?x ?y ?u ?v) (steps ?x ?u ?d) (steps ?y ?v ?e) (distinct (at ?x ?y) (at ?u ?v)))
(<= (slide ?d ?e ?x ?y ?u ?v) (step ?d ?e ?x ?y ?u ?v) (not (blocked ?u ?v)))
(<= (slide ?d ?e ?x ?y ?u ?v) (slide ?d ?e ?x ?y ?z ?w) (step ?d ?e ?z ?w ?u ?v) (not (blocked ?u ?v)))
(<= (shot ?x ?y ?u ?v) (slide ?d ?e ?x ?y ?u ?v))
(<= (shot ?x ?y ?u ?v) (true (control ?r)) (true (amazon ?r ?u ?v)) (step ?d ?e ?x ?y ?u ?v))
(<= (legal ?r (move ?x ?y ?u ?v ?s ?t)) (true (control ?r)) (true (amazon ?r ?x ?y)) (slide ?d ?e ?x ?y ?u ?v) (shot ?u ?v ?s ?t))
(<= (next (amazon ?r ?u ?v)) (does ?r (move ?x ?y ?u ?v ?s ?t)))
(<= (next (amazon ?r ?x ?y)) (true (amazon ?r ?x ?y)) (not (true (control ?r))))
(<= (next (arrow ?s ?t)) (does ?r (move ?x ?y ?u ?v ?s ?t)))
(<= (next (arrow ?s ?t)) (true (arrow ?s ?t)))
(<= mobile (true (control ?r)) (legal ?r (move ?x ?y ?u ?v ?s ?t)))
(<= (won ?r) (opponent ?r ?q) (true (control ?q)) (not mobile))
(<= full (not mobile))`)
	s.ending()
	return s.String()
}

// minefield returns a race through a field of n×n in which both roles lay mines, and a number counts the
// mines next to a cell.
func minefield(n int) string {
	s := &sheet{}
	s.add("(role left) (role right)")
	s.numbers(8)
	for i := range n {
		s.add("(index %d)", i)
		if i > 0 {
			s.add("(up %d %d)", i-1, i)
		}
	}
	s.add(`(init (at left 0 0)) (init (at right %d %d)) (init (time 0))
(tick 0 1)`, n-1, n-1)
	for i := 1; i < 2*n; i++ {
		s.add("(tick %d %d)", i, i+1)
	}
	s.add(`(<= (near ?x ?x) (index ?x))
(<= (near ?x ?y) (up ?x ?y))
(<= (near ?x ?y) (up ?y ?x))
(<= (beside ?x ?y ?u ?v) (near ?x ?u) (near ?y ?v) (distinct (c ?x ?y) (c ?u ?v)))
(<= (legal ?r (lay ?x ?y)) (role ?r) (index ?x) (index ?y) (not (true (mine ?x ?y))) (not (someone ?x ?y)))
(<= (legal ?r (go ?u ?v)) (true (at ?r ?x ?y)) (beside ?x ?y ?u ?v))
(<= (someone ?x ?y) (true (at ?r ?x ?y)))
(<= (went ?r) (does ?r (go ?x ?y)))
(<= (next (mine ?x ?y)) (true (mine ?x ?y)))
(<= (next (mine ?x ?y)) (does ?r (lay ?x ?y)))
(<= (next (at ?r ?x ?y)) (does ?r (go ?x ?y)))
(<= (next (at ?r ?x ?y)) (true (at ?r ?x ?y)) (not (went ?r)))
(<= (next (time ?t)) (true (time ?s)) (tick ?s ?t))
(order a b) (order b c) (order c d) (order d e) (order e f) (order f g) (order g h)
(<= (neighbour ?x ?y a ?u ?v) (up ?u ?x) (up ?v ?y))
(<= (neighbour ?x ?y b ?x ?v) (index ?x) (up ?v ?y))
(<= (neighbour ?x ?y c ?u ?v) (up ?x ?u) (up ?v ?y))
(<= (neighbour ?x ?y d ?u ?y) (index ?y) (up ?u ?x))
(<= (neighbour ?x ?y e ?u ?y) (index ?y) (up ?x ?u))
(<= (neighbour ?x ?y f ?u ?v) (up ?u ?x) (up ?y ?v))
(<= (neighbour ?x ?y g ?x ?v) (index ?x) (up ?y ?v))
(<= (neighbour ?x ?y h ?u ?v) (up ?x ?u) (up ?y ?v))
(<= (hot ?x ?y ?d) (neighbour ?x ?y ?d ?u ?v) (true (mine ?u ?v)))
(<= (mines ?x ?y a 0) (index ?x) (index ?y) (not (hot ?x ?y a)))
(<= (mines ?x ?y a 1) (hot ?x ?y a))
(<= (mines ?x ?y ?d ?m) (order ?c ?d) (mines ?x ?y ?c ?m) (not (hot ?x ?y ?d)))
(<= (mines ?x ?y ?d ?m) (order ?c ?d) (mines ?x ?y ?c ?n) (hot ?x ?y ?d) (succ ?n ?m))
(<= (danger ?r ?m) (true (at ?r ?x ?y)) (mines ?x ?y h ?m))
(<= (less ?a ?b) (succ ?a ?b))
(<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
(<= (hit ?r) (true (at ?r ?x ?y)) (true (mine ?x ?y)))
(<= (hit ?r) (danger ?r 5))
(<= (goal ?r 0) (hit ?r))
(<= (goal ?r 50) (role ?r) (not (hit ?r)) (danger ?r ?m) (less 0 ?m))
(<= (goal ?r 100) (role ?r) (not (hit ?r)) (danger ?r 0))
(<= terminal (hit ?r))
(<= terminal (true (time %d)))`, 2*n)
	return s.String()
}
