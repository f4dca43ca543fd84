package oracle_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/internal/oracle"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// tolerance is the error, in goal points, below which values count as equal.
const tolerance = 1e-6

// fault is a difference between the program and the oracle. Its kind names the check.
type fault struct{ kind, text string }

// comparison is one rulesheet that is compared.
type comparison struct {
	*rand.Rand
	ctx      context.Context
	rules    *gdl.Game
	game     *oracle.Game
	machines map[string]machine.Machine
	faults   []fault
	only     func(kind string) bool // whether a check is wanted

	positions map[string]int                      // by their facts, numbers of the oracle
	values    map[string]map[string]oracle.Values // by reading and role
	states    map[machine.Machine][]machine.State // of the positions
	sum       int                                 // of the goals, where it is constant
	constant  bool
	turns     bool
	acyclic   bool
	sound     bool // no role is stuck and no goal of a player is faulty
}

// engines are the machines that are compared.
var engines = []string{"circuit", "datalog", "reference"}

// compare compares the program's answers about a rulesheet with the oracle's game. It returns nil if the rulesheet is
// invalid.
func compare(ctx context.Context, text string, game *oracle.Game, seed uint64, wanted func(kind string) bool) *comparison {
	c := newComparison(ctx, text, game, seed, wanted)
	if c == nil {
		return nil
	}
	c.run("engine", c.compareEngines)
	c.run("analysis", c.compareAnalysis)
	c.run("solve", c.compareSearches)
	if longest := c.game.Positions[len(c.game.Positions)-1].Depth; c.IntN(4) == 0 || longest > rareDepth {
		c.run("prove", c.compareProofs)
	}
	return c
}

// rareDepth is the number of joint moves beyond which a game has events that random games miss: beyond it, the proved facts are
// always compared.
const rareDepth = 7

// newComparison prepares to compare. It returns nil if the rulesheet is invalid.
func newComparison(ctx context.Context, text string, game *oracle.Game, seed uint64, wanted func(kind string) bool) *comparison {
	rules, _, err := gdl.Load(ctx, "", []byte(text))
	if err != nil || game == nil {
		return nil
	}
	c := &comparison{
		Rand: rand.New(rand.NewPCG(seed, 59)), ctx: ctx, rules: rules, game: game, only: wanted,
		machines: make(map[string]machine.Machine), positions: make(map[string]int), values: make(map[string]map[string]oracle.Values),
		states: make(map[machine.Machine][]machine.State),
	}
	for i := range game.Positions {
		c.positions[fmt.Sprint(game.Positions[i].Facts)] = i
	}
	c.sum, c.constant = constantSum(game)
	c.turns, c.acyclic = simultaneous(game) < 0, game.Acyclic
	c.sound = stuck(game) < 0 && faulty(game, game.Players) < 0
	return c
}

// run does one group of checks; a panic is a fault.
func (c *comparison) run(group string, check func()) {
	defer func() {
		if p := recover(); p != nil {
			c.fault("panic "+group, "%v\n%s", p, debug.Stack())
		}
	}()
	check()
}

// fault notes a difference.
func (c *comparison) fault(kind, format string, args ...any) {
	kind = c.tagged(kind)
	if c.only == nil || c.only(kind) {
		c.faults = append(c.faults, fault{kind, fmt.Sprintf(format, args...)})
	}
}

// tagged returns a kind of fault with a word about the game.
func (c *comparison) tagged(kind string) string {
	switch {
	case !c.sound:
		return kind + " (faulty)"
	case !c.acyclic:
		return kind + " (cycles)"
	}
	return kind
}

// machine returns the machine of an engine, or nil.
func (c *comparison) machine(engine string) machine.Machine {
	if m, ok := c.machines[engine]; ok {
		return m
	}
	m, err := reasoner.New(c.ctx, c.rules, reasoner.Options{Engine: engine, Memory: 256 << 20})
	if err != nil {
		c.fault("engine "+engine, "no machine: %v", err)
		m = nil
	}
	c.machines[engine] = m
	return m
}

// state returns a position of the oracle as a state of a machine.
func (c *comparison) state(m machine.Machine, position int) machine.State {
	list := c.states[m]
	if list == nil {
		list = make([]machine.State, len(c.game.Positions))
		c.states[m] = list
	}
	if list[position] == nil {
		s, err := m.Names().State(c.game.Positions[position].Facts)
		if err != nil {
			c.fault("engine "+m.Info().Engine, "a position that can be reached is unknown: %v", err)
			s = m.Names().NewState()
		}
		list[position] = s
	}
	return list[position]
}

