package circuit

// SharesTurns reports whether two roles of the game share a choice of moves.
func (g *Game) SharesTurns() bool {
	for r, partner := range g.turnPartners() {
		if r != partner {
			return true
		}
	}
	return false
}
