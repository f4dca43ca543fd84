package player

import (
	"errors"
	"fmt"
	"math"
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
	Tunable     bool // the name can set Parameters

	make    func(setting) policy
	without []string // techniques to leave out
	threads int      // 0 means the default
	plain   bool     // textbook UCT, without preparation
}

// kinds lists all kinds of players.
var kinds = []Kind{
	{Name: "stackmate", About: "exact and sampling searches side by side", Tunable: true, make: think},
	{Name: "mcts", About: "the sampling search alone", Tunable: true, make: think, without: []string{exactSearch}},
	{Name: "mcts-plain", About: "textbook UCT on one thread, without any technique", Tunable: true, make: think, without: allTechniques(), threads: 1, plain: true},
	{Name: "greedy", About: "looks one joint move ahead", make: func(s setting) policy { return &onePly{rng: machine.NewRand(s.seed)} }},
	{Name: "random", About: "a random legal move", make: func(s setting) policy { return &randomMove{machine.NewRand(s.seed)} }},
	{Name: "legal", About: "always the first legal move", make: func(setting) policy { return firstMove{} }},
}

func think(s setting) policy { return newThinker(s) }

// Technique is a switchable part of the search. Matches with and without it measure its worth.
type Technique struct {
	Name, About string

	sampling montecarlo.Technique // 0 for a technique outside the sampling search
}

// The techniques outside the sampling search.
const (
	exactSearch = "exact"
	learning    = "learning"
	rave        = "rave"
	factoring   = "factoring"
)

// techniques lists all techniques; no other place knows their names. docs/lab has their measured worth.
var techniques = []Technique{
	{exactSearch, "exact search beside sampling", 0},
	{learning, "an evaluation trained in the start clock and while the opponents think", 0},
	{factoring, "independent subgames searched apart", 0},
	{rave, "all moves as first", 0},
	{"decisive", "decisive and anti-decisive moves in playouts", montecarlo.Decisive},
	{"bounds", "score bounds", montecarlo.Bounds},
	{"transpositions", "one node for a position reached in several ways", montecarlo.Transpositions},
	{"equilibria", "matrix games of estimates for simultaneous moves", montecarlo.Equilibria},
	{"priors", "estimates as the first values of moves", montecarlo.Priors},
	{"minimax", "implicit minimax backups of estimates", montecarlo.Minimax},
}

func allTechniques() []string {
	var names []string
	for _, t := range techniques {
		names = append(names, t.Name)
	}
	return names
}

// has reports whether a technique is in use.
func (s *spec) has(technique string) bool { return !slices.Contains(s.without, technique) }

// sampledWithout returns the techniques that the sampling search leaves out.
func (s *spec) sampledWithout() montecarlo.Technique {
	var without montecarlo.Technique
	for _, t := range techniques {
		if !s.has(t.Name) {
			without |= t.sampling
		}
	}
	return without
}

// Kinds returns all kinds of players. The name of a player is the name of a kind with
// options:
//
//	KIND[:OPTION=VALUE[,OPTION=VALUE]…]
//
//	threads=N    number of searching threads
//	exact=METHOD exact search beside the sampling search: a method of package solve, such as
//	             smab, do or bab, with a tolerance in goal points as in bab:epsilon=5, or none
//	without=A+B  leaves these techniques out
//	NAME=VALUE   sets one of Parameters
func Kinds() []Kind { return slices.Clone(kinds) }

// Techniques returns the techniques that a player's name can leave out.
func Techniques() []Technique { return slices.Clone(techniques) }

// Parameter is a parameter of the sampling search that a player's name can set.
type Parameter struct {
	Name, About, Unit  string
	Default, Low, High float64
	Integer            bool

	set func(*montecarlo.Config, float64)
}

