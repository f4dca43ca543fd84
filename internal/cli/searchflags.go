package cli

import (
	"fmt"
	"runtime"

	"stackmate/player"
	"stackmate/reasoner/machine"
	"stackmate/search/simultaneous"
	"stackmate/search/solve"
)

// searchFlags say how to solve, see solve.Options.
type searchFlags struct {
	Method     string       `default:"auto" help:"Method: auto chooses by the class of the game; stackmate help methods lists all methods."`
	LP         string       `name:"lp" default:"native" help:"Solver of linear programs: native or glpk."`
	Table      solve.Switch `default:"on" enum:"on,off" help:"Transposition table: on or off."`
	Symmetries solve.Switch `default:"on" enum:"on,off" help:"Symmetries of the rules: on or off."`
	Order      string       `default:"best" help:"Cell order of smab: best (where the optimistic strategies of both players meet), l (L-shaped, as in the paper) or lex (row by row)."`
	MoveOrder  string       `default:"dynamic" help:"Row and column order of --order l and lex: dynamic (by the bounds known before each cell) or legal (as the rules list the moves)."`
	Skip       int          `default:"0" help:"Early bound skipping of --order l and lex: no linear programs before this many rows and columns are filled."`
	Epsilon    float64      `default:"0" help:"Tolerated width of the value, in goal points: auto, bab, dfs, smab, mcts and paranoid stop there."`
	Share      bool         `name:"share-epsilon" help:"Divide --epsilon among the outcomes of chance: bab, dfs and paranoid."`
	Threads    int          `default:"0" help:"Threads of smab, bab, dfs and layers; 0 means all processors. With 1 the search is reproducible."`
}

// Validate implements kong's interface.
func (f searchFlags) Validate() error {
	if f.Threads < 0 || f.Threads > player.MaxThreads {
		return fmt.Errorf("--threads: expected 0 to %d, found %d", player.MaxThreads, f.Threads)
	}
	if !(f.Epsilon >= 0 && f.Epsilon <= machine.MaxGoal) {
		return fmt.Errorf("--epsilon: expected 0 to %d goal points, found %v", machine.MaxGoal, f.Epsilon)
	}
	if f.Order == string(simultaneous.OrderBest) && f.MoveOrder != string(simultaneous.MovesDynamic) {
		return fmt.Errorf("--move-order %s: expected --order l or lex, found --order best, which has no fixed order", f.MoveOrder)
	}
	return nil
}

// options returns the options of a solver with a memory limit.
func (f searchFlags) options(bytes int64) solve.Options {
	threads := f.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return solve.Options{
		Threads: threads,
		Method:  f.Method, LP: f.LP, Table: f.Table, Symmetries: f.Symmetries, Memory: bytes / mebibyte,
		Order: f.Order, Moves: f.MoveOrder, Skip: f.Skip, Epsilon: f.Epsilon, ShareEpsilon: f.Share,
	}
}
