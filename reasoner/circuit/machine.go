package circuit

import "stackmate/reasoner/machine"

// Machine is a compiled circuit. It implements machine.Machine.
//
// The live part of the network is cut into three programs over one array of
// rows: evaluate (legal, terminal, stuck: the position alone), goals, and advance
// (next: position and moves). What evaluate has computed, the
// others reuse, so evaluate must have run on the position first.
type Machine struct {
	names   *machine.Names
	initial machine.State
	info    machine.Info
	rows    int // of the signal array, each words wide
	words   int // of one lane mask: lanes / 64
	kernel  kernel

	fluent   []int32   // row, by fluent
	does     []int32   // row of the first move, by role; the others follow
	legal    [][]int32 // rows, by role and move
	choices  []choice  // by role
	terminal output
	stuck    output
	goals    [][]goalOutput // by role

	evaluate, goal, advance *program
	next                    []transfer
	loopVars                int // most variables in a loop
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

// transfer moves a computed next signal into the row of its fluent.
type transfer struct {
	to   int32
	from output
}

var _ machine.Machine = (*Machine)(nil)

// Options steer Compile.
type Options struct {
	Lanes int // 64, 256 or 512; 0 means the widest that this processor has
}

// Compile lays a game out as programs for a kernel.
func Compile(g *Game, o Options) (*Machine, error) {
	k, err := kernelFor(o.Lanes)
	if err != nil {
		return nil, err
	}
	m := &Machine{names: g.Names, initial: g.Initial, words: k.lanes / 64, kernel: k}
	m.info = machine.Info{Engine: "circuit", Gates: g.Net.Gates(), Depth: g.Net.Depth()}
	stuck := g.stuck()
	m.link(g, stuck)
	for r, rows := range m.legal {
		offsets := make([]int32, len(rows))
		for i, row := range rows {
			offsets[i] = row * int32(m.words)
		}
		m.choices = append(m.choices, newChoice(offsets, m.does[r]*int32(m.words)))
	}
	for _, p := range []*program{m.evaluate, m.goal, m.advance} {
		p.scale(int32(m.words))
		m.info.Bytes += p.bytes()
		m.loopVars = max(m.loopVars, p.loopVars())
	}
	return m, nil
}

// stuck is true where the position is not terminal and a role has no legal move.
func (g *Game) stuck() Lit {
	var missing []Lit
	for _, row := range g.Legal {
		missing = append(missing, g.Net.Or(row...).Not())
	}
	return g.Net.And(g.Net.Or(missing...), g.Terminal.Not())
}

// link schedules the programs and notes where their results are.
func (m *Machine) link(g *Game, stuck Lit) {
	position := append([]Lit{g.Terminal, stuck}, flatten(g.Legal)...)
	var goals []Lit
	for _, goal := range g.Goals {
		goals = append(goals, goal.When)
	}
	all := append(append(append([]Lit{}, position...), goals...), g.Next...)
	l := newLayout(g.Net, g.Net.cone(all))
	done := make([]bool, g.Net.Len())
	program := func(roots []Lit) *program {
		marked := g.Net.cone(roots)
		for i := range marked {
			marked[i] = marked[i] && !done[i]
		}
		return l.schedule(marked)
	}
	m.evaluate = program(position)
	copy(done, g.Net.cone(position))
	m.goal = program(goals)
	m.advance = program(g.Next)
	m.outputs(g, l, stuck)
	m.transfers(g, l)
}

func flatten(rows [][]Lit) []Lit {
	var out []Lit
	for _, row := range rows {
		out = append(out, row...)
	}
	return out
}

func (l *layout) output(lit Lit) output {
	row, complemented := l.at(lit)
	if complemented {
		return output{row, ^uint64(0)}
	}
	return output{row, 0}
}

// outputs notes the rows of the inputs and of what the rules say of a position.
// Legal bits that are stored complemented get rows of their own.
func (m *Machine) outputs(g *Game, l *layout, stuck Lit) {
	m.rows = l.rows
	for _, f := range g.Fluents {
		m.fluent = append(m.fluent, l.slot[f.Node()])
	}
	var copies []int32
	for r, row := range g.Does {
		first := int32(0)
		if len(row) > 0 {
			first = l.slot[row[0].Node()]
		}
		m.does = append(m.does, first)
		legal := make([]int32, len(row))
		for mv := range row {
			o := l.output(g.Legal[r][mv])
			if o.complement != 0 {
				copies = append(copies, int32(m.rows), o.row)
				o.row = int32(m.rows)
				m.rows++
			}
			legal[mv] = o.row
		}
		m.legal = append(m.legal, legal)
	}
	m.evaluate.appendCopies(copies, 1)
	m.terminal, m.stuck = l.output(g.Terminal), l.output(stuck)
	m.goals = make([][]goalOutput, len(g.Does))
	for _, goal := range g.Goals {
		m.goals[goal.Role] = append(m.goals[goal.Role], goalOutput{goal.Value, l.output(goal.When)})
	}
}

// transfers plans how next signals reach the rows of their fluents. A next
// signal may itself be a fluent (the first inputs) that another transfer
// overwrites, so those are first copied to spare rows.
func (m *Machine) transfers(g *Game, l *layout) {
	var spare []int32
	for f, lit := range g.Next {
		to := m.fluent[f]
		from := l.output(lit)
		if from.row == to && from.complement == 0 {
			continue
		}
		if lit > True && lit.Node() <= int32(len(g.Fluents)) {
			spare = append(spare, int32(m.rows), from.row)
			from.row = int32(m.rows)
			m.rows++
		}
		m.next = append(m.next, transfer{to, from})
	}
	m.advance.appendCopies(spare, 0)
}

// Names implements machine.Machine.
func (m *Machine) Names() *machine.Names { return m.names }

// Words implements machine.Machine.
func (m *Machine) Words() int { return len(m.initial) }

// Initial implements machine.Machine.
func (m *Machine) Initial() machine.State { return m.initial }

// Info implements machine.Machine.
func (m *Machine) Info() machine.Info { return m.info }

// Costs describes one program of a machine.
type Costs struct {
	Name     string
	Gates    int // gates of any width
	Operands int
	Runs     int
	Loops    int
}

// Costs lists what each program of the machine evaluates.
func (m *Machine) Costs() []Costs {
	var list []Costs
	for _, p := range []struct {
		name string
		*program
	}{{"evaluate", m.evaluate}, {"goals", m.goal}, {"advance", m.advance}} {
		c := Costs{Name: p.name}
		for _, seg := range p.segments {
			if len(seg.vars) > 0 {
				c.Loops++
			}
			for k := 0; k < len(seg.code); {
				width, count := int(seg.code[k+1]+seg.code[k+2]), int(seg.code[k+3])
				c.Runs++
				c.Gates += count
				c.Operands += count * width
				k += runHeader + count*(1+width)
			}
		}
		list = append(list, c)
	}
	return list
}
