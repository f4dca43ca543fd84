package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"stackmate/search"
	"stackmate/search/solve"
)

// turnsName is the experiment on turn-based games: games solved within the limit, and bounds of the others.
// It accepts any games instead of the default ones.
const (
	turnsName  = "turns"
	turnsTable = "Games of turns" // the notes of its rows give the proved bounds
)

// ErrNoGames is returned for games given to another experiment.
var ErrNoGames = errors.New("expected games for the experiment " + turnsName + " only")

var turnGames = []string{
	"ticTacToe", "nim-3.4.5", "nim-7.8.9", "pig-20-3", "pig-30-4", "pig-50-6",
	"copsAndRobber-6x6-2", "copsAndRobber", "copsAndRobberSlips-4x4-2-4", "copsAndRobberSlips-6x6-1-4",
	"hex-4x4", "hex-5x5", "breakthrough-4x5", "breakthrough-5x5", "breakthrough-5x6",
	"connectFour-4x4", "connectFour-5x4", "connectFour-5x5", "connectFour-6x5", "connectFour-7x6",
}

// turns returns one line for each game, by the default method for the game, on one thread.
func turns(games []string) []run {
	var runs []run
	for i, game := range games {
		name := strings.TrimSuffix(filepath.Base(game), ".kif")
		runs = append(runs, run{
			table: turnsTable, method: name, size: i + 1, games: []string{game},
			options: solve.Options{Method: solve.Auto, Table: solve.On, Symmetries: solve.On, Threads: 1},
		})
	}
	return runs
}

// proved formats the bounds of the value of the first player.
func proved(v search.Interval) string {
	if v.Solved() {
		return fmt.Sprintf("value %g", v.Lower)
	}
	return fmt.Sprintf("value in [%g, %g]", v.Lower, v.Upper)
}
