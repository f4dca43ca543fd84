package oracle_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/solve"
)

// Rulesheets in use are mostly too large for the oracle. Variants of them are large games of unusual shape: the methods and the
// proved facts are compared with each other and with random games.

var variants = flag.Int("oracle.variants", 6, "number of variants of rulesheets in use that are compared")

// mutation is a rulesheet of which clauses are left out or changed.
type mutation struct {
	*rand.Rand
	clauses   []*gdl.Clause
	constants []gdl.Term
}

// variantOf returns a rulesheet with a few changes to another one. It need not be valid.
func variantOf(r *rand.Rand, tree *gdl.File) string {
	m := &mutation{Rand: r, clauses: slices.Clone(tree.Clauses)}
	for _, c := range tree.Clauses {
		if c.IsFact() {
			m.addConstants(c.Head)
		}
	}
	if r.IntN(3) == 0 {
		m.leaveOutFacts(r.Float64() / 2)
	}
	changes := []func(c *gdl.Clause){m.leaveOutCondition, m.negate, m.replaceConstant, m.addCondition, m.changeGoal}
	for range 1 + r.IntN(4) {
		i := r.IntN(len(m.clauses))
		if len(m.clauses[i].Body) > 0 && r.IntN(6) == 0 {
			m.clauses = slices.Delete(m.clauses, i, i+1)
			continue
		}
		c := *m.clauses[i]
		c.Body = slices.Clone(c.Body)
		changes[r.IntN(len(changes))](&c)
		m.clauses[i] = &c
	}
	return gdl.Print(&gdl.File{Clauses: m.clauses})
}

func (m *mutation) addConstants(t gdl.Term) {
	for _, a := range t.Args {
		if a.Kind == gdl.Symbol && len(a.Args) == 0 {
			m.constants = append(m.constants, a)
		}
		m.addConstants(a)
	}
}

// leaveOutFacts leaves out a share of the facts, but no roles.
func (m *mutation) leaveOutFacts(share float64) {
	m.clauses = slices.DeleteFunc(m.clauses, func(c *gdl.Clause) bool {
		return c.IsFact() && c.Head.Name != "role" && m.Float64() < share
	})
}

func (m *mutation) leaveOutCondition(c *gdl.Clause) {
	if len(c.Body) > 1 {
		i := m.IntN(len(c.Body))
		c.Body = slices.Delete(c.Body, i, i+1)
	}
}

func (m *mutation) negate(c *gdl.Clause) {
	if len(c.Body) == 0 {
		return
	}
	switch f := &c.Body[m.IntN(len(c.Body))]; f.Connective {
	case gdl.Atomic:
		*f = gdl.Formula{Connective: gdl.Negation, Name: "not", Subs: []gdl.Formula{*f}}
	case gdl.Negation:
		*f = f.Subs[0]
	}
}

func (m *mutation) replaceConstant(c *gdl.Clause) {
	if len(c.Body) > 0 {
		if f := &c.Body[m.IntN(len(c.Body))]; f.Connective == gdl.Atomic {
			f.Atom = m.replaced(f.Atom)
		}
	} else if c.Head.Name != "role" {
		c.Head = m.replaced(c.Head)
	}
}

// replaced returns a term with another constant, or the term itself.
func (m *mutation) replaced(t gdl.Term) gdl.Term {
	if len(t.Args) == 0 || len(m.constants) == 0 {
		return t
	}
	t.Args = slices.Clone(t.Args)
	if a := &t.Args[m.IntN(len(t.Args))]; len(a.Args) > 0 {
		*a = m.replaced(*a)
	} else {
		*a = m.constants[m.IntN(len(m.constants))]
	}
	return t
}

// addCondition adds a condition of another clause.
func (m *mutation) addCondition(c *gdl.Clause) {
	if other := m.clauses[m.IntN(len(m.clauses))].Body; len(c.Body) > 0 && len(other) > 0 {
		c.Body = append(c.Body, other[m.IntN(len(other))])
	}
}

// changeGoal changes a goal value.
func (m *mutation) changeGoal(c *gdl.Clause) {
	if c.Head.Name == "goal" && len(c.Head.Args) == 2 {
		c.Head.Args = slices.Clone(c.Head.Args)
		c.Head.Args[1] = gdl.Term{Kind: gdl.Symbol, Name: strconv.Itoa(10 * m.IntN(11))}
	}
}

func TestMethodsAgreeAboutVariantsOfRulesheets(t *testing.T) {
	sheets := corpus.Rulesheets(t)
	compared := 0
	for s := *seed; compared < *variants; s++ {
		r := rand.New(rand.NewPCG(s, 0))
		sheet := sheets[r.IntN(len(sheets))]
		tree := must.Get(gdl.Parse(sheet.Name, must.Get(os.ReadFile(sheet.Path))(t)))(t)
		text := variantOf(r, tree)
		m := machineOf(t.Context(), text)
		if m == nil {
			continue
		}
		compared++
		a := &agreement{Rand: r, ctx: t.Context(), machine: m}
		a.compareFacts()
		for _, method := range append([]string{solve.Auto}, solve.Methods...) {
			a.compareMethod(method)
		}
		if len(a.faults) > 0 {
			t.Errorf("seed %d, a variant of %s: %s\n%s", s, sheet.Name, a.faults[0], text)
		}
	}
}

