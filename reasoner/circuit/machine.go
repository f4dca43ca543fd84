package circuit

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Machine is a compiled circuit. It implements machine.Machine.
//
// The live part of the network is divided into programs over one array of rows: evaluate computes legal, terminal and
// stuck from the position, goal the goals, and advance the next position from position and moves. Evaluate must run
// first, because the other programs reuse its rows. Before advance, prepare can run instead: it computes only the rows
// that advance reuses.
//
// The programs run on kernels of two widths: the widest for playouts, and a narrow kernel for searches, which evaluate
// few positions at a time.
type Machine struct {
	names   *machine.Names
	initial machine.State
	info    machine.Info
	rows    int // total number

	fluent    int32       // row of the first fluent; rows of fluents are consecutive
	moves     []moveTable // by role
	sensible  []moveTable // by role: the moves that random choices may choose, the same as moves without Game.Policy
	terminal  output
	stuck     output
	wins      []output       // by role; nil without Game.Wins
	bestGoals []int32        // the best possible goal, by role, or machine.NoGoal
	goals     [][]goalOutput // by role

	prepareProgram int // the program of Prepare: prepare, or evaluate if prepare is not much shorter

	wide   *kernel.Executable
	narrow func() *kernel.Executable // built at the first call

	symmetries func() []facts.Symmetry
	exchange   func() *facts.Symmetry
}

// output is the row of a signal, and whether the row holds the complement.
type output struct {
	row        int32
	complement uint64 // all ones if the row holds the complement
}

type goalOutput struct {
	value int32
	when  output
}

var (
	_ machine.Machine    = (*Machine)(nil)
	_ facts.Symmetric    = (*Machine)(nil)
	_ facts.Exchangeable = (*Machine)(nil)
	_ facts.Valued       = (*Machine)(nil)
)

// Options are the options of Compile.
type Options struct {
	// Kernel is the name of the kernel of batches, or of a family of kernels (see kernel.From); "" selects the fastest
	// kernel of this processor. Narrow batches use a later kernel of the family.
	Kernel string
	// Memory limits the bytes of a batch; 0 is no limit. If a batch of the kernel exceeds it, a kernel with fewer lanes
	// is used.
	Memory int64
}

// Compile translates an optimised game to programs for a kernel.
func (g *Optimised) Compile(ctx context.Context, o Options) (*Machine, error) {
	m, err := g.Game.Compile(ctx, o)
	if err == nil {
		m.symmetries, m.exchange = g.Unshared.symmetries(), g.Unshared.exchange()
	}
	return m, err
}

// Compile translates a game to programs for a kernel.
func (g *Game) Compile(ctx context.Context, o Options) (*Machine, error) {
	m := &Machine{names: g.Names, initial: g.Initial}
	m.info = machine.Info{Engine: "circuit", Parallel: true, Gates: g.Net.Gates(), Depth: g.Net.Depth()}
	m.symmetries, m.exchange = g.symmetries(), g.exchange()
	available, err := kernel.From(o.Kernel)
	if err != nil {
		return nil, err
	}
	switch {
	case available[0].Splits():
		g = withChoice(ctx, g, splitGate)
	case g.isSplit():
		g = withChoice(ctx, g, copyGate)
	}
	image, err := m.link(g, g.stuck())
	if stopped := ctx.Err(); stopped != nil {
		return nil, fmt.Errorf("compiling the circuit stopped: %w", stopped)
	}
	if err != nil {
		return nil, fmt.Errorf("the circuit's programs do not fit together: %w", err)
	}
	wide, err := m.widest(image, available, o.Memory)
	if err != nil {
		return nil, err
	}
	m.wide, m.narrow = wide, func() *kernel.Executable { return wide }
	m.info.Kernel = wide.Kernel()
	m.info.Bytes, m.info.Verified, m.info.Batch = wide.CodeBytes(), wide.VerifiedIn(), m.batchBytes(wide)
	if k := searchKernel(available); k.Lanes() < wide.Lanes() {
		m.narrow = lazyExecutable(k, image, wide)
		m.info.Bytes *= 2 // the narrow executable has its own code, as long
	}
	return m, nil
}

