package player

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackmate/reasoner/machine"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// Kind is a kind of player.
type Kind struct {
	Name, About string

	make    func(setting) policy
	without []string // techniques
	threads int      // 0 means all there are
}

// kinds are all players.
var kinds = []Kind{
	{Name: "stackmate", About: "exact and sampling searches side by side", make: think},
	{Name: "mcts", About: "the sampling search alone", make: think, without: []string{exactSearch}},
	{Name: "mcts-plain", About: "textbook UCT on one thread, without any technique", make: think, without: allTechniques(), threads: 1},
	{Name: "greedy", About: "looks one joint move ahead", make: func(s setting) policy { return &onePly{rng: machine.NewRand(s.seed)} }},
	{Name: "random", About: "a random legal move", make: func(s setting) policy { return &randomMove{machine.NewRand(s.seed)} }},
	{Name: "legal", About: "always the first legal move", make: func(setting) policy { return firstMove{} }},
}

func think(s setting) policy { return newThinker(s) }

// Technique is something that thinking players can do without, so that matches show
// what it is worth.
type Technique struct {
	Name, About string

	sampling montecarlo.Technique // 0 for what is no matter of that search
}

// The techniques that are no matter of the sampling search.
const (
	exactSearch    = "exact"
	regretMatching = "regret"
	rehearsal      = "rehearsal"
	sharing        = "sharing"
	severalAtOnce  = "several"
	learning       = "learning"
	signals        = "signals"
	alphaBeta      = "alphabeta"
	rave           = "rave"
	horizon        = "horizon"
	nested         = "nested"
	factoring      = "factoring"
	resistance     = "resistance"
)

// techniques are all of them: the only place that knows their names.
var techniques = []Technique{
	{exactSearch, "exact search beside sampling", 0},
	{sharing, "less time for an exact search without results", 0},
	{rehearsal, "trial matches in the start clock", 0},
	{regretMatching, "regret matching for simultaneous moves, instead of UCT", 0},
	{learning, "an evaluation trained in the start clock", 0},
	{signals, "threats and moves as inputs of the evaluation", 0},
	{alphaBeta, "alpha-beta with the evaluation", 0},
	{nested, "nested Monte Carlo search for one player, instead of UCT", 0},
	{resistance, "the hardest moves to answer in lost positions", 0},
	{horizon, "equilibria of estimates for simultaneous moves", 0},
	{factoring, "independent subgames searched apart", 0},
	{severalAtOnce, "several playouts for each leaf", 0},
	{rave, "all moves as first", 0},
	{"decisive", "decisive and anti-decisive moves in playouts", montecarlo.Decisive},
	{"foresight", "leaves solved within two plies", montecarlo.Foresight},
	{"bounds", "score bounds", montecarlo.Bounds},
	{"transpositions", "one node for a position reached in several ways", montecarlo.Transpositions},
	{"equilibria", "matrix games of estimates for simultaneous moves", montecarlo.Equilibria},
	{"priors", "estimates as the first values of moves", montecarlo.Priors},
	{"caution", "the move with the best lower bound, not the most visits", montecarlo.Caution},
}

func allTechniques() []string {
	var names []string
	for _, t := range techniques {
		names = append(names, t.Name)
	}
	return names
}

// sampledWithout are the techniques of the sampling search among those to do without.
func (s *setting) sampledWithout() montecarlo.Technique {
	var without montecarlo.Technique
	for _, t := range techniques {
		if !s.has(t.Name) {
			without |= t.sampling
		}
	}
	return without
}

// Kinds describes all kinds of players. The name of a player is that of a kind, with
// options where it should differ:
//
//	KIND[:OPTION=VALUE[,OPTION=VALUE]…]
//
//	threads=N    searches on so many threads
//	exact=METHOD the exact search beside the sampling one: a method of package solve, such as
//	             smab, best, do or bab, with a tolerance in goal points as in bab:epsilon=5, or none
//	without=A+B  does without these techniques
func Kinds() []Kind { return slices.Clone(kinds) }

// Techniques describes what players can do without.
func Techniques() []Technique { return slices.Clone(techniques) }

// MaxThreads is as many as a search may be given: more than there are processors only keep
// each other from work, and a million of them from ending.
const MaxThreads = 1024

// spec is a player as its name describes it.
type spec struct {
	kind    Kind
	threads int // 0 means those of Options
	without []string
	exact   exactChoice
}

// exactChoice is the exact search that a player is to use; the zero value leaves it to the class
// of the game.
type exactChoice struct {
	method  string
	epsilon float64 // goal points
}

// options are those of package solve.
func (c exactChoice) options() solve.Options {
	o := solve.Default()
	o.Epsilon = c.epsilon
	return o
}

// parse reads the name of a player.
func parse(name string) (spec, error) {
	first, rest, hasOptions := strings.Cut(name, ":")
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == first })
	if i < 0 {
		return spec{}, fmt.Errorf("no player %q: it is one of %s", first, names(kinds, func(k Kind) string { return k.Name }))
	}
	s := spec{kind: kinds[i], threads: kinds[i].threads, without: slices.Clone(kinds[i].without)}
	if !hasOptions {
		return s, nil
	}
	for option := range strings.SplitSeq(rest, ",") {
		if err := s.set(option); err != nil {
			return spec{}, fmt.Errorf("player %q: %w", name, err)
		}
	}
	return s, nil
}

// set reads one option.
func (s *spec) set(option string) error {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "threads":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxThreads {
			return fmt.Errorf("threads: expected a number from 1 to %d, found %q", MaxThreads, value)
		}
		s.threads = n
	case "without":
		for t := range strings.SplitSeq(value, "+") {
			if !slices.ContainsFunc(techniques, func(known Technique) bool { return known.Name == t }) {
				return fmt.Errorf("no technique %q: it is one of %s", t, names(techniques, func(t Technique) string { return t.Name }))
			}
			s.without = append(s.without, t)
		}
	case "exact":
		return s.setExact(value)
	default:
		return fmt.Errorf("expected threads=N, exact=METHOD or without=TECHNIQUE+…, found %q", option)
	}
	return nil
}

// setExact reads the exact search, such as smab or bab:epsilon=5.
func (s *spec) setExact(value string) error {
	method, tolerance, hasTolerance := strings.Cut(value, ":")
	if method == "none" && !hasTolerance {
		s.without = append(s.without, exactSearch)
		return nil
	}
	c := exactChoice{method: method}
	if hasTolerance {
		text, ok := strings.CutPrefix(tolerance, "epsilon=")
		e, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil || !(e >= 0 && e <= machine.MaxGoal) {
			return fmt.Errorf("exact: expected METHOD:epsilon=E with 0 to %d goal points, found %q", machine.MaxGoal, value)
		}
		c.epsilon = e
	}
	if _, err := solve.NewSearcher(method, c.options()); err != nil || !slices.Contains(exactMethods, method) {
		return fmt.Errorf("exact: expected none or one of %s, found %q", strings.Join(exactMethods, ", "), method)
	}
	s.exact = c
	return nil
}

// exactMethods are those of package solve that prove values of games of two.
var exactMethods = []string{solve.BoundedAlphaBeta, solve.DepthFirst, solve.ProofNumber, "smab", "biab", "do", "best"}

func names[T any](list []T, name func(T) string) string {
	var all []string
	for _, e := range list {
		all = append(all, name(e))
	}
	return strings.Join(all, ", ")
}
