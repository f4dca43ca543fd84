package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"time"

	"stackmate/internal/oracle"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/layers"
	atonce "stackmate/search/simultaneous"
	"stackmate/search/solve"
)

// nodes bounds a search: more than any of the games has positions. Where positions come back, nothing ends by itself.
const (
	nodes        = 20_000
	endlessNodes = 800
)

// runs is how many searches are drawn for a rulesheet.
const runs = 3

// compareSearches draws methods, engines and options, and judges the results.
func (c *comparison) compareSearches() {
	for range runs {
		o := solve.Default()
		o.Method = solve.Methods[c.IntN(len(solve.Methods))]
		if c.IntN(3) == 0 {
			o.Method = solve.Auto
		}
		engine := engines[max(0, c.IntN(6)-3)]
		if engine == "reference" && (len(c.game.Positions) > 30 || !c.acyclic) {
			engine = "circuit"
		}
		o.Memory = []int64{1, 64}[c.IntN(2)]
		o.Threads = 1 + c.IntN(4)/3
		if c.IntN(4) == 0 {
			o.Symmetries = solve.Off
		}
		if c.IntN(6) == 0 {
			o.Epsilon = 5
		}
		c.search(engine, o, c.IntN(3) == 0, c.IntN(3) == 0)
	}
}

