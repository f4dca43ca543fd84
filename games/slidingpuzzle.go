package games

// slidingPuzzle is a game of one role.
var slidingPuzzle = game("slidingPuzzle-WxH-D", "the sliding puzzle on W x H cells, D moves deep at most",
	columns(2, 6, 3), rows(2, 6, 3), number("D", "moves that scrambled the puzzle, and moves allowed", 1, 200, 12),
).prepared(func(a arguments) error {
	tiles, x, y := scramble(a["W"].(int), a["H"].(int), a["D"].(int))
	a["Tiles"], a["X"], a["Y"] = tiles, x, y
	return nil
})

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
