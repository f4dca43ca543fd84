package games

import (
	"fmt"
	"strings"
)

// copsAndRobber is the game on grids of Moldenhauer and Sturtevant (2009), with the score
// of the experiments with Bounded Alpha-Beta: the time until the robber is caught. Where it
// slips, chance replaces some of the moves.
func copsAndRobber(pattern, summary string, slips bool) family {
	return family{
		Family: Family{
			Pattern: pattern,
			Summary: summary,
			Parameters: []Parameter{
				columns(3, 10, 6), rows(3, 10, 6),
				{Name: "C", About: "cops", Min: 1, Max: 3, Default: 3, separator: "-"},
				{Name: "R", About: "rounds", Min: 1, Max: 50, Default: 10, separator: "-"},
			},
		},
		prepare: func(a arguments) error { return prepareCops(a, slips) },
		rules:   "copsAndRobber",
	}
}

func prepareCops(a arguments, slips bool) error {
	w, h, c, rounds := a["W"].(int), a["H"].(int), a["C"].(int), a["R"].(int)
	ways := []string{"?d", "?e", "?f"}[:c]
	var facts, starts, goes, able, way []string
	for i, unit := range []string{"a", "b", "c"}[:c] {
		facts = append(facts, fmt.Sprintf("(cop %s)", unit))
		corner := [][2]int{{1, 1}, {w, h}, {w, 1}}[i]
		starts = append(starts, fmt.Sprintf("(init (at %s %d %d))", unit, corner[0], corner[1]))
		goes = append(goes, fmt.Sprintf("(<= (goes %s %s)\n    (makes cops (go %s)))", unit, ways[i], strings.Join(ways, " ")))
		able = append(able, fmt.Sprintf("    (can %s %s)", unit, ways[i]))
		way = append(way, fmt.Sprintf("    (way %s)", ways[i]))
	}
	var goals []string
	for n := range rounds + 1 {
		g := 100 * n / rounds
		goals = append(goals, fmt.Sprintf("(<= (goal robber %d)\n    (true (round %d)))\n\n(<= (goal cops %d)\n    (true (round %d)))", g, n, 100-g, n))
	}
	a["Slips"], a["X"], a["Y"] = slips, (w+1)/2, (h+1)/2
	a["Ways"], a["WayFacts"] = strings.Join(ways, " "), strings.Join(way, "\n")
	a["Cops"], a["Starts"] = lines(facts), lines(starts)
	a["Goes"], a["Able"] = strings.Join(goes, "\n\n"), strings.Join(able, "\n")
	a["Goals"] = strings.Join(goals, "\n\n")
	return nil
}