// search runs one search and judges it, in all positions that its strategies reach if wanted. A search that is
// interrupted first is judged twice: by the claims of its first part, and once it was resumed.
func (c *comparison) search(engine string, o solve.Options, everywhere, interrupted bool) {
	m := c.machine(engine)
	if m == nil {
		return
	}
	label := fmt.Sprintf("%s on %s, symmetries %s, %d threads, %d MiB, ε %g", o.Method, engine, o.Symmetries, o.Threads, o.Memory, o.Epsilon)
	if interrupted && o.Method == solve.Layers && m.Names().Open == nil {
		folder, err := os.MkdirTemp("", "oracle")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		o.Layers.Folder = folder
	}
	s, err := solve.New(o)
	if err != nil {
		c.fault("options "+o.Method, "%s: %v", label, err)
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	most := int64(nodes)
	switch {
	case o.Method == solve.MonteCarlo:
		most = 300
	case !c.acyclic:
		most = endlessNodes
	}
	limits := search.Limits{MaxBytes: o.Memory << 20, MaxNodes: most, Seed: c.Uint64()}
	v := &verdict{comparison: c, options: o, label: label, machine: m, solver: s, everywhere: everywhere}
	if interrupted {
		v.label += ", interrupted"
		v.interrupt(ctx, limits)
	}
	r, err := v.solver.Search(ctx, m, m.Initial(), limits)
	if ctx.Err() != nil {
		c.fault("endless "+o.Method, "%s: no end after %v", label, patience)
		return
	}
	v.result = r
	v.judge(err)
}

// interrupt judges the claims of a search that some nodes, or a few milliseconds, end early. A search by another solver
// goes on with the saved proofs or layers, or the same solver goes on.
func (v *verdict) interrupt(ctx context.Context, limits search.Limits) {
	short, cancel := context.WithTimeout(ctx, time.Duration(v.IntN(4_000))*time.Microsecond)
	defer cancel()
	if limits.MaxNodes = min(limits.MaxNodes, 1+v.Int64N(100)); v.IntN(2) == 0 {
		short = ctx
	}
	r, err := v.solver.Search(short, v.machine, v.machine.Initial(), limits)
	if err == nil {
		cut := *v
		cut.result, cut.isCut = r, true
		cut.judge(nil)
	}
	if v.options.Layers.Folder != "" || v.IntN(2) == 0 {
		v.resume()
	}
}

// resume replaces the solver by another one, which has the saved part of its work.
func (v *verdict) resume() {
	v.options.Layers.Resume = v.options.Layers.Folder != "" && layers.Holds(v.options.Layers.Folder)
	next, err := solve.New(v.options)
	if err != nil {
		v.fault("options", "%v", err)
		return
	}
	_, from, _ := v.solver.Keeper(v.machine)
	if _, to, maxBytes := next.Keeper(v.machine); from != nil && to != nil {
		records := func(yield func([]uint64, error) bool) {
			for record := range from.Kept() {
				if !yield(record, nil) {
					return
				}
			}
		}
		if err := to.Keep(v.machine, maxBytes, records); err != nil && v.sound {
			v.fault("resume", "%v", err)
		}
	}
	v.solver = next
}

// verdict judges one search.
type verdict struct {
	*comparison
	options solve.Options
	label   string
	machine machine.Machine
	solver  *solve.Solver
	result  search.Result

	everywhere bool // the answers in all positions that the strategies reach are compared, too
	isCut      bool // the search was ended early
}

func (v *verdict) fault(kind, format string, args ...any) {
	v.comparison.fault(kind+" "+v.options.Method, "%s: %s", v.label, fmt.Sprintf(format, args...))
}

func (v *verdict) judge(err error) {
	if err != nil {
		v.judgeRefusal(err)
		return
	}
	if len(v.result.Values) != len(v.game.Roles) {
		v.fault("shape", "%d values of %d roles", len(v.result.Values), len(v.game.Roles))
		return
	}
	for _, role := range v.game.Players {
		if i := v.result.Values[role]; !(0 <= i.Lower && i.Lower <= i.Upper+1e-9 && i.Upper <= 100) {
			v.fault("interval", "%s gets [%v, %v]", v.game.Roles[role], i.Lower, i.Upper)
		}
	}
	if !v.result.Proved {
		return
	}
	switch v.result.Concept {
	case search.Equilibrium:
		v.judgeEquilibrium()
		return
	case search.Guarantee, search.PureGuarantee:
		v.judgeBounds(v.result.Concept == search.PureGuarantee)
	default:
		if len(v.game.Players) > 1 && !v.constant && v.sound && v.result.Solved() {
			v.fault("sum", "solved as a zero-sum game (%q): %v; the goals have no constant sum", v.result.Concept, v.result.Values)
			return
		}
		v.judgeBounds(false)
	}
	v.judgeOutcomes()
	switch {
	case v.isWithin():
		v.judgeLine()
		v.judgeRoot()
		v.judgeAnswers()
	case !v.isCut:
		v.judgeUndecided()
	}
}

// isWithin reports whether the interval of each player is proved and as narrow as was asked. Tolerated intervals of
// games with chance may be wider by rounding.
func (v *verdict) isWithin() bool {
	epsilon := v.options.Epsilon
	if epsilon > 0 && v.game.Chance >= 0 {
		epsilon += 1e-6
	}
	for _, role := range v.game.Players {
		if i := v.result.Values[role]; i.Upper-i.Lower > epsilon {
			return false
		}
	}
	return v.result.Proved
}

// ofTwo are methods for games of two players.
var ofTwo = []string{"bi", "smab", "biab", "do", "seqform", solve.ThreatSpace}

// judgeRefusal asks whether the game is as the error says.
func (v *verdict) judgeRefusal(err error) {
	justified := false
	switch {
	case v.options.Method == string(atonce.SequenceForm) && strings.Contains(err.Error(), "GLPK"):
		justified = true
	case errors.Is(err, play.ErrTooWide):
		justified = !v.acyclic // a path without end takes any memory
	case !v.sound: // a faulty game: any result is allowed
		justified = true
	case errors.Is(err, search.ErrNotSequential):
		justified = !v.turns
	case errors.Is(err, search.ErrNotZeroSum):
		justified = !v.constant && len(v.game.Players) > 1 || len(v.game.Players) > 2
	case !v.acyclic:
		justified = true
	case len(v.game.Players) > 2:
		justified = !slices.Contains([]string{solve.MaxN, solve.Paranoid, solve.Lattice}, v.options.Method)
	case len(v.game.Players) == 1 && slices.Contains(ofTwo, v.options.Method):
		justified = true
	case v.game.Chance >= 0:
		justified = slices.Contains([]string{solve.Lattice, solve.Plans, solve.ThreatSpace, "seqform"}, v.options.Method)
	case !v.constant:
		justified = len(v.game.Players) > 1
	}
	if !justified {
		v.fault("refusal", "%v", err)
	}
}

// judgeBounds compares the intervals of all players.
func (v *verdict) judgeBounds(pure bool) {
	for _, role := range v.game.Players {
		low, high := v.bounds(role, pure)
		i := v.result.Values[role]
		least, most := float(low.At[0]), float(high.At[0])
		slack := 1e-9
		if v.result.Solved() {
			slack = tolerance
		}
		if !low.Exact || !high.Exact {
			least, most = most, least
		}
		if i.Lower > least+slack || i.Upper < most-slack {
			v.fault("value", "%s gets [%v, %v] (solved: %v), right: from %s to %s", v.game.Roles[role], i.Lower, i.Upper, v.result.Solved(),
				low.At[0].RatString(), high.At[0].RatString())
		}
	}
}

// judgeEquilibrium checks that the values are the values of an equilibrium.
func (v *verdict) judgeEquilibrium() {
	if !v.result.Solved() || !v.acyclic || !v.turns || !v.sound || v.game.Chance >= 0 {
		return
	}
	all := equilibria(v.game, 100)
	isTheirs := func(e []int) bool {
		return !slices.ContainsFunc(v.game.Players, func(r int) bool { return math.Abs(float64(e[r])-v.result.Values[r].Lower) > tolerance })
	}
	if len(all) > 0 && !slices.ContainsFunc(all, isTheirs) {
		v.fault("value", "%v is no equilibrium of %v", v.result.Values, all)
	}
}

// judgeOutcomes compares the undominated outcomes.
func (v *verdict) judgeOutcomes() {
	if v.result.Outcomes == nil || !v.result.Outcomes.Complete || !v.sound {
		return
	}
	want, got := undominated(v.game), [][]int{}
	for _, o := range v.result.Outcomes.List {
		goals := make([]int, len(o.Goals))
		for r, goal := range o.Goals {
			goals[r] = int(goal)
		}
		got = append(got, atLeast0(goals))
	}
	slices.SortFunc(want, slices.Compare)
	slices.SortFunc(got, slices.Compare)
	if fmt.Sprint(want) != fmt.Sprint(got) {
		v.fault("outcomes", "%v, want %v", got, want)
	}
}

// judgeLine plays the principal line. Without chance and mixed strategies it leads to an end with the goals that are
// the values.
func (v *verdict) judgeLine() {
	line := v.machine.Names().LineTexts(v.result.Line)
	at, legal := follow(v.game, line)
	if !legal {
		v.fault("line", "%v: a move is not legal after %v", line, v.game.Positions[at].Facts)
		return
	}
	decided := v.result.Solved() && v.turns && v.game.Chance < 0 && v.sound && (v.result.Concept == search.Value || v.result.Concept == search.BestEnd)
	if p := &v.game.Positions[at]; decided && p.Terminal {
		for _, role := range v.game.Players {
			if d := float64(p.Goals[role]) - v.result.Values[role].Lower; d > tolerance || d < -tolerance {
				v.fault("line", "solved %v, and the line %v ends with the goals %v", v.result.Values, line, p.Goals)
				return
			}
		}
	}
	for i := range line {
		if before, _ := follow(v.game, line[:i]); decided && !v.game.Positions[at].Terminal && before == at {
			v.fault("circle", "solved %v, and the line %v goes in a circle", v.result.Values, line)
			return
		}
	}
}

// weights returns a strategy as probabilities of the moves of a position.
func (v *verdict) weights(position, role int, strategy []search.Weighted) ([]*big.Rat, error) {
	p := &v.game.Positions[position]
	w, total := make([]*big.Rat, len(p.Moves[role])), 0.0
	for i := range w {
		w[i] = new(big.Rat)
	}
	if len(w) == 1 {
		w[0].SetInt64(1)
		return w, nil
	}
	for _, x := range strategy {
		text := v.machine.Names().MoveText(machine.Role(role), x.Move)
		i := slices.Index(p.Moves[role], text)
		if i < 0 || x.Probability < 0 {
			return nil, fmt.Errorf("%s plays %s with probability %v after %v", v.game.Roles[role], text, x.Probability, p.Facts)
		}
		total += x.Probability
		w[i].SetFloat64(x.Probability)
	}
	if strategy != nil && len(strategy) == 0 {
		return w, nil
	}
	if total < 1-tolerance || total > 1+tolerance {
		return nil, fmt.Errorf("the probabilities of %s add up to %v after %v", v.game.Roles[role], total, p.Facts)
	}
	return w, nil
}

// judgeRoot asks whether the first moves of the strategies are worth the lower bounds, everybody playing perfectly
// afterwards.
func (v *verdict) judgeRoot() {
	if v.game.Positions[0].Terminal {
		return
	}
	for _, role := range v.game.Players {
		if role >= len(v.result.Strategies) || len(v.game.Positions[0].Moves[role]) < 2 {
			continue
		}
		if v.result.Strategies[role] == nil {
			if v.result.Values[role].Lower > 0 && !v.isCut && !slices.Contains([]string{solve.ThreatSpace, solve.MonteCarlo, solve.Plans}, v.options.Method) {
				v.fault("no strategy", "%s gets %v by no strategy", v.game.Roles[role], v.result.Values[role])
			}
			continue
		}
		w, err := v.weights(0, role, v.result.Strategies[role])
		if err != nil {
			v.fault("strategy", "%v", err)
			continue
		}
		low, high := v.bounds(role, v.result.Concept == search.PureGuarantee)
		value := low
		if !low.Exact {
			value = high
		}
		if got := float(v.game.Reply(0, role, w, value)); got < v.result.Values[role].Lower-tolerance {
			v.fault("strategy", "%s plays %v, which is worth %v, and claims %v", v.game.Roles[role], w, got, v.result.Values[role])
		}
	}
}

// answering are the methods that have strategies in all positions, not only in the first one.
var answering = []string{
	solve.Auto, solve.BoundedAlphaBeta, solve.DepthFirst, "bi", "smab", "biab", "do", "seqform", solve.Layers,
}

// judgeAnswers plays the strategies of both sides against every reply, and the certificate.
func (v *verdict) judgeAnswers() {
	if len(v.game.Players) > 2 || stuck(v.game) >= 0 || !slices.Contains(answering, v.options.Method) || len(v.game.Positions) > 400 || !v.everywhere || v.game.Positions[0].Terminal {
		return
	}
	shown := solve.Solution{Result: v.result, Concept: v.result.Concept, Solved: v.result.Solved(), Proved: true}
	parts, err := v.solver.Answers(v.machine, shown)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	for i, role := range v.game.Players {
		if v.result.Values[role].Lower <= 0 {
			continue // for every move
		}
		strategy, failed := v.strategy(ctx, role, parts[min(i, len(parts)-1)].Solution)
		if errors.Is(failed, play.ErrTooWide) && !v.acyclic {
			return // a path without end takes any memory
		}
		if failed != nil {
			v.fault("answers", "of %s: %v", v.game.Roles[role], failed)
			return
		}
		value := v.game.Against(role, strategy, oracle.Reading{})
		if got := float(value.At[0]); got < v.result.Values[role].Lower-tolerance && value.Exact {
			kind := "play"
			if !v.acyclic {
				kind = "arrive"
			}
			v.fault(kind, "the strategy of %s gets %v of %v", v.game.Roles[role], got, v.result.Values[role])
		}
	}
	if ctx.Err() != nil {
		v.fault("endless answers", "no end after %v", patience)
		return
	}
	if err = v.solver.Certify(ctx, parts, &shown, certify.Limits{}); ctx.Err() != nil {
		v.fault("endless certificate", "no end after %v", patience)
		return
	}
	v.judgeCertificate(shown, err)
}

// strategy asks a solution for the strategy of a role in all positions that follow from the initial one under it.
func (v *verdict) strategy(ctx context.Context, role int, solution search.Solution) (weights [][]*big.Rat, err error) {
	weights = make([][]*big.Rat, len(v.game.Positions))
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		p := &v.game.Positions[at]
		if weights[at] != nil || len(p.Next) == 0 {
			continue
		}
		var own []search.Weighted
		if len(p.Moves[role]) > 1 {
			claim, err := solution.At(ctx, v.state(v.machine, at))
			if err != nil {
				return nil, err
			}
			if role < len(claim.Strategies) {
				own = claim.Strategies[role]
			}
		}
		if weights[at], err = v.weights(at, role, own); err != nil {
			return nil, err
		}
		for j, next := range p.Next {
			if weights[at][p.Joint[j][role]].Sign() > 0 {
				queue = append(queue, next)
			}
		}
	}
	for i := range weights { // the others are not reached
		if n := len(v.game.Positions[i].Moves[role]); weights[i] == nil && n > 0 {
			weights[i], _ = v.weights(i, role, []search.Weighted{})
		}
	}
	return weights, nil
}

