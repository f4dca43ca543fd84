package solve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/equilibrium"
	"stackmate/search/goals"
	"stackmate/search/lattice/outcomes"
	"stackmate/search/layers"
	"stackmate/search/matrix"
	"stackmate/search/maxn"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
)

// The methods outside package simultaneous.
const (
	Auto             = "auto"    // chosen by the class of the game, see Choose
	BoundedAlphaBeta = "bab"     // package sequential
	DepthFirst       = "dfs"     // Bounded Alpha-Beta without iterative deepening
	ThreatSpace      = "threats" // sequential.Threats
	Plans            = "plan"    // facts.FindPlan
	MonteCarlo       = "mcts"    // package montecarlo: proved score bounds
	Layers           = "layers"  // package layers
	MaxN             = "maxn"    // package maxn: an equilibrium of a sequential game of any number of roles
	// Equilibrium is package equilibrium: an exact equilibrium of two roles, with or without simultaneous moves.
	Equilibrium = "equilibrium"
	// Paranoid is sequential.Paranoid: the guarantee of each role against a coalition of all others. Like the values
	// of Lattice, guarantees do not solve a general-sum game.
	Paranoid = "paranoid"
	// Lattice is package outcomes: guarantees of all roles and all undominated outcomes. Its values do not solve a
	// general-sum game, so Choose returns it for no class.
	Lattice = outcomes.Method
)

// Methods lists all methods.
var Methods = []string{
	Auto, BoundedAlphaBeta, DepthFirst, ThreatSpace, SimultaneousAlphaBeta, string(simultaneous.BackwardInduction),
	string(simultaneous.BoundedInduction), string(simultaneous.DoubleOracle), string(simultaneous.SequenceForm),
	Layers, Plans, MaxN, Equilibrium, Paranoid, MonteCarlo, Lattice,
}

// SimultaneousAlphaBeta is the method of package simultaneous that Choose returns.
const SimultaneousAlphaBeta = string(simultaneous.SMAB)

// titles holds the names of methods in the literature.
var titles = map[string]string{
	SimultaneousAlphaBeta:                 "Simultaneous Move Alpha-Beta",
	string(simultaneous.DoubleOracle):     "double oracle",
	string(simultaneous.BoundedInduction): "backward induction with serialized alpha-beta",
	BoundedAlphaBeta:                      "Bounded Alpha-Beta",
	DepthFirst:                            "Bounded Alpha-Beta, depth first",
	ThreatSpace:                           "threat-space search",
	Plans:                                 "plans",
	MonteCarlo:                            "Monte Carlo",
	Equilibrium:                           "backward induction of equilibria",
}

// Title returns the name of a method in the literature, or the method.
func Title(method string) string { return cmp.Or(titles[method], method) }

// replaced maps methods of earlier versions to options for the same search.
var replaced = map[string]string{
	"best":    "smab --order best (the default order)",
	"anytime": "smab, which deepens where positions repeat",
	"pns":     "dfs or bab, which take fewer nodes",
}

// Choose returns the exact methods for games of class c, best first, to run in parallel; nil if there are none. It is
// the only map from classes to searches.
//
//	players  moves         chance  goals         methods
//	one      –             no      –             Bounded Alpha-Beta; depth-first; plans
//	two      turns         no      constant sum  Bounded Alpha-Beta; threats
//	up to 2  turns         yes     constant sum  depth-first; Bounded Alpha-Beta
//	two      simultaneous  any     constant sum  Simultaneous Move Alpha-Beta
//	two      any           any     general sum   –
//	more     any           any     any           –
//
// In positions of real matches no other method solves more than Simultaneous Move Alpha-Beta
// (docs/lab/simultaneous.md).
//
// With chance, an iteration proves almost nothing before it reaches the end of the game, and each iteration costs
// about as much as the whole tree: pig-50-6 takes 18.2 million nodes with deepening, 1.1 million without.
//
// Sequences of forcing threats are deeper than the depth of a full search within a clock (docs/lab/turns.md). Without
// threats the search for them ends within milliseconds.
//
// For puzzles there are several methods. If long ways to the goal are many, depth-first search finds one long before
// iterative deepening; if they are few and short, iterative deepening is faster. If moves carry little information and
// the goal much, the search for plans, which reads the rules as a formula, is fastest.
func Choose(c Class) []string {
	switch {
	case c.Players > 2 || c.Players == 2 && !c.ConstantSum:
		return nil
	case c.Simultaneous:
		return []string{SimultaneousAlphaBeta}
	case c.Chance:
		return []string{DepthFirst, BoundedAlphaBeta}
	case c.Players == 1:
		return []string{BoundedAlphaBeta, DepthFirst, Plans}
	}
	return []string{BoundedAlphaBeta, ThreatSpace}
}

// Instead returns the class of the game after the error of a search for class c, and the methods for it. The methods
// are nil if no exact method is left, or if the error has another reason.
func Instead(c Class, err error) (Class, []string) {
	switch {
	case errors.Is(err, search.ErrNotSequential) && !c.Simultaneous:
		c.Simultaneous = true
	case errors.Is(err, search.ErrNotZeroSum) && c.ConstantSum:
		c.ConstantSum = false
	default:
		return c, nil
	}
	return c, Choose(c)
}

