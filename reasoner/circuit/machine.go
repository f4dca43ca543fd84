package circuit

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Machine is a compiled circuit. It implements machine.Machine.
//
// The live part of the network is cut into programs over one array of
// rows: evaluate (legal, terminal, stuck: the position alone), goals, and advance
// (next: position and moves). What evaluate has computed, the others reuse, so
// evaluate must have run on the position first; or, for advance alone, prepare, which
// computes no more than that needs.
//
// The same programs run on two widths: the widest kernel for playouts, a narrow
// one for searches, which look at few positions at a time.
type Machine struct {
	machine.Unanalysed

	names   *machine.Names
	initial machine.State
	info    machine.Info
	rows    int // of the signal array

	fluent    int32       // row of the first fluent; the others follow
	does      []int32     // row of the first move, by role; the others follow
	legal     [][]int32   // rows, by role and move
	parts     []*partRows // by role: moves that have parts, and no rows in does and legal
	policy    [][]int32   // rows that random moves are chosen from, by role and move
	terminal  output
	stuck     output
	wins      []output       // by role; nil without decisive moves
	bestGoals []int32        // the best goal, by role, or machine.NoGoal
	goals     [][]goalOutput // by role

	prepareProgram int // the program of Prepare: prepare, or evaluate where that takes about as long

	wide   *kernel.Engine
	narrow func() *kernel.Engine // made when it is first asked for

	symmetries func() []machine.Symmetry
	packing    func() *machine.Packing
}

// output is a signal as the batch reads it: a row and whether it is stored
// complemented.
type output struct {
	row        int32
	complement uint64 // all ones if complemented
}

type goalOutput struct {
	value int32
	when  output
}

var _ machine.Machine = (*Machine)(nil)

// Options steer Compile.
type Options struct {
	// Kernel is the kernel of batches, or a family of kernels (see kernel.From); "" for the
	// quickest of this processor. Narrow batches have a later one of those.
	Kernel string
	// Memory is the number of bytes that a batch may take, 0 for no limit. Where a batch of
	// the kernel does not fit, batches get one with fewer lanes.
	Memory int64
}

// Compile lays a game out as programs for a kernel.
func Compile(ctx context.Context, g *Game, o Options) (*Machine, error) {
	m := &Machine{names: g.Names, initial: g.Initial}
	m.info = machine.Info{Engine: "circuit", Parallel: true, Gates: g.Net.Gates(), Depth: g.Net.Depth()}
	m.symmetries = g.symmetries()
	m.packing = sync.OnceValue(func() *machine.Packing { return machine.NewPacking(m) })
	available, err := kernel.From(o.Kernel)
	if err != nil {
		return nil, err
	}
	switch {
	case available[0].Splits():
		g = withChoice(ctx, g, splitGate)
	case g.Parts != nil:
		g = withChoice(ctx, g, copyGate)
	}
	plan := m.link(g, g.stuck())
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("compiling the circuit stopped: %w", err)
	}
	wide, err := m.widest(plan, available, o.Memory)
	if err != nil {
		return nil, err
	}
	m.wide, m.narrow = wide, func() *kernel.Engine { return wide }
	m.info.Kernel = wide.Kernel()
	m.info.Bytes, m.info.Verified, m.info.Batch = wide.CodeBytes(), wide.VerifiedIn(), m.batchBytes(wide)
	if k := narrowest(available); k.Lanes() < wide.Lanes() {
		m.narrow = lazyEngine(k, plan, wide)
		m.info.Bytes *= 2 // the narrow programs are as long
	}
	return m, nil
}

// later makes, when first called, the engine of a kernel for a plan that was proved safe on
// another: it takes about as long as that one took, and whoever plays random matches only
// does not need it. Where memory for its code cannot be had, the other one does its work.
func lazyEngine(k *kernel.Kernel, plan *kernel.Plan, other *kernel.Engine) func() *kernel.Engine {
	return sync.OnceValue(func() *kernel.Engine {
		if e, err := k.Engine(plan); err == nil {
			return e
		}
		return other
	})
}