// lazyExecutable returns a function that makes the executable of an image on kernel k at its first call. Another kernel
// has verified the image already. The construction takes about as long as for the wide executable, and programs that
// only play random matches do not need it. Without memory for the code, it returns the wide executable.
func lazyExecutable(k *kernel.Kernel, image *kernel.Image, wide *kernel.Executable) func() *kernel.Executable {
	return sync.OnceValue(func() *kernel.Executable {
		if e, err := k.Verify(image); err == nil {
			return e
		}
		return wide
	})
}

// widest returns the executable of an image on the first kernel with batches of at most limit bytes.
func (m *Machine) widest(image *kernel.Image, kernels []*kernel.Kernel, limit int64) (*kernel.Executable, error) {
	var bytes int64
	for _, k := range kernels {
		e, err := k.Verify(image)
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

// searchKernel returns the fastest kernel for a handful of positions, the kernel of narrow batches. Rows of two words
// keep most circuits in the first-level cache, and 128-bit operations are as fast as operations on one word.
func searchKernel(kernels []*kernel.Kernel) *kernel.Kernel {
	i := slices.IndexFunc(kernels, func(k *kernel.Kernel) bool { return k.Lanes() == 128 })
	if i < 0 {
		i = len(kernels) - 1
	}
	return kernels[i]
}

// stuck returns the condition that the position is not terminal and a role has no legal move.
func (g *Game) stuck() logic.Lit {
	var missing []logic.Lit
	for r, row := range g.Legal {
		if p := g.Parts[r]; p != nil {
			row = p.Legal(g.Net)
		}
		missing = append(missing, g.Net.Or(row...).Not())
	}
	return g.Net.And(g.Net.Or(missing...), g.Terminal.Not())
}

// recordRows records the rows of inputs and outputs. Complemented legal signals get additional rows; the copies that
// fill them are returned as pairs (to, from).
func (m *Machine) recordRows(g *Game, l *layout, stuck logic.Lit) (copies []int32) {
	if len(g.Fluents) > 0 {
		m.fluent = l.row[g.Fluents[0].Node()]
	}
	m.moves = l.moveTables(g, g.Legal, &copies)
	if m.sensible = m.moves; g.Policy != nil {
		m.sensible = l.moveTables(g, g.Policy, &copies)
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

// moveTables returns the tables of all roles, with the given legal signals of whole moves by role and move.
// Complemented signals get additional rows; the copies that fill them are appended to copies as pairs (to, from).
func (l *layout) moveTables(g *Game, legal [][]logic.Lit, copies *[]int32) []moveTable {
	tables := make([]moveTable, len(legal))
	for r, row := range legal {
		if p := g.Parts[r]; p != nil {
			tables[r] = newSplitTable(p, l)
			continue
		}
		whole := &wholeTable{legal: make([]int32, len(row))}
		if len(row) > 0 {
			whole.does = l.row[g.Does[r][0].Node()]
		}
		for m, lit := range row {
			o := l.output(lit)
			if o.complement != 0 {
				to := l.newRow()
				*copies = append(*copies, to, o.row)
				o.row = to
			}
			whole.legal[m] = o.row
		}
		tables[r] = whole
	}
	return tables
}

// Names implements machine.Machine.
func (m *Machine) Names() *machine.Names { return m.names }

// Initial implements machine.Machine.
func (m *Machine) Initial() machine.State { return m.initial }

// Info implements machine.Machine.
func (m *Machine) Info() machine.Info { return m.info }

// Symmetries implements facts.Symmetric.
func (m *Machine) Symmetries() []facts.Symmetry { return m.symmetries() }

// Exchange implements facts.Exchangeable.
func (m *Machine) Exchange() *facts.Symmetry { return m.exchange() }

// Inherit takes the symmetries and the exchange from a machine of the same rules, whose network is simpler.
func (m *Machine) Inherit(from machine.Machine) {
	m.symmetries = func() []facts.Symmetry { return facts.Symmetries(from) }
	m.exchange = func() *facts.Symmetry { return facts.Exchange(from) }
}

// GoalValues implements facts.Valued.
func (m *Machine) GoalValues() [][]int32 {
	values := make([][]int32, len(m.goals))
	for r, goals := range m.goals {
		for _, g := range goals {
			values[r] = append(values[r], g.value)
		}
	}
	return values
}
