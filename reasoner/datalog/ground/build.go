package ground

import (
	"cmp"
	"slices"

	"stackmate/internal/guard"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

// builder numbers the atoms that the outputs depend on and writes the Program.
type builder struct {
	s       *simplified
	program *Program
	signal  []Signal // by atom: its signal, NoSignal before its first use
	heads   []int32  // by atom: the first instance with this head, or -1
	next    []int32  // by instance: the next instance with the same head, or -1
	todo    []int32  // derived atoms whose rules are not yet written
}

// program writes the simplified instances as a Program: rules of the atoms that the outputs depend on, without
// constants.
func (s *simplified) program() *Program {
	b := &builder{s: s, program: &Program{Names: &machine.Names{}, Ends: NoSignal}}
	b.signal = make([]Signal, s.atoms())
	for a := range b.signal {
		b.signal[a] = NoSignal
	}
	b.nameInputs()
	b.chainRules()
	b.outputs()
	b.rules()
	return b.program
}

// named pairs an atom with its text.
type named struct {
	atom int32
	text string
}

// nameInputs numbers fluents and moves in the order of their texts.
func (b *builder) nameInputs() {
	s, t := b.s, b.s.theory.Terms
	var fluents []named
	moves := make([][]named, len(s.theory.Roles))
	for k, rel := range s.tables {
		for tuple := range rel.Len() {
			s.theory.Watch.Step()
			a := s.base[k] + tuple
			switch {
			case !s.possible[a]:
			case rel.Name.Name == "true":
				fluents = append(fluents, named{a, t.ArgName(rel.Name, 0, rel.Row(tuple))})
			case rel.Name.Name == "does" && s.role[a] >= 0:
				moves[s.role[a]] = append(moves[s.role[a]], named{a, t.ArgName(rel.Name, 1, rel.Row(tuple))})
			}
		}
	}
	n := b.program.Names
	n.Fluents = b.number(fluents)
	for i, f := range sortNamed(b.s.theory.Watch, fluents) {
		if s.init[f.atom] {
			b.program.Init = append(b.program.Init, int32(i))
		}
	}
	for r, role := range s.theory.Roles {
		n.Roles = append(n.Roles, t.Name(role))
		n.Moves = append(n.Moves, b.number(moves[r]))
	}
}

func sortNamed(w *guard.Watch, list []named) []named {
	slices.SortFunc(list, func(x, y named) int {
		w.Step()
		return cmp.Compare(x.text, y.text)
	})
	return list
}

// number gives the atoms consecutive signals in the order of their texts, and returns the texts.
func (b *builder) number(list []named) []string {
	texts := make([]string, len(list))
	for i, x := range sortNamed(b.s.theory.Watch, list) {
		texts[i] = x.text
		b.signal[x.atom] = Signal(b.program.Signals)
		b.program.Signals++
	}
	return texts
}

// chainRules links the instances of each head into a list.
func (b *builder) chainRules() {
	s := b.s
	b.heads = make([]int32, s.atoms())
	for a := range b.heads {
		b.heads[a] = -1
	}
	b.next = make([]int32, len(s.head))
	for i := len(s.head) - 1; i >= 0; i-- {
		h := s.head[i]
		b.next[i] = b.heads[h]
		b.heads[h] = int32(i)
	}
}

// use returns the signal of an atom, and allocates the signal of a derived atom at its first use.
func (b *builder) use(a int32) Signal {
	s := b.s
	if !s.possible[a] {
		return NoSignal
	}
	if s.certain[a] {
		return True
	}
	if b.signal[a] < 0 {
		b.signal[a] = Signal(b.program.Signals)
		b.program.Signals++
		b.todo = append(b.todo, a)
	}
	return b.signal[a]
}

// source returns the signal of the atom that an input is read from: next(F) for a fluent F of the next position,
// legal(R,M) for a move does(R,M).
func (b *builder) source(a int32) Signal {
	switch from := b.s.source[a]; from {
	case -1:
		return NoSignal
	case constantTrue:
		return True
	default:
		return b.use(from)
	}
}

// outputs assigns signals to next, legal, terminal and goal.
func (b *builder) outputs() {
	s, p := b.s, b.program
	atomOf := make([]int32, p.Signals)
	for a, sig := range b.signal {
		if sig >= 0 {
			atomOf[sig] = int32(a)
		}
	}
	for f := range p.Names.Fluents {
		p.Next = append(p.Next, b.source(atomOf[f]))
	}
	for r, table := range p.Names.Moves {
		legal := make([]Signal, len(table))
		for m := range table {
			legal[m] = b.source(atomOf[p.does(machine.Role(r), machine.Move(m))])
		}
		p.Legal = append(p.Legal, legal)
	}
	for _, rel := range s.theory.Relations {
		for t := range rel.Len() {
			switch {
			case rel.Name.Name == "terminal" && rel.Arity == 0:
				p.Ends = b.output(rel, t)
			case rel.Name.Name == "goal" && len(rel.Name.Shapes) == 2:
				b.goal(rel, t)
			}
		}
	}
}

func (b *builder) output(rel *rules.Relation, t int32) Signal {
	if !rel.IsOpen() {
		return True
	}
	return b.use(b.s.first[rel] + t)
}

// goal adds a goal atom, unless it is impossible or its first argument is no role.
func (b *builder) goal(rel *rules.Relation, t int32) {
	th := b.s.theory
	role := th.RoleOf(th.Terms, rel.Name, rel.Row(t))
	signal := b.output(rel, t)
	if role < 0 || signal == NoSignal {
		return
	}
	value := machine.GoalOf(th.Terms.ArgName(rel.Name, 1, rel.Row(t)))
	b.program.Goals = append(b.program.Goals, Goal{machine.Role(role), value, signal})
}

// rules writes the rules of all derived atoms in use.
func (b *builder) rules() {
	p, s := b.program, b.s
	// The instances bound the number of rules.
	p.Head, p.Start, p.Body = make([]Signal, 0, len(s.head)), append(make([]int32, 0, len(s.start)), 0), make([]Lit, 0, len(s.body))
	var body []Lit
	for len(b.todo) > 0 {
		s.theory.Watch.Step()
		a := b.todo[0]
		b.todo = b.todo[1:]
		for i := b.heads[a]; i >= 0; i = b.next[i] {
			var live bool
			if body, live = b.bodyOf(body[:0], int(i)); live {
				p.Head = append(p.Head, b.signal[a])
				p.Body = append(p.Body, body...)
				p.Start = append(p.Start, int32(len(p.Body)))
			}
		}
	}
}

// bodyOf appends the non-constant literals of instance i in ascending order. live is false if the body contains a
// false literal or a complementary pair.
func (b *builder) bodyOf(body []Lit, i int) (_ []Lit, live bool) {
	s := b.s
	for _, lit := range s.bodyOf(i) {
		if a := lit >> 1; lit&1 == 0 && !s.possible[a] || lit&1 == 1 && s.certain[a] {
			return body, false
		}
	}
	for _, lit := range s.bodyOf(i) {
		if sig := b.use(lit >> 1); sig >= 0 {
			body = append(body, Lit(2*sig)+Lit(lit&1))
		}
	}
	slices.Sort(body)
	body = slices.Compact(body)
	for k := 1; k < len(body); k++ {
		if body[k].Signal() == body[k-1].Signal() {
			return body, false
		}
	}
	return body, true
}
