package games

// copsAndRobber returns the game on grids of Moldenhauer and Sturtevant (2009), with the score of the
// Bounded Alpha-Beta experiments: the time until the robber is caught. If it slips, chance replaces some
// moves.
func copsAndRobber(pattern, summary string, slips bool) family {
	return game(pattern, summary,
		columns(3, 10, 6), rows(3, 10, 6), number("C", "cops", 1, 3, 3), number("R", "rounds", 1, 50, 10),
	).by("copsAndRobber").prepared(func(a arguments) error {
		w, h := a["W"].(int), a["H"].(int)
		a["Cops"], a["Slips"] = []cop{{"a", "?d", 1, 1}, {"b", "?e", w, h}, {"c", "?f", w, 1}}[:a["C"].(int)], slips
		return nil
	})
}

// cop is a cop with the variable for its way and its first place.
type cop struct {
	Name, Way string
	X, Y      int
}
