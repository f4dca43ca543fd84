package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"stackmate/search"
	"stackmate/search/solve"
)

// turnsName is the experiment on games of turns: which are solved within the limit, and what is
// proved of the others. It takes any games in place of its own.
const (
	turnsName  = "turns"
	turnsTable = "Games of turns" // whose notes say what is proved of the value
)

// ErrNoGames is returned for games that other experiments are to run.
var ErrNoGames = errors.New("expected games for the experiment " + turnsName + " only")

var turnGames = []string{
	"ticTacToe", "nim-3.4.5", "nim-7.8.9", "pig-20-3", "pig-30-4", "pig-50-6",
	"copsAndRobber-6x6-2", "copsAndRobber", "copsAndRobberSlips-4x4-2-4", "copsAndRobberSlips-6x6-1-4",
	"hex-4x4", "hex-5x5", "breakthrough-4x5", "breakthrough-5x5", "breakthrough-5x6",
	"connectFour-4x4", "connectFour-5x4", "connectFour-5x5", "connectFour-6x5", "connectFour-7x6",
}

// turns lists one line for each game, by the method that fits it, on one thread.
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

// proved says what is known of the value of the first player.
func proved(v search.Interval) string {
	if v.Solved() {
		return fmt.Sprintf("value %g", v.Lower)
	}
	return fmt.Sprintf("value in [%g, %g]", v.Lower, v.Upper)
}