// value returns a value of all positions for a role, by a reading.
func (c *comparison) value(role int, k oracle.Reading) oracle.Values {
	key, by := fmt.Sprint(k), fmt.Sprint(role)
	if c.values[key] == nil {
		c.values[key] = make(map[string]oracle.Values)
	}
	if v, ok := c.values[key][by]; ok {
		return v
	}
	v := c.game.Guarantee(role, k)
	c.values[key][by] = v
	return v
}

// bounds returns the values that a role can guarantee in each position, and the values that it can hope for: they differ where
// games may never end, and where goals are faulty.
func (c *comparison) bounds(role int, pure bool) (low, high oracle.Values) {
	endless := int64(100)
	switch {
	case len(c.game.Players) == 1:
		endless = 0 // a lone player chooses to go on for ever itself
	case len(c.game.Players) == 2 && c.constant:
		endless = int64(c.sum)
	}
	return c.value(role, oracle.Reading{Pure: pure}), c.value(role, oracle.Reading{Endless: endless, Fault: 100, Pure: pure})
}

func float(x *big.Rat) float64 {
	v, _ := x.Float64()
	return v
}

// compareEngines compares all positions with the machines.
func (c *comparison) compareEngines() {
	for _, engine := range engines {
		if engine == "reference" && len(c.game.Positions) > 60 {
			continue
		}
		if m := c.machine(engine); m != nil {
			c.compareMachine(engine, m)
		}
	}
}

func (c *comparison) compareMachine(engine string, m machine.Machine) {
	names := m.Names()
	if !slices.Equal(names.Roles, c.game.Roles) {
		c.fault("engine "+engine, "roles %v, want %v", names.Roles, c.game.Roles)
		return
	}
	batch, expander, e := m.NewNarrowBatch(), play.NewExpander(m), new(play.Expansion)
	expander.Limit(c.ctx, 64<<20, 0)
	goals := make([]int32, len(names.Roles))
	for i := range c.game.Positions {
		p, s := &c.game.Positions[i], c.state(m, i)
		batch.Fill(s, nil)
		batch.Evaluate(1)
		if got := batch.Terminal()[0]&1 != 0; got != p.Terminal {
			c.fault("engine "+engine, "position %v is terminal: %v, want %v", p.Facts, got, p.Terminal)
			return
		}
		batch.Goals(goals, 0)
		for r := range goals {
			if int(goals[r]) != p.Goals[r] && p.Terminal {
				c.fault("engine "+engine, "position %v has the goals %v, want %v", p.Facts, goals, p.Goals)
				return
			}
		}
		if p.Terminal {
			continue
		}
		if got := batch.Stuck()[0]&1 != 0; got != p.IsStuck() {
			c.fault("engine "+engine, "position %v is stuck: %v, want %v", p.Facts, got, p.IsStuck())
		}
		err := expander.Expand(e, s)
		for r := range goals {
			var texts []string
			for _, move := range e.Moves[r] {
				texts = append(texts, names.MoveText(machine.Role(r), move))
			}
			slices.Sort(texts)
			if !slices.Equal(texts, p.Moves[r]) {
				c.fault("engine "+engine, "position %v has the moves %v of %s, want %v", p.Facts, texts, names.Roles[r], p.Moves[r])
				return
			}
		}
		if p.IsStuck() || err != nil {
			continue
		}
		for child := range e.Children {
			joint := make([]machine.Move, len(goals))
			e.Joint(joint, child)
			next := after(p, names.JointTexts(joint))
			if next < 0 || !c.state(m, next).Equal(e.Child(child)) {
				c.fault("engine "+engine, "position %v, %v: next %v, want %v", p.Facts, names.JointTexts(joint), names.AppendFluents(nil, e.Child(child)),
					c.game.Positions[max(next, 0)].Facts)
				return
			}
		}
	}
	counts, err := play.Perft(c.ctx, m, m.Initial(), 1+c.IntN(5))
	for _, n := range counts {
		joints, terminals := perft(c.game, n.Depth)
		if err == nil && (n.JointMoves != joints || n.Terminals != terminals) {
			c.fault("perft "+engine, "depth %d: %d and %d, want %d and %d", n.Depth, n.JointMoves, n.Terminals, joints, terminals)
		}
	}
}

// patience bounds one search; no check depends on it, but a search that never ends is a fault. All other limits are numbers of
// nodes, so that a busy machine changes no result.
const patience = 10 * time.Minute