// parameters lists all parameters. Their defaults are measured (docs/lab/sampling.md).
var parameters = []Parameter{
	{
		"exploration", "constant of UCT where leaves are played out", "goal points", montecarlo.DefaultExploration, 1, 100, false,
		func(c *montecarlo.Config, v float64) {
			if c.Evaluator == nil {
				c.Exploration = v
			}
		},
	},
	{
		"playouts", "random playouts of each leaf", "playouts", montecarlo.DefaultPlayouts, 1, 64, true,
		func(c *montecarlo.Config, v float64) { c.Playouts = int(v) },
	},
	{
		"puct", "constant of PUCT where moves have estimates", "goal points", montecarlo.DefaultPolicyExploration, 1, 150, false,
		func(c *montecarlo.Config, v float64) { c.PolicyExploration = v },
	},
}

// Parameters returns the parameters that a player's name can set.
func Parameters() []Parameter { return slices.Clone(parameters) }

// MaxThreads bounds the threads of a search: threads beyond the number of processors compete for them,
// and a million threads would not stop in time.
const MaxThreads = 1024

// ErrUnknown is wrapped by the error of New for a name of an unknown kind.
var ErrUnknown = errors.New("unknown player")

// spec is a parsed name of a player.
type spec struct {
	kind    Kind
	threads int // 0 means Options.Threads
	without []string
	exact   exactChoice
	values  map[string]float64 // by name of parameter
}

// exactChoice is the exact search that a name requests; the zero value leaves the choice to the class
// of the game.
type exactChoice struct {
	method  string
	epsilon float64 // goal points
}

// options returns the options of the exact search.
func (c exactChoice) options() solve.Options {
	o := solve.Default()
	o.Epsilon, o.Lenient = c.epsilon, true
	return o
}

// parse returns the spec of a name.
func parse(name string) (spec, error) {
	first, rest, hasOptions := strings.Cut(name, ":")
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == first })
	if i < 0 {
		return spec{}, fmt.Errorf("%w %q: expected one of %s", ErrUnknown, first, names(kinds, func(k Kind) string { return k.Name }))
	}
	s := spec{kind: kinds[i], threads: kinds[i].threads, without: slices.Clone(kinds[i].without)}
	if !hasOptions {
		return s, nil
	}
	given := make(map[string]bool)
	for option := range strings.SplitSeq(rest, ",") {
		key, _, _ := strings.Cut(option, "=")
		if given[key] {
			return spec{}, fmt.Errorf("player %q: expected each option once, found %s twice", name, key)
		}
		given[key] = true
		if err := s.set(option); err != nil {
			return spec{}, fmt.Errorf("player %q: %w", name, err)
		}
	}
	return s, nil
}

// set parses an option and enters it.
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
				return fmt.Errorf("unknown technique %q: expected one of %s", t, names(techniques, func(t Technique) string { return t.Name }))
			}
			s.without = append(s.without, t)
		}
	case "exact":
		return s.setExact(value)
	default:
		return s.setParameter(key, value)
	}
	return nil
}

// setParameter parses the value of a parameter and enters it.
func (s *spec) setParameter(key, value string) error {
	i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == key })
	if i < 0 || !s.kind.Tunable {
		return fmt.Errorf("expected threads=N, exact=METHOD, without=TECHNIQUE+… or, for a player that samples, %s with a value, found %q",
			names(parameters, func(p Parameter) string { return p.Name }), key+"="+value)
	}
	p := parameters[i]
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v >= p.Low && v <= p.High) || p.Integer && v != math.Trunc(v) {
		return fmt.Errorf("%s: expected a number from %g to %g (%s), found %q", p.Name, p.Low, p.High, p.Unit, value)
	}
	if s.values == nil {
		s.values = make(map[string]float64)
	}
	s.values[p.Name] = v
	return nil
}

// setExact parses an exact search, such as smab or bab:epsilon=5, and enters it.
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

// exactMethods lists the exact methods of package solve for games of two players.
var exactMethods = []string{solve.BoundedAlphaBeta, solve.DepthFirst, solve.ThreatSpace, solve.SimultaneousAlphaBeta, "biab", "do"}

func names[T any](list []T, name func(T) string) string {
	var all []string
	for _, e := range list {
		all = append(all, name(e))
	}
	return strings.Join(all, ", ")
}
