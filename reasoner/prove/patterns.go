package prove

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// maxDependencies bounds the gates that are looked at to find out what fluents depend on.
const maxDependencies = 10_000_000

// patterns finds the patterns of a game: those of one fluent that the goal or the end depends on and of all
// that it depends on in turn, then of several such sets together, as far as they are not too large. Then
// it looks for plans by them.
type patterns struct {
	*planning
	begun   bool
	blind   bool            // there are no patterns, but beams
	sets    []machine.State // that may be patterns, the largest first
	joining int             // number of the pattern that is put together with the next one
	trying  *exploring
	sim     *ternary
	looking []int32 // gates: legal moves, the end and goals
	beams   *beams
}

func (q *planning) newPatterns(ctx context.Context) *patterns {
	return &patterns{planning: q, beams: q.newBeams(ctx)}
}

// next goes on with a pattern, or begins one; then with beams, if there are any patterns.
func (p *patterns) next(ctx context.Context) bool {
	switch {
	case !p.begun:
		p.begun = true
		p.begin()
	case p.trying == nil:
		set := p.nextSet()
		if set == nil {
			return (p.blind || len(p.patterns) > 0) && p.beams.next(ctx)
		}
		p.trying = p.newExploring(set)
	case p.trying.at == p.trying.known.len():
		p.keep(p.trying.finish())
		p.trying = nil
	case !p.trying.step():
		p.skip()
		p.trying = nil
	}
	return true
}

// begin finds the sets. Where each is one fluent, as in sudokus, no pattern tells more than which fluents
// are lacking still, and none is made.
func (p *patterns) begin() {
	sets := closedSets(p.game)
	if p.blind = len(sets) > 0 && count(sets[0]) == 1; p.blind { // the largest one
		return
	}
	if p.compareMoves(); p.effects != nil {
		p.sets = sets
		p.sim = newTernary(p.effects.net)
		p.looking = p.sim.gates(slices.Concat(p.effects.legal, p.effects.goals, []circuit.Lit{p.effects.terminal}))
	}
}

// nextSet is the next set of fluents that may be a pattern; nil if there is none.
func (p *patterns) nextSet() machine.State {
	for len(p.sets) > 0 {
		if set := p.sets[0]; !slices.ContainsFunc(p.patterns, func(known *pattern) bool { return includes(known.mask, set) }) {
			return set
		}
		p.sets = p.sets[1:]
	}
	for ; p.joining+1 < len(p.patterns); p.joining++ {
		a, b := p.patterns[p.joining], p.patterns[p.joining+1]
		if a.known.len()*b.known.len() <= maxPattern {
			return union(a.mask, b.mask)
		}
	}
	return nil
}

// keep keeps a pattern, in place of those that it was put together from.
func (p *patterns) keep(found *pattern) {
	if len(p.sets) > 0 {
		p.patterns = append(p.patterns, found)
		p.sets = p.sets[1:]
		return
	}
	p.patterns = slices.Replace(p.patterns, p.joining, p.joining+2, found)
}

// skip leaves out a set.
func (p *patterns) skip() {
	if len(p.sets) > 0 {
		p.sets = p.sets[1:]
		return
	}
	p.joining++
}

func includes(a, b machine.State) bool {
	for w := range a {
		if b[w]&^a[w] != 0 {
			return false
		}
	}
	return true
}

func union(a, b machine.State) machine.State {
	c := slices.Clone(a)
	for w := range c {
		c[w] |= b[w]
	}
	return c
}

// closedSets lists the sets of fluents whose next values depend on the move and on each other alone,
// but for the clock, each the least one with a fluent that a goal or the end depends on; the largest first.
// There are none where that takes too long.
func closedSets(g *circuit.Game) []machine.State {
	d := &dependencies{game: g, index: fluentIndex(g), turns: make([]int32, g.Net.Len()), of: map[int32][]int32{}, left: maxDependencies}
	ends := []circuit.Lit{g.Terminal}
	for _, goal := range g.Goals {
		ends = append(ends, goal.When)
	}
	ticks := g.Names.NewState()
	for _, f := range clockFluents(g) {
		ticks.Set(int(f))
	}
	var sets []machine.State
	seen := newPositions(len(ticks))
	wanted := d.fluents(ends...)
	slices.Sort(wanted)
	for _, f := range wanted {
		if ticks.Has(int(f)) {
			continue
		}
		set := g.Names.NewState()
		set.Set(int(f))
		for todo := []int32{f}; len(todo) > 0; {
			last := len(todo) - 1
			needs := d.next(todo[last])
			for todo = todo[:last]; len(needs) > 0; needs = needs[1:] {
				if n := int(needs[0]); !set.Has(n) && !ticks.Has(n) {
					set.Set(n)
					todo = append(todo, needs[0])
				}
			}
		}
		if seen.add(set) {
			sets = append(sets, set)
		}
	}
	if d.left < 0 {
		return nil
	}
	slices.SortStableFunc(sets, func(a, b machine.State) int { return cmp.Compare(count(b), count(a)) })
	return sets
}

// dependencies are what signals of a game depend on.
type dependencies struct {
	game  *circuit.Game
	index map[int32]int32   // fluents, by node
	of    map[int32][]int32 // next values, by fluent, of those that were asked for
	turns []int32           // by node: when it was looked at
	turn  int32
	left  int // nodes that may be looked at
}

// next lists the fluents that the next value of one depends on.
func (d *dependencies) next(f int32) []int32 {
	list, ok := d.of[f]
	if !ok {
		list = d.fluents(d.game.Next[f])
		d.of[f] = list
	}
	return list
}

// fluents lists those that signals depend on; some of them, if that takes too long.
func (d *dependencies) fluents(signals ...circuit.Lit) []int32 {
	var list, stack []int32
	d.turn++
	push := func(l circuit.Lit) {
		if i := l.Node(); d.turns[i] != d.turn {
			d.turns[i] = d.turn
			stack = append(stack, i)
		}
	}
	for _, l := range signals {
		push(l)
	}
	for ; len(stack) > 0 && d.left >= 0; d.left-- {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f, ok := d.index[i]; ok {
			list = append(list, f)
		}
		for _, o := range d.game.Net.Operands(i) {
			push(o)
		}
	}
	return list
}

func count(s machine.State) int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
