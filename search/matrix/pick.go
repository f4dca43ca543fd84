package matrix

// Pick returns the move of a mixed strategy at a point from 0 to 1: a uniform point picks each move with its probability. It
// never returns a move of probability 0, if the strategy has another one.
func Pick(strategy []float64, point float64) int {
	at := 0
	for i, p := range strategy {
		if p > 0 {
			at = i
		}
		if point -= p; point < 0 {
			break
		}
	}
	return at
}