// widest is the plan on the first of the kernels whose batches take no more than
// that many bytes.
func (m *Machine) widest(plan *kernel.Plan, kernels []*kernel.Kernel, limit int64) (*kernel.Engine, error) {
	var bytes int64
	for _, k := range kernels {
		e, err := k.Engine(plan)
		if err != nil {
			return nil, fmt.Errorf("the circuit's programs are not safe to run: %w", err)
		}
		if bytes = m.batchBytes(e); limit == 0 || bytes <= limit {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%d positions of a circuit of %d rows take %d MB, and a batch may take %d MB",
		kernels[len(kernels)-1].Lanes(), m.rows, bytes>>20, limit>>20)
}

// narrowest is the quickest kernel for a handful of positions: two words a row keep
// most circuits in the first-level cache, and 128-bit operations are as quick as
// those on one word.
func narrowest(kernels []*kernel.Kernel) *kernel.Kernel {
	i := slices.IndexFunc(kernels, func(k *kernel.Kernel) bool { return k.Lanes() == 128 })
	if i < 0 {
		i = len(kernels) - 1
	}
	return kernels[i]
}

// stuck is true where the position is not terminal and a role has no legal move.
func (g *Game) stuck() logic.Lit {
	var missing []logic.Lit
	for r, row := range g.Legal {
		if p := g.partsOf(r); p != nil {
			row = p.Legal(g.Net)
		}
		missing = append(missing, g.Net.Or(row...).Not())
	}
	return g.Net.And(g.Net.Or(missing...), g.Terminal.Not())
}

// link makes the programs, and notes where their results are.
func (m *Machine) link(g *Game, stuck logic.Lit) *kernel.Plan {
	position := slices.Concat([]logic.Lit{g.Terminal, stuck}, g.Wins, slices.Concat(g.Legal...), slices.Concat(g.Policy...))
	var chosen, parts []logic.Lit // what a choice makes of inputs
	for _, p := range g.Parts {
		if p != nil {
			position = append(append(position, p.Head...), p.Tail...)
			chosen, parts = append(append(chosen, p.Chosen[0]...), p.Chosen[1]...), append(append(parts, p.First...), p.Second...)
		}
	}
	var goals []logic.Lit
	for _, goal := range g.Goals {
		goals = append(goals, goal.When)
	}
	all := slices.Concat(position, goals, chosen, g.Next)
	writes := g.writes(slices.Concat(chosen, g.Next), slices.Concat(parts, g.Fluents), position, goals)
	l := newLayout(g.Net, g.Net.Cone(all), writes)
	known := g.Net.Cone(position)
	// What must stay in its row: the outputs, and what evaluate computes for the other programs.
	for _, o := range slices.Concat(all, l.reused(nil, known, g.Net.Cone(slices.Concat(goals, chosen, g.Next)))) {
		l.keep[o.Node()] = true
	}
	notEvaluated := func(roots []logic.Lit) []bool {
		marked := g.Net.Cone(roots)
		for i := range marked {
			marked[i] = marked[i] && !known[i]
		}
		return marked
	}
	evaluate, _ := l.emit("evaluate", l.schedule(position, known), nil)
	goal, _ := l.emit("goal", l.schedule(goals, notEvaluated(goals)), nil)
	choice, written := l.emit("choose", l.schedule(chosen, notEvaluated(chosen)), writes)
	l.transfer(choice, chosen, parts, written)
	advance, written := l.emit("advance", l.schedule(g.Next, notEvaluated(g.Next)), writes)
	l.transfer(advance, g.Next, g.Fluents, written)
	appendCopies(evaluate, m.recordRows(g, l, stuck), 1)
	programs := []*kernel.Program{evaluate, goal, advance, choice}
	reused := l.reused(g.Next, known, g.Net.Cone(g.Next))
	if few := g.Net.Cone(reused); prepareRatio*l.countGates(few) <= l.countGates(known) {
		p, _ := l.emit("prepare", l.schedule(reused, few), nil)
		programs, m.prepareProgram = append(programs, p), prepare
	}
	m.rows = int(l.rows)
	return m.plan(g, programs...)
}

// shareWorthPreparing: a program that makes positions ready for moves pays where it has at most
// one in so many of the gates of evaluate.
const prepareRatio = 2

// borrowed are the signals that evaluate has computed (known), of those that are given and of
// the operands of what other programs compute (used).
func (l *layout) reused(given []logic.Lit, known, used []bool) (out []logic.Lit) {
	needed := slices.Clone(given)
	for i := range used {
		if used[i] && !known[i] {
			needed = append(needed, l.net.Dependencies(int32(i))...)
		}
	}
	for _, o := range needed {
		if known[o.Node()] {
			out = append(out, o)
		}
	}
	return out
}

// gates counts those that are marked.
func (l *layout) countGates(marked []bool) (n int) {
	for i, m := range marked {
		if m && l.net.Op(int32(i)) >= logic.OpAnd {
			n++
		}
	}
	return n
}

// writes finds the gates that may be computed straight into the row of an input (see newLayout):
// those that are nothing but one of the signals, and no output else. inputs[k] is what signal k is
// written to; its literal is complemented where the gate is the complement of the signal.
func (g *Game) writes(signals, inputs []logic.Lit, others ...[]logic.Lit) map[int32]logic.Lit {
	uses := g.Net.Uses()
	for _, list := range append(others, signals) {
		for _, l := range list {
			uses[l.Node()]++
		}
	}
	writes := make(map[int32]logic.Lit)
	for k, l := range signals {
		if i := l.Node(); g.Net.Op(i) == logic.OpAnd && uses[i] == 1 {
			writes[i] = inputs[k] ^ l&1
		}
	}
	return writes
}

// outputs notes the rows of the inputs and of what the rules say of a position.
// Legal bits that are stored complemented get rows of their own; the copies that
// fill them are returned as pairs of rows.
func (m *Machine) recordRows(g *Game, l *layout, stuck logic.Lit) (copies []int32) {
	if len(g.Fluents) > 0 {
		m.fluent = l.row[g.Fluents[0].Node()]
	}
	for r, row := range g.Does {
		first := int32(0)
		if len(row) > 0 {
			first = l.row[row[0].Node()]
		}
		m.does = append(m.does, first)
		m.parts = append(m.parts, nil)
		if p := g.partsOf(r); p != nil {
			m.parts[r] = newPartRows(p, l)
		}
	}
	m.legal = l.positiveRows(g.Legal, &copies)
	if m.policy = m.legal; g.Policy != nil {
		m.policy = l.positiveRows(g.Policy, &copies)
	}
	m.terminal, m.stuck = l.output(g.Terminal), l.output(stuck)
	for _, win := range g.Wins {
		m.wins = append(m.wins, l.output(win))
	}
	m.bestGoals, _ = g.bestGoals()
	m.goals = make([][]goalOutput, len(g.Does))
	for _, goal := range g.Goals {
		m.goals[goal.Role] = append(m.goals[goal.Role], goalOutput{goal.Value, l.output(goal.When)})
	}
	return copies
}

// plainRows lists the rows of signals by role and move. Signals that are stored
// complemented get rows of their own: pairs (to, from) are appended to copies.
func (l *layout) positiveRows(signals [][]logic.Lit, copies *[]int32) [][]int32 {
	rows := make([][]int32, len(signals))
	for r, row := range signals {
		rows[r] = make([]int32, len(row))
		for m, lit := range row {
			o := l.output(lit)
			if o.complement != 0 {
				to := l.newRow()
				*copies = append(*copies, to, o.row)
				o.row = to
			}
			rows[r][m] = o.row
		}
	}
	return rows
}

// Names implements machine.Machine.
func (m *Machine) Names() *machine.Names { return m.names }

// Words implements machine.Machine.
func (m *Machine) Words() int { return len(m.initial) }

// Initial implements machine.Machine.
func (m *Machine) Initial() machine.State { return m.initial }

// Info implements machine.Machine.
func (m *Machine) Info() machine.Info { return m.info }

// Symmetries implements machine.Machine.
func (m *Machine) Symmetries() []machine.Symmetry { return m.symmetries() }

// Packing implements machine.Machine.
func (m *Machine) Packing() *machine.Packing { return m.packing() }

// GoalValues implements machine.Machine.
func (m *Machine) GoalValues() [][]int32 {
	values := make([][]int32, len(m.goals))
	for r, goals := range m.goals {
		for _, g := range goals {
			values[r] = append(values[r], g.value)
		}
	}
	return values
}
