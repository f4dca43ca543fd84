// Package signature counts the work of the searches on a fixed set of games: nodes, linear programs, values. The
// figures depend on the code alone, not on clocks or the machine. So a change of a search changes the committed table
// (signature.txt), and any other change must not.
//
// It owns the set of games and methods. It must not know the source of games: the caller compiles games by name.
package signature

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// Kernel is the kernel for which machines must be compiled, and Lanes its width. Every
// processor has it; with another one the sampling search runs other playouts.
const (
	Kernel = "portable/64"
	Lanes  = 64
)

// Entry is the result of one method on one game.
type Entry struct {
	Game      string     `json:"game"`
	Method    string     `json:"method"`
	Value     [2]float64 `json:"value"` // of the first role that is not chance, in goal points
	Nodes     int64      `json:"nodes"`
	LPCalls   int64      `json:"lp_calls"`
	TableHits int64      `json:"table_hits"`
}

// task is one line of the table.
type task struct {
	game, method string
	search       func() (search.Searcher, error)
	limits       search.Limits
}

const (
	// tableMiB bounds the tables: more than any of the games needs.
	tableMiB = 256
	// sampledNodes bounds the sampling search.
	sampledNodes = 2000
)

// exact returns the tasks of a method of package solve on some games.
func exact(method string, table solve.Switch, games ...string) []task {
	return ordered(method, "", table, games...)
}

// ordered returns the tasks of a method with a cell order on some games.
func ordered(method, order string, table solve.Switch, games ...string) []task {
	name := strings.TrimSpace(method + " " + order)
	if table == solve.Off {
		name += " without table"
	}
	var list []task
	for _, game := range games {
		list = append(list, task{game, name, func() (search.Searcher, error) {
			return solve.New(solve.Options{
				Method: method, LP: "native", Table: table, Symmetries: solve.On, Memory: tableMiB, Order: order, Moves: "dynamic",
			})
		}, search.Limits{MaxBytes: tableMiB << 20}})
	}
	return list
}

// sampling returns the tasks of Monte Carlo tree search with a selection rule on some games.
func sampling(name string, rule montecarlo.Rule, games ...string) []task {
	var list []task
	for _, game := range games {
		list = append(list, task{game, name, func() (search.Searcher, error) {
			return montecarlo.New(montecarlo.Config{Rule: rule, Lanes: Lanes}), nil
		}, search.Limits{MaxNodes: sampledNodes, MaxBytes: tableMiB << 20, Seed: 1}})
	}
	return list
}

// tasks lists the searches: each method on games of its class.
func tasks() []task {
	var list []task
	for _, m := range []struct{ method, order string }{{"smab", ""}, {"smab", "l"}, {"bi", ""}, {"biab", ""}, {"do", ""}} {
		list = append(list, ordered(m.method, m.order, solve.On, "goofspiel-6", "biddingTicTacToe-2", "oshiZumo-10-3", "tron-5x5")...)
		list = append(list, ordered(m.method, m.order, solve.Off, "goofspiel-5")...)
	}
	list = append(list, exact(solve.BoundedAlphaBeta, solve.On, "ticTacToe", "connectFour-4x4", "nim-3.4.5", "breakthrough-3x5")...)
	list = append(list, exact(solve.BoundedAlphaBeta, solve.Off, "nim-2.3.4")...)
	list = append(list, exact(solve.DepthFirst, solve.On, "pig-10-3")...)
	list = append(list, exact(solve.MaxN, solve.On, "trio-3x3")...)
	list = append(list, exact(solve.Paranoid, solve.On, "trio-3x3")...)
	list = append(list, sampling("uct", montecarlo.UCT, "goofspiel-7", "connectFour-6x5", "breakthrough-6x6", "pig-20-10", "trio-3x3", "slidingPuzzle-3x2-12")...)
	return append(list, sampling("regret matching", montecarlo.RegretMatching, "goofspiel-7", "oshiZumo-20-3", "tron-6x6")...)
}

// Run measures all and calls yield with each entry as soon as it is there. The
// function compile makes the machine of a game, for Kernel.
func Run(ctx context.Context, compile func(ctx context.Context, game string) (machine.Machine, error), yield func(Entry) error) error {
	machines := make(map[string]machine.Machine)
	for _, t := range tasks() {
		m := machines[t.game]
		if m == nil {
			var err error
			if m, err = compile(ctx, t.game); err != nil {
				return fmt.Errorf("%s: %w", t.game, err)
			}
			prove(ctx, m)
			machines[t.game] = m
		}
		s, err := t.search()
		if err != nil {
			return fmt.Errorf("%s by %s: %w", t.game, t.method, err)
		}
		r, err := s.Search(ctx, m, m.Initial(), t.limits)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("%s by %s: %w", t.game, t.method, err)
		}
		value := r.Values[m.Names().Players()[0]]
		err = yield(Entry{
			Game: t.game, Method: t.method, Value: [2]float64{value.Lower, value.Upper},
			Nodes: r.Nodes, LPCalls: r.LPCalls, TableHits: r.TableHits,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// proofTime bounds the processor time of the proof of each fact. Proofs that succeed take milliseconds, or save no nodes.
const proofTime = 2 * time.Second

// prove proves the facts that a search uses if they are proved in time: the sum of the goals and the length of games. So
// the counts hardly depend on the speed of the machine.
func prove(ctx context.Context, m machine.Machine) {
	short, cancel := cputime.Budget(ctx, proofTime)
	facts.ProvedGoalSum(short, m)
	cancel()
	short, cancel = cputime.Budget(ctx, proofTime)
	facts.ProvedLength(short, m)
	cancel()
}

// Format lays entries out as the committed table.
func Format(entries []Entry) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "method\tgame\tvalue\tnodes\tLPs\ttable hits")
	for _, e := range entries {
		fmt.Fprintf(t, "%s\t%s\t%.6g–%.6g\t%d\t%d\t%d\n", e.Method, e.Game, e.Value[0], e.Value[1], e.Nodes, e.LPCalls, e.TableHits)
	}
	_ = t.Flush() // to memory
	return b.String()
}