// compileTime bounds the compilation of a variant: others are skipped.
const compileTime = 5 * time.Second

// machineOf returns the machine of a rulesheet, or nil if it is invalid, large, or over at its start.
func machineOf(ctx context.Context, text string) machine.Machine {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	rules, _, err := gdl.Load(ctx, "", []byte(text))
	if err != nil {
		return nil
	}
	m, err := reasoner.New(ctx, rules, reasoner.Options{Memory: 256 << 20})
	if err != nil {
		return nil
	}
	if over, _ := play.NewExpander(m).Look(m.Initial()); over {
		return nil
	}
	return m
}

// agreement compares answers about a game.
type agreement struct {
	*rand.Rand
	ctx     context.Context
	machine machine.Machine
	answers []answer
	faults  []string
}

// answer is a proved result of a method.
type answer struct {
	method string
	search.Result
}

func (a *agreement) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// randomGames is the number of random games that are compared with the proved facts of a variant.
const randomGames = 100

// compareFacts compares the proved sum of the goals and length of the games with random games.
func (a *agreement) compareFacts() {
	ctx, cancel := context.WithTimeout(a.ctx, compileTime)
	defer cancel()
	m := a.machine
	sum, hasSum := facts.ProvedGoalSum(ctx, m)
	length, hasLength := facts.ProvedLength(ctx, m)
	if !hasSum && !hasLength {
		return
	}
	b, x, rng := m.NewNarrowBatch(), play.NewExpander(m), machine.NewRand(a.Uint64())
	for range randomGames {
		plies := -1
		play.RandomGame(ctx, b, rng, m.Initial(), func(q machine.State, _ bool) bool {
			if plies++; hasLength && plies > length {
				a.fault("a game of %d joint moves is proved impossible: %d at most", plies, length)
				return false
			}
			if over, goals := x.Look(q); over && hasSum && total(m, goals) != sum {
				a.fault("goals %v, the proved sum is %d", goals, sum)
			}
			return true
		})
	}
}

// total returns the sum of the goals of all players.
func total(m machine.Machine, goals []int32) (sum int32) {
	for _, role := range m.Names().Players() {
		sum += goals[role]
	}
	return sum
}

const (
	// variantNodes and variantTime bound a search of a variant.
	variantNodes = 3000
	variantTime  = 2 * time.Second
	// endTime is the time after which a search has surely ended, also on a busy machine.
	endTime = 30 * time.Second
)

// compareMethod compares the result of a method with the results of the methods before.
func (a *agreement) compareMethod(method string) {
	defer func() {
		if p := recover(); p != nil {
			a.fault("%s panics: %v", method, p)
		}
	}()
	o := solve.Default()
	o.Method, o.Memory, o.Threads = method, 64, 1+a.IntN(2)
	s, err := solve.New(o)
	if err != nil {
		a.fault("%s: %v", method, err)
		return
	}
	ctx, cancel := context.WithTimeout(a.ctx, variantTime)
	defer cancel()
	began := time.Now()
	r, err := s.Search(ctx, a.machine, a.machine.Initial(), search.Limits{MaxBytes: o.Memory << 20, MaxNodes: variantNodes, Seed: 1})
	if took := time.Since(began); took > endTime {
		a.fault("%s ends after %v", method, took)
	}
	if err != nil || !r.Proved {
		return
	}
	for _, other := range a.answers {
		if other.Concept == r.Concept && r.Concept != search.Equilibrium && a.contradict(r.Values, other.Values) {
			a.fault("%s %v, %s %v (%s)", method, r.Values, other.method, other.Values, r.Concept)
		}
	}
	a.answers = append(a.answers, answer{method, r})
	a.compareLine(method, &r)
}

// contradict reports whether the values of a player have no number in common.
func (a *agreement) contradict(v, w []search.Interval) bool {
	return slices.ContainsFunc(a.machine.Names().Players(), func(role machine.Role) bool {
		return v[role].Lower > w[role].Upper+tolerance || w[role].Lower > v[role].Upper+tolerance
	})
}

// compareLine follows the line of a result. If at most one role has a choice in each of its positions and it ends the game, its
// goals are the values.
func (a *agreement) compareLine(method string, r *search.Result) {
	m := a.machine
	h, pure := play.NewHistory(m, m.Initial()), m.Names().Chance() < 0
	for ply, joint := range m.Names().LineTexts(r.Line) {
		choosers := 0
		for role := range joint {
			choosers += min(len(h.Legal(machine.Role(role)))-1, 1)
		}
		if err := h.Advance(joint); err != nil {
			a.fault("%s: joint move %d of its line, of %d: %v", method, ply+1, len(r.Line), err)
			return
		}
		pure = pure && choosers <= 1
	}
	if !h.IsOver() || !pure || !r.Solved() || r.Concept != search.Value && r.Concept != search.BestEnd {
		return
	}
	goals := h.Goals()
	for _, role := range m.Names().Players() {
		if g := float64(goals[role]); g < r.Values[role].Lower-tolerance || g > r.Values[role].Upper+tolerance {
			a.fault("%s: values %v, and its line ends with the goals %v", method, r.Values, goals)
			return
		}
	}
}