// judgeCertificate compares a certificate.
func (v *verdict) judgeCertificate(s solve.Solution, err error) {
	if err != nil || s.Certificate == nil || !s.Certified {
		if v.acyclic && v.sound {
			v.fault("uncertified", "%v %+v", err, s.Certificate)
		}
	}
	if s.Certificate == nil || err != nil {
		return
	}
	first := v.game.Players[0]
	low, high := v.bounds(first, false)
	if low.Exact && float(low.At[0]) < s.ProvedBounds[0]-1e-9 || high.Exact && float(high.At[0]) > s.ProvedBounds[1]+1e-9 {
		v.fault("certificate", "%+v, right: from %s to %s", s.Certificate, low.At[0].RatString(), high.At[0].RatString())
	}
}

// judgeUndecided asks why a search that had the time has not decided a game.
func (v *verdict) judgeUndecided() {
	if !v.acyclic || !v.sound || v.result.Nodes >= nodes/2 || len(v.game.Players) == 2 && !v.constant {
		return
	}
	if slices.Contains([]string{solve.ThreatSpace, solve.MonteCarlo}, v.options.Method) {
		return
	}
	if v.options.Method == solve.Plans && (v.machine.Info().Engine != "circuit" || len(v.game.Players) > 1 || v.game.Chance >= 0) {
		return
	}
	v.fault("undecided", "%v after %d nodes: %v", v.result.Values, v.result.Nodes, v.result.Unfinished)
}
