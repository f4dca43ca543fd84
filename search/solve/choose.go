package solve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// The methods besides those of package simultaneous.
const (
	Auto             = "auto"    // by the class of the game, see Choose
	BoundedAlphaBeta = "bab"     // package sequential
	DepthFirst       = "dfs"     // the same without iterative deepening
	ProofNumber      = "pns"     // sequential.ProofNumber
	ThreatSpace      = "threats" // sequential.Threats: wins by threats alone
	Plans            = "plan"    // those of machine.Analysis
	MonteCarlo       = "mcts"    // package montecarlo: what its score bounds prove
	Layers           = "layers"  // package layers
	MaxN             = "maxn"    // package maxn: an equilibrium of any number of roles, by turns
	// Equilibrium is package equilibrium: an equilibrium of two roles, at once or by turns, in rationals.
	Equilibrium = "equilibrium"
	// Paranoid is sequential.Paranoid: what each role can guarantee against all others. Like
	// those of Lattice, its values are no solution of a game of general sum.
	Paranoid = "paranoid"
	// Lattice is that of package outcomes: what each role can guarantee, and all
	// undominated outcomes. Its values are no solution of a game of general sum, so that
	// Choose names it for no class.
	Lattice = outcomes.Method
)

// Methods are all methods.
var Methods = []string{
	Auto, BoundedAlphaBeta, DepthFirst, ProofNumber, ThreatSpace, SimultaneousAlphaBeta, string(simultaneous.BackwardInduction),
	string(simultaneous.BoundedInduction), string(simultaneous.DoubleOracle), string(simultaneous.SequenceForm),
	Layers, Plans, MaxN, Equilibrium, Paranoid, MonteCarlo, Lattice,
}

// SimultaneousAlphaBeta is the method of package simultaneous that Choose takes.
const SimultaneousAlphaBeta = string(simultaneous.SMAB)

// titles are the names of methods in the literature.
var titles = map[string]string{
	SimultaneousAlphaBeta:                 "Simultaneous Move Alpha-Beta",
	string(simultaneous.DoubleOracle):     "double oracle",
	string(simultaneous.BoundedInduction): "backward induction with serialized alpha-beta",
	BoundedAlphaBeta:                      "Bounded Alpha-Beta",
	DepthFirst:                            "Bounded Alpha-Beta, depth first",
	ProofNumber:                           "proof-number search",
	ThreatSpace:                           "threat-space search",
	Plans:                                 "plans",
	MonteCarlo:                            "Monte Carlo",
	Equilibrium:                           "backward induction of equilibria",
}

// Title returns the name of a method in the literature, or the method.
func Title(method string) string { return cmp.Or(titles[method], method) }

// replaced are methods of earlier versions, and the options that give the same search now.
var replaced = map[string]string{
	"best":    "smab --order best (the default order)",
	"anytime": "smab, which deepens where positions repeat",
}

// Choose names the exact methods for games of class c that are worth running side by
// side, best first, or none: this is the only place that maps classes to searches.
//
//	players  moves         chance  goals         methods
//	one      –             no      –             Bounded Alpha-Beta; depth-first; plans
//	two      turns         no      constant sum  Bounded Alpha-Beta; threats
//	up to 2  turns         yes     constant sum  depth-first; Bounded Alpha-Beta
//	two      simultaneous  any     constant sum  Simultaneous Move Alpha-Beta
//	two      any           any     general sum   –
//	more     any           any     any           –
//
// Of positions of real matches no other method solves more than Simultaneous Move Alpha-Beta (docs/lab/simultaneous.md).
//
// With chance, next to nothing is proved before an iteration reaches the end of the game,
// and each iteration is about as long as the whole: pig-50-6 takes 18.2 million nodes with
// deepening, 1.1 million without.
//
// Threats that follow one another, each of which has to be answered, are deeper than a search of all moves gets under a
// clock (docs/lab/turns.md); where there are none, that is known within milliseconds.
//
// A second one for puzzles: where there are many ways to the goal but all are
// long, going to the end at once finds one long before iterative deepening does;
// where they are few and short it is the other way. Where moves say little and what has
// to hold at the end says much, the rules read as a formula lead there.
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

// Instead tells what the error of a search for games of class c shows of the class,
// and what to choose now: nothing (nil) if no exact search is left, or the error has
// another reason.
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

// solving names the methods of Auto for games of class c: Choose, and for more than two roles the
// methods that find guarantees. Nil means that there is none.
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

// kindOf returns the kind of game that a method is for.
func kindOf(method string) goals.Kind {
	switch method {
	case MaxN, Equilibrium, Paranoid, Lattice, Plans, MonteCarlo:
		return goals.AnySum
	case Layers:
		return goals.Exhaustive
	}
	return goals.ZeroSum
}

// roundingOf returns the greatest rounding error of the bounds of a method in games with chance, in goal points. At each
// ply a mean of n numbers up to 100 is off by n·100·2⁻⁵³ at most (packages sequential and maxn, n ≤ 2¹⁰ on paths of at most 2 000 plies), or was moved to a grid and made one number where its ends were nearer than 2⁻²⁰ (package montecarlo).
// Package simultaneous moves its own bounds.
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

// NewSearcher makes the search of a method other than Auto, which checks the goals of the game (package
// goals). The method and the memory of o do not count.
func NewSearcher(method string, o Options) (search.Searcher, error) {
	first, err := newSearcher(method, o)
	if err != nil {
		return nil, err
	}
	another := func() search.Searcher {
		s, err := newSearcher(method, o)
		if err != nil {
			panic(err) // the first one was made of the same options
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
		return nil, fmt.Errorf("method %s: not in this version; use %s", method, now)
	}
	if !slices.Contains(Methods, method) {
		return nil, fmt.Errorf("method: expected one of %s, found %q", strings.Join(Methods, ", "), method)
	}
	turns := sequential.Config{Epsilon: o.Epsilon, ShareEpsilon: o.ShareEpsilon, Threads: o.Threads, Halves: o.halves}
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
	case ProofNumber, ThreatSpace:
		if o.Table != On {
			return nil, fmt.Errorf("method %s: expected a table, found --table off", method)
		}
		if method == ThreatSpace {
			return sequential.NewThreats(), nil
		}
		return sequential.NewProofNumber(turns), nil
	}
	return simultaneous.New(atOnce)
}
