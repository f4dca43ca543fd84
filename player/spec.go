package player

import (
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
	Tunable     bool // its name can give Parameters values

	make    func(setting) policy
	without []string // techniques
	threads int      // 0 means all there are
}

// kinds are all players.
var kinds = []Kind{
	{Name: "stackmate", About: "exact and sampling searches side by side", Tunable: true, make: think},
	{Name: "mcts", About: "the sampling search alone", Tunable: true, make: think, without: []string{exactSearch}},
	{Name: "mcts-plain", About: "textbook UCT on one thread, without any technique", Tunable: true, make: textbook, without: allTechniques(), threads: 1},
	{Name: "greedy", About: "looks one joint move ahead", make: func(s setting) policy { return &onePly{rng: machine.NewRand(s.seed)} }},
	{Name: "random", About: "a random legal move", make: func(s setting) policy { return &randomMove{machine.NewRand(s.seed)} }},
	{Name: "legal", About: "always the first legal move", make: func(setting) policy { return firstMove{} }},
}

func think(s setting) policy { return newThinker(s) }

func textbook(s setting) policy {
	s.textbook = true
	return newThinker(s)
}

// Technique is something that thinking players can do without, so that matches show
// what it is worth.
type Technique struct {
	Name, About string

	sampling montecarlo.Technique // 0 for what is no matter of that search
}

// The techniques that are no matter of the sampling search.
const (
	exactSearch = "exact"
	learning    = "learning"
	rave        = "rave"
	factoring   = "factoring"
)

// techniques are all of them: the only place that knows their names. What each is worth is in
// docs/lab.
var techniques = []Technique{
	{exactSearch, "exact search beside sampling", 0},
	{learning, "an evaluation trained in the start clock", 0},
	{factoring, "independent subgames searched apart", 0},
	{rave, "all moves as first", 0},
	{"decisive", "decisive and anti-decisive moves in playouts", montecarlo.Decisive},
	{"bounds", "score bounds", montecarlo.Bounds},
	{"transpositions", "one node for a position reached in several ways", montecarlo.Transpositions},
	{"equilibria", "matrix games of estimates for simultaneous moves", montecarlo.Equilibria},
	{"priors", "estimates as the first values of moves", montecarlo.Priors},
}

func allTechniques() []string {
	var names []string
	for _, t := range techniques {
		names = append(names, t.Name)
	}
	return names
}

// has tells whether a technique is in use.
func (s *spec) has(technique string) bool { return !slices.Contains(s.without, technique) }

// sampledWithout are the techniques of the sampling search among those to do without.
func (s *spec) sampledWithout() montecarlo.Technique {
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
//	             smab, do or bab, with a tolerance in goal points as in bab:epsilon=5, or none
//	without=A+B  does without these techniques
//	NAME=VALUE   gives one of Parameters a value
func Kinds() []Kind { return slices.Clone(kinds) }

// Techniques describes what players can do without.
func Techniques() []Technique { return slices.Clone(techniques) }

// Parameter is a number of the sampling search that the name of a player can give.
type Parameter struct {
	Name, About, Unit  string
	Default, Low, High float64
	Integer            bool

	set func(*montecarlo.Config, float64)
}

// parameters are all of them. Their defaults are measured (docs/lab/sampling.md).
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
		"playouts", "random playouts of each leaf, fewer beside estimates", "playouts", montecarlo.DefaultPlayouts, 1, 64, true,
		func(c *montecarlo.Config, v float64) { c.Playouts = int(v) },
	},
	{
		"puct", "constant of PUCT where moves have estimates", "goal points", montecarlo.DefaultPolicyExploration, 1, 150, false,
		func(c *montecarlo.Config, v float64) { c.PolicyExploration = v },
	},
}

// Parameters describes the numbers that the name of a thinking player can give.
func Parameters() []Parameter { return slices.Clone(parameters) }

// MaxThreads is as many as a search may be given: more than there are processors only keep
// each other from work, and a million of them from ending.
const MaxThreads = 1024

// spec is a player as its name describes it.
type spec struct {
	kind    Kind
	threads int // 0 means those of Options
	without []string
	exact   exactChoice
	values  map[string]float64 // of parameters, by name
}

// exactChoice is the exact search that a player is to use; the zero value leaves it to the class
// of the game.
type exactChoice struct {
	method  string
	epsilon float64 // goal points
}

// options returns the options of an exact search for a player.
func (c exactChoice) options() solve.Options {
	o := solve.Default()
	o.Epsilon, o.Lenient = c.epsilon, true
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
		return s.setParameter(key, value)
	}
	return nil
}

// setParameter reads the value of a parameter.
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
var exactMethods = []string{solve.BoundedAlphaBeta, solve.DepthFirst, solve.ProofNumber, solve.ThreatSpace, solve.SimultaneousAlphaBeta, "biab", "do"}

func names[T any](list []T, name func(T) string) string {
	var all []string
	for _, e := range list {
		all = append(all, name(e))
	}
	return strings.Join(all, ", ")
}
