// Package simultaneous solves two-player zero-sum games with simultaneous moves
// (stacked matrix games), with chance nodes, by Simultaneous Move Alpha-Beta (SMAB:
// Saffidine, Finnsson and Buro, 2012). Beside it stand the methods of the literature that it
// is compared with: backward induction, double oracle with serialized alpha-beta bounds
// (Bošanský, Lisý, Lanctot, Čermák and Winands, 2016), and the sequence form. The package
// knows state machines and matrix games, nothing of rules, matches or clocks.
//
// All methods share one skeleton (smab.go): a position is looked up in the
// table, expanded, and handed to the method, which returns an interval that
// contains the value of the position. Values are goal points of the row player, the
// first role that is not chance.
package simultaneous

import (
	"context"
	"errors"
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Method names an algorithm.
type Method string

// The methods.
const (
	// BackwardInduction solves every matrix completely.
	BackwardInduction Method = "bi"
	// SMAB is Simultaneous Move Alpha-Beta.
	SMAB Method = "smab"
	// BoundedInduction is backward induction that solves positions by serialized
	// alpha-beta where pure strategies decide.
	BoundedInduction Method = "biab"
	// DoubleOracle is SMAB in OrderBest with bounds by serialized alpha-beta for all
	// cells that are looked up.
	DoubleOracle Method = "do"
	// SequenceForm solves one linear program for the whole game tree. It needs
	// GLPK, see matrix.Linear.
	SequenceForm Method = "seqform"
)

// Order is the order in which SMAB visits the cells of a matrix.
type Order string

// The cell orders. OrderL and OrderLex build on an order of the moves.
const (
	// OrderBest visits the cell where the optimistic strategies of both players meet most.
	OrderBest Order = "best"
	// OrderL visits the cells (a, b) by min(a, b), then a, then b: first row,
	// rest of the first column, rest of the second row, … (Fig. 6 of the paper).
	OrderL Order = "l"
	// OrderLex visits the cells row by row.
	OrderLex Order = "lex"
)

// MoveOrder is the order of the moves of each player in OrderL and OrderLex.
type MoveOrder string

// The move orders.
const (
	// MovesDynamic orders the moves before each cell by the bounds known then.
	MovesDynamic MoveOrder = "dynamic"
	// MovesLegal is the order in which the machine lists the legal moves.
	MovesLegal MoveOrder = "legal"
)

// Config is the configuration of a search. The zero value is a good default.
type Config struct {
	Method Method // default: SMAB
	// Table makes the search use a transposition table.
	Table bool
	Order Order     // default: OrderBest
	Moves MoveOrder // default: MovesDynamic
	// Skip is s of the early bound skipping heuristic: OrderL and OrderLex compute no bounds
	// for a cell before s rows and s columns are filled.
	Skip int
	// Epsilon is the tolerance in goal points: SMAB in OrderBest stops as soon as the
	// interval of the value is no wider. The other methods and orders solve exactly.
	Epsilon float64
	// Engine makes the solver of matrix games and linear programs; nil means
	// the native one.
	Engine func() (matrix.Engine, error)

	// Threads is the number of threads that search together, on one table: SMAB in OrderBest
	// with a table; 0 means 1. The value does not depend on it. With more than one thread,
	// the number of nodes and the choice among several equilibria do.
	Threads int

	variant variant
	alone   int64 // nodes of the first thread before the other threads join it
}

// defaultBytes bounds the memory where the limits of the search do not.
const defaultBytes = 1 << 30

// Searcher is a method with its table. It keeps its proofs between searches of the same machine, and belongs to one goroutine.
type Searcher struct {
	config Config
	solver *solver
}

var _ search.Searcher = (*Searcher)(nil)

// New returns a searcher, or an error that describes the fault of the configuration.
func New(config Config) (*Searcher, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	config.alone = aloneNodes
	return &Searcher{config: config}, nil
}

// complete fills in the defaults and checks the configuration.
func (config Config) complete() (Config, error) {
	if config.Method == "" {
		config.Method = SMAB
	}
	if config.Order == "" {
		config.Order = OrderBest
	}
	if config.Moves == "" {
		config.Moves = MovesDynamic
	}
	if config.Engine == nil {
		config.Engine = func() (matrix.Engine, error) { return matrix.NewNative(), nil }
	}
	switch config.Method {
	case DoubleOracle:
		config.Order = OrderBest
	case BackwardInduction, SMAB, BoundedInduction, SequenceForm:
	default:
		return config, fmt.Errorf("method: expected smab, bi, biab, do or seqform, found %q", config.Method)
	}
	if config.Order != OrderBest && config.Order != OrderL && config.Order != OrderLex {
		return config, fmt.Errorf("cell order: expected best, l or lex, found %q", config.Order)
	}
	if config.Moves != MovesDynamic && config.Moves != MovesLegal {
		return config, fmt.Errorf("move order: expected dynamic or legal, found %q", config.Moves)
	}
	if config.Skip < 0 {
		return config, fmt.Errorf("skip: expected a number of rows and columns ≥ 0, found %d", config.Skip)
	}
	if config.Skip > 0 && config.Order == OrderBest {
		return config, errors.New("skip: expected cell order l or lex, found best, which solves no linear programs for its bounds")
	}
	if !(config.Epsilon >= 0) {
		return config, fmt.Errorf("tolerance: expected a number of goal points ≥ 0, found %v", config.Epsilon)
	}
	return config, nil
}

// threads returns the number of threads of a search.
func (config Config) threads() int {
	if config.Method != SMAB || config.Order != OrderBest || !config.Table {
		return 1
	}
	return max(config.Threads, 1)
}

// Search solves position q of m, see search.Searcher. It returns
// search.ErrNotZeroSum, wrapped, if the goals of two terminal positions do not
// have the same sum.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	solver, err := prepare(ctx, &s.solver, s.config, m, lim)
	if err != nil {
		return search.Result{}, err
	}
	return solver.search(ctx, q, lim)
}

// SerializedNodes is the number of positions that the serialized searches of
// the last search expanded. Counters.Nodes does not contain them: it counts
// matrices, as the literature does.
func (s *Searcher) SerializedNodes() int64 { return s.solver.serializedNodes }

// prepare returns the solver in the slot, or a new one if that is for another
// machine or has another bound of memory. One that could not be made ready before
// ctx was done serves this search alone.
func prepare(ctx context.Context, slot **solver, config Config, m machine.Machine, lim search.Limits) (*solver, error) {
	if *slot == nil || (*slot).machine != m || (*slot).maxBytes != maxBytes(lim) {
		solver, err := newSolver(ctx, config, m, maxBytes(lim))
		if err != nil || ctx.Err() != nil {
			return solver, err
		}
		*slot = solver
	}
	return *slot, nil
}

func maxBytes(lim search.Limits) int64 {
	if lim.MaxBytes > 0 {
		return lim.MaxBytes
	}
	return defaultBytes
}