// solving returns the methods of Auto for games of class c: Choose, and for more than two roles methods that find
// guarantees. Nil means none.
func solving(c Class) []string {
	switch {
	case c.Players <= 2:
		return Choose(c)
	case !c.Simultaneous:
		return []string{Paranoid}
	case !c.Chance:
		return []string{Lattice}
	}
	return nil
}

// fitting returns the methods that fit a game of class c better than the method that failed with err, first the method of Auto; nil
// if err has another reason than the class of the game.
func fitting(c Class, err error) []string {
	isSequential := !errors.Is(err, search.ErrNotSequential)
	c.Simultaneous = c.Simultaneous || !isSequential
	c.ConstantSum = !errors.Is(err, search.ErrNotZeroSum)
	if err == nil || errors.Is(err, search.ErrGoals) || errors.Is(err, search.ErrMemory) || errors.Is(err, play.ErrStuck) || c.Players == 0 ||
		isSequential && c.ConstantSum && c.Players == 2 && !c.Chance {
		return nil
	}
	list := append([]string{Auto}, solving(c)...)
	if c.Players <= 2 {
		list = append(list, Equilibrium)
	}
	if c.Players != 1 && !c.Simultaneous {
		list = append(list, Paranoid, MaxN)
	}
	if !c.Chance {
		list = append(list, Lattice)
	}
	slices.Sort(list[1:])
	return slices.Compact(append(list, MonteCarlo))
}

// kindOf returns the kind of game that a method requires.
func kindOf(method string) goals.Kind {
	switch method {
	case MaxN, Equilibrium, Paranoid, Lattice, Plans, MonteCarlo:
		return goals.AnySum
	case Layers:
		return goals.Exhaustive
	}
	return goals.ZeroSum
}

// roundingOf returns the maximal rounding error of a method's bounds in games with chance, in goal points. At each ply
// a mean of n numbers up to 100 is off by at most n·100·2⁻⁵³ (packages sequential and maxn; n ≤ 2¹⁰, paths of at most
// 2 000 plies). Package montecarlo rounds to a grid, and joins ends that are nearer than 2⁻²⁰. Package simultaneous
// adjusts its own bounds.
func roundingOf(method string) float64 {
	const unit = 1. / (1 << 53)
	switch method {
	case BoundedAlphaBeta, DepthFirst, Paranoid, MaxN:
		return 2000 * (1 << 10) * 100 * unit
	case MonteCarlo:
		return search.MaxPlies * (1./(1<<20) + 1./(1<<30))
	}
	return 0
}

// NewSearcher returns the search of a method other than Auto, which checks the goals of the game (package goals). It
// ignores Method and Memory of o. It returns an error for an unknown method or invalid options.
func NewSearcher(method string, o Options) (search.Searcher, error) {
	first, err := newSearcher(method, o)
	if err != nil {
		return nil, err
	}
	another := func() search.Searcher {
		s, err := newSearcher(method, o)
		if err != nil {
			panic(err) // the first call accepted the same options
		}
		if o.Symmetries != On && method != Equilibrium { // it uses none
			s = withoutSymmetries(s)
		}
		return s
	}
	c := goals.Config{Kind: kindOf(method), Threads: o.Threads, Make: another, Lenient: o.Lenient, Rounding: roundingOf(method)}
	if _, keeps := first.(search.Keeper); keeps {
		return goals.NewKeeper(c), nil
	}
	return goals.NewSearcher(c), nil
}

func newSearcher(method string, o Options) (search.Searcher, error) {
	if now := replaced[method]; now != "" {
		return nil, fmt.Errorf("method %s has been removed; use %s", method, now)
	}
	if !slices.Contains(Methods, method) {
		return nil, fmt.Errorf("method: expected one of %s, found %q", strings.Join(Methods, ", "), method)
	}
	turns := sequential.Config{Epsilon: o.Epsilon, ShareEpsilon: o.ShareEpsilon, Threads: o.Threads, Halves: o.halves, Falling: !o.halves}
	if o.Table != On {
		turns.Without = sequential.Table
	}
	atOnce := simultaneous.Config{
		Method:  simultaneous.Method(method),
		Table:   o.Table == On,
		Order:   simultaneous.Order(o.Order),
		Moves:   simultaneous.MoveOrder(o.Moves),
		Skip:    o.Skip,
		Epsilon: o.Epsilon,
		Threads: o.Threads,
		Engine:  func() (matrix.Engine, error) { return matrix.NewEngine(o.LP) },
	}
	switch method {
	case BoundedAlphaBeta:
		return sequential.New(turns), nil
	case DepthFirst:
		turns.Without |= sequential.Deepening
		return sequential.New(turns), nil
	case Lattice:
		return outcomes.Searcher{}, nil
	case Layers:
		c := o.Layers
		c.Threads, c.Engine = o.Threads, atOnce.Engine
		return layers.New(c), nil
	case Plans:
		return planner{}, nil
	case MonteCarlo:
		return sampling{montecarlo.New(montecarlo.Config{Rule: montecarlo.RegretMatching, Epsilon: o.Epsilon, Workers: o.Threads})}, nil
	case MaxN:
		return maxn.New(maxn.Config{NoTable: o.Table != On}), nil
	case Equilibrium:
		return equilibrium.New(), nil
	case Paranoid:
		return sequential.NewParanoid(turns), nil
	case ThreatSpace:
		if o.Table != On {
			return nil, fmt.Errorf("method %s requires a transposition table, found --table off", method)
		}
		return sequential.NewThreats(), nil
	}
	return simultaneous.New(atOnce)
}
