package games

// slidingPuzzle is a game of one role.
var slidingPuzzle = family{
	Family: Family{
		Pattern: "slidingPuzzle-WxH-D",
		Summary: "the sliding puzzle on W x H cells, D moves deep at most",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 2, Max: 6, Default: 3, separator: "-"},
			{Name: "H", About: "rows", Min: 2, Max: 6, Default: 3, separator: "x"},
			{Name: "D", About: "moves that scrambled the puzzle, and moves allowed", Min: 1, Max: 200, Default: 12, separator: "-"},
		},
	},
	prepare: func(a arguments) error {
		tiles, x, y := scramble(a["W"].(int), a["H"].(int), a["D"].(int))
		a["Tiles"], a["X"], a["Y"] = tiles, x, y
		return nil
	},
	rules: rulesheet(`
; The sliding puzzle on {{.W}} x {{.H}} cells. In each move the gap and a tile beside it
; change places. The puzzle is solved when all tiles are at home: in order by
; rows, from (1, 1) on, with the gap in the last cell. It was scrambled with {{.D}}
; moves, and {{.D}} moves are allowed.

(role robot)

(direction north)
(direction east)
(direction south)
(direction west)

; (step d x y u v): direction d leads from (x, y) to (u, v).
{{steps .W .H}}

{{succ 0 .D}}

; (home t x y): where tile t belongs. (start t x y): where it is at first.
{{range .Tiles}}
(home {{.Number}} {{.HomeX}} {{.HomeY}})
(start {{.Number}} {{.X}} {{.Y}})
{{- end}}

; The position: the tiles, the gap, and the number of moves made.

(<= (base (tile ?t ?x ?y))
    (home ?t ?v ?w)
    (step ?d ?x ?y ?a ?b))
(<= (base (gap ?x ?y))
    (step ?d ?x ?y ?u ?v))
(base (moves 0))
(<= (base (moves ?n))
    (succ ?m ?n))

(<= (init (tile ?t ?x ?y))
    (start ?t ?x ?y))
(init (gap {{.X}} {{.Y}}))
(init (moves 0))

; Moves: the direction in which the gap travels.

(<= (input robot ?d)
    (direction ?d))

(<= (legal robot ?d)
    (true (gap ?x ?y))
    (step ?d ?x ?y ?u ?v))

(<= (travels ?x ?y ?u ?v)
    (does robot ?d)
    (true (gap ?x ?y))
    (step ?d ?x ?y ?u ?v))

(<= (entered ?u ?v)
    (travels ?x ?y ?u ?v))

(<= (next (gap ?u ?v))
    (entered ?u ?v))

(<= (next (tile ?t ?x ?y))
    (travels ?x ?y ?u ?v)
    (true (tile ?t ?u ?v)))

(<= (next (tile ?t ?x ?y))
    (true (tile ?t ?x ?y))
    (not (entered ?x ?y)))

(<= (next (moves ?n))
    (true (moves ?m))
    (succ ?m ?n))

; The end.

(<= astray
    (true (tile ?t ?x ?y))
    (not (home ?t ?x ?y)))

(<= terminal
    (not astray))

(<= terminal
    (true (moves {{.D}})))

(<= (goal robot 100)
    (not astray))

(<= (goal robot 0)
    astray)
`),
}

// tile is a tile of the sliding puzzle with its home and its first place.
type tile struct{ Number, HomeX, HomeY, X, Y int }

// scramble makes depth moves from the solved puzzle, never taking the last one
// back, chosen by a fixed linear congruential sequence. It returns the tiles and
// the place of the gap.
func scramble(w, h, depth int) (tiles []tile, x, y int) {
	board := make([]int, w*h) // by cell; 0 is the gap
	for i := range w*h - 1 {
		board[i] = i + 1
	}
	x, y = w-1, h-1
	directions := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	back, random := -1, uint32(w*h)
	for range depth {
		var open []int
		for d, step := range directions {
			u, v := x+step[0], y+step[1]
			if d != back && u >= 0 && u < w && v >= 0 && v < h {
				open = append(open, d)
			}
		}
		random = random*1664525 + 1013904223
		d := open[int(random>>16)%len(open)]
		u, v := x+directions[d][0], y+directions[d][1]
		board[y*w+x], board[v*w+u] = board[v*w+u], 0
		x, y, back = u, v, (d+2)%4
	}
	for cell, n := range board {
		if n > 0 {
			tiles = append(tiles, tile{n, (n-1)%w + 1, (n-1)/w + 1, cell%w + 1, cell/w + 1})
		}
	}
	return tiles, x + 1, y + 1
}
