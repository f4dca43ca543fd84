package circuit

import (
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// The indices of programs in the image.
const (
	evaluate = iota
	goal
	advance
	choose
	prepare // not in every image
	programCount
)

// orders lists the orders in which a batch runs programs from one position to the next; all but the first and the last
// program of an order may be left out. Programs share rows: each reads inputs (fluents, moves, random bits), rows that
// it has written itself, and rows of the first program, which no program between may overwrite. A program that chooses
// moves writes inputs. link allocates rows accordingly, and checkPrograms proves it of the programs.
var orders = [][]int{{evaluate, goal, choose, advance}, {prepare, advance}}

// link builds the image of all programs, and records the rows of inputs and outputs.
func (m *Machine) link(g *Game, stuck logic.Lit) (*kernel.Image, error) {
	position := slices.Concat([]logic.Lit{g.Terminal, stuck}, g.Wins, slices.Concat(g.Legal...), slices.Concat(g.Policy...))
	var chosen, parts []logic.Lit // outputs of random choices, and their inputs
	for _, p := range g.split {
		position = append(append(position, p.Head...), p.Tail...)
		chosen, parts = append(append(chosen, p.Chosen[0]...), p.Chosen[1]...), append(append(parts, p.First...), p.Second...)
	}
	var goals []logic.Lit
	for i := range g.Goals {
		goals = append(goals, g.Goals[i].When)
	}
	all := slices.Concat(position, goals, chosen, g.Next)
	writes := g.writes(slices.Concat(chosen, g.Next), slices.Concat(parts, g.Fluents), position, goals)
	l := newLayout(g.Net, g.Net.Cone(all), writes)
	evaluated := g.Net.Cone(position)
	// Outputs and signals that later programs reuse keep their rows.
	for _, o := range slices.Concat(all, l.reused(nil, evaluated, g.Net.Cone(slices.Concat(goals, chosen, g.Next)))) {
		l.keep[o.Node()] = true
	}
	notEvaluated := func(roots []logic.Lit) []bool {
		marked := g.Net.Cone(roots)
		for i := range marked {
			marked[i] = marked[i] && !evaluated[i]
		}
		return marked
	}
	var programs [programCount]*kernel.Program
	var written map[int32]bool
	programs[evaluate], _ = l.emit("evaluate", l.schedule(position, evaluated), nil)
	programs[goal], _ = l.emit("goal", l.schedule(goals, notEvaluated(goals)), nil)
	programs[choose], written = l.emit("choose", l.schedule(chosen, notEvaluated(chosen)), writes)
	l.transfer(programs[choose], chosen, parts, written)
	programs[advance], written = l.emit("advance", l.schedule(g.Next, notEvaluated(g.Next)), writes)
	l.transfer(programs[advance], g.Next, g.Fluents, written)
	appendCopies(programs[evaluate], m.recordRows(g, l, stuck), 1)
	reused := l.reused(g.Next, evaluated, g.Net.Cone(g.Next))
	if few := g.Net.Cone(reused); prepareRatio*l.countGates(few) <= l.countGates(evaluated) {
		programs[prepare], _ = l.emit("prepare", l.schedule(reused, few), nil)
		m.prepareProgram = prepare
	}
	m.rows = int(l.rows)
	image := m.image(g, programs)
	var inputs []int32
	for _, lit := range g.inputs() {
		inputs = append(inputs, l.row[lit.Node()])
	}
	return image, checkPrograms(image, inputs, m.positionRows())
}

// prepareRatio is the least ratio of the gates of evaluate to the gates of prepare for which prepare pays.
const prepareRatio = 2

// reused returns the signals of the evaluate program that other programs read: given signals, and operands of the used
// nodes, which the other programs compute.
func (l *layout) reused(given []logic.Lit, evaluated, used []bool) (out []logic.Lit) {
	needed := slices.Clone(given)
	for i := range used {
		if used[i] && !evaluated[i] {
			needed = append(needed, l.net.Dependencies(int32(i))...)
		}
	}
	for _, o := range needed {
		if evaluated[o.Node()] {
			out = append(out, o)
		}
	}
	return out
}

// countGates returns the number of marked gates.
func (l *layout) countGates(marked []bool) (n int) {
	for i, m := range marked {
		if m && l.net.Op(int32(i)) >= logic.OpAnd {
			n++
		}
	}
	return n
}

// writes returns the gates that may be stored directly in the row of an input (see newLayout): gates with a single use,
// as signals[k], which is copied to inputs[k]. The literal of the input is complemented if the signal is the gate's
// complement.
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

// The values of a row: none, an input, or computed+k, a value of program k.
const (
	none = iota
	input
	computed
)

// checkPrograms returns an error if a program reads a row that holds neither an input nor a value of the first program of
// an order, or if the goals overwrite a row of the position's other outputs. Random bits are inputs of the choice: they
// must be filled before it, and overwrite nothing.
func checkPrograms(image *kernel.Image, inputs, position []int32) error {
	for _, order := range orders {
		if order[0] >= len(image.Programs) {
			continue
		}
		holds := make([]uint8, image.Rows)
		for _, row := range append(inputs, 0) {
			holds[row] = input
		}
		for _, k := range order {
			if k == choose {
				for _, row := range image.Random.Rows {
					if holds[row] != none {
						return fmt.Errorf("row %d of random bits holds another value before program %q", row, image.Programs[k].Name)
					}
					holds[row] = input
				}
			}
			if row, ok := follow(holds, &image.Programs[k], uint8(computed+k), uint8(computed+order[0])); !ok {
				return fmt.Errorf("program %q reads row %d, which holds no input and no value of program %q",
					image.Programs[k].Name, row, image.Programs[order[0]].Name)
			}
			if k == choose {
				for _, row := range image.Written { // the inputs that it chooses
					holds[row] = input
				}
			}
			for _, row := range position {
				if v := holds[row]; k == goal && v != computed+evaluate && v != input {
					return fmt.Errorf("row %d of the position holds another value after program %q", row, image.Programs[k].Name)
				}
			}
		}
	}
	return nil
}

// follow marks the rows that a program writes with its value. It returns the first row that the program reads although
// the row holds another value than own, first and input.
func follow(holds []uint8, p *kernel.Program, own, first uint8) (row int32, ok bool) {
	for _, s := range p.Segments {
		for _, v := range s.Vars {
			holds[v] = own
		}
		for code := s.Code; len(code) > 0; {
			width := 1 + int(code[1]+code[2])
			end := kernel.Header + width*int(code[3])
			for gate := code[kernel.Header:end]; len(gate) > 0; gate = gate[width:] {
				for _, row := range gate[1:width] {
					if v := holds[row]; v != own && v != first && v != input {
						return row, false
					}
				}
				holds[gate[0]] = own
			}
			code = code[end:]
		}
	}
	return 0, true
}

// image returns the image of a machine: its programs, and the rows that batches read and write.
func (m *Machine) image(g *Game, programs [programCount]*kernel.Program) *kernel.Image {
	image := &kernel.Image{Rows: m.rows, Moves: m.moveTables(g)}
	for _, program := range programs {
		if program != nil {
			image.Programs = append(image.Programs, *program)
		}
	}
	image.Fluents.First, image.Fluents.Count = int(m.fluent), len(m.names.Fluents)
	image.Read = m.positionRows()
	for _, goals := range m.goals {
		for _, g := range goals {
			image.Read = append(image.Read, g.when.row)
		}
	}
	for _, table := range m.moves {
		split, ok := table.(*splitTable)
		if !ok {
			continue
		}
		image.Random.Rows, image.Random.Program = append(image.Random.Rows, split.random...), choose
		for _, rows := range split.inputs() {
			for row := range rows[1] {
				image.Read, image.Written = append(image.Read, rows[0]+row), append(image.Written, rows[0]+row)
			}
		}
	}
	return image
}

// positionRows returns the rows of all outputs of a position except its goals.
func (m *Machine) positionRows() []int32 {
	rows := []int32{m.terminal.row, m.stuck.row}
	for _, win := range m.wins {
		rows = append(rows, win.row)
	}
	for _, table := range slices.Concat(m.moves, m.sensible) {
		rows = append(rows, table.legalRows()...)
	}
	return rows
}
