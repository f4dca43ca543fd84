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
	numbers []Atom  // by possible atom: its number in the program, False before its first use
	heads   []int32 // by atom: the first instance with this head, or -1
	next    []int32 // by instance: the next instance with the same head, or -1
	todo    []int32 // derived atoms whose rules are not yet written
}

// program writes the simplified instances as a Program: rules of the atoms that the outputs depend on, without
// constants.
func (s *simplified) program() *Program {
	b := &builder{s: s, program: &Program{Names: &machine.Names{}, Terminal: False}}
	b.numbers = make([]Atom, s.atoms())
	for a := range b.numbers {
		b.numbers[a] = False
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
			case rel.Name == "true":
				fluents = append(fluents, named{a, t.ArgName(rel.Predicate, 0, rel.Row(tuple))})
			case rel.Name == "does" && s.role[a] >= 0:
				moves[s.role[a]] = append(moves[s.role[a]], named{a, t.ArgName(rel.Predicate, 1, rel.Row(tuple))})
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

// number numbers the atoms consecutively in the order of their texts, and returns the texts.
func (b *builder) number(list []named) []string {
	texts := make([]string, len(list))
	for i, x := range sortNamed(b.s.theory.Watch, list) {
		texts[i] = x.text
		b.numbers[x.atom] = Atom(b.program.Atoms)
		b.program.Atoms++
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

// use returns the number of a possible atom in the program. It numbers a derived atom at its first use.
func (b *builder) use(a int32) Atom {
	s := b.s
	if !s.possible[a] {
		return False
	}
	if s.certain[a] {
		return True
	}
	if b.numbers[a] < 0 {
		b.numbers[a] = Atom(b.program.Atoms)
		b.program.Atoms++
		b.todo = append(b.todo, a)
	}
	return b.numbers[a]
}

// source returns the number of the atom that an input is read from: next(F) for a fluent F of the next position,
// legal(R,M) for a move does(R,M).
func (b *builder) source(a int32) Atom {
	switch from := b.s.source[a]; from {
	case -1:
		return False
	case constantTrue:
		return True
	default:
		return b.use(from)
	}
}

// outputs writes the numbers of the atoms of next, legal, terminal and goal.
func (b *builder) outputs() {
	s, p := b.s, b.program
	possible := make([]int32, p.Atoms) // by number: the possible atom
	for a, n := range b.numbers {
		if n >= 0 {
			possible[n] = int32(a)
		}
	}
	for f := range p.Names.Fluents {
		p.Next = append(p.Next, b.source(possible[f]))
	}
	for r, table := range p.Names.Moves {
		legal := make([]Atom, len(table))
		for m := range table {
			legal[m] = b.source(possible[p.does(machine.Role(r), machine.Move(m))])
		}
		p.Legal = append(p.Legal, legal)
	}
	for _, rel := range s.theory.Relations {
		for t := range rel.Len() {
			switch {
			case rel.Name == "terminal" && rel.Arity == 0:
				p.Terminal = b.output(rel, t)
			case rel.Name == "goal" && len(rel.Shapes) == 2:
				b.goal(rel, t)
			}
		}
	}
}

func (b *builder) output(rel *rules.Relation, t int32) Atom {
	if !rel.IsOpen() {
		return True
	}
	return b.use(b.s.first[rel] + t)
}

// goal adds a goal atom, unless it is impossible or its first argument is no role.
func (b *builder) goal(rel *rules.Relation, t int32) {
	th := b.s.theory
	role := th.RoleOf(th.Terms, rel.Predicate, rel.Row(t))
	when := b.output(rel, t)
	if role < 0 || when == False {
		return
	}
	value := machine.GoalOf(th.Terms.ArgName(rel.Predicate, 1, rel.Row(t)))
	b.program.Goals = append(b.program.Goals, Goal{machine.Role(role), value, when})
}

// rules writes the rules of all derived atoms in use.
func (b *builder) rules() {
	p, s := b.program, b.s
	// The instances bound the number of rules.
	p.Head, p.Start, p.Body = make([]Atom, 0, len(s.head)), append(make([]int32, 0, len(s.start)), 0), make([]Lit, 0, len(s.body))
	var body []Lit
	for len(b.todo) > 0 {
		s.theory.Watch.Step()
		a := b.todo[0]
		b.todo = b.todo[1:]
		for i := b.heads[a]; i >= 0; i = b.next[i] {
			var live bool
			if body, live = b.bodyOf(body[:0], int(i)); live {
				p.Head = append(p.Head, b.numbers[a])
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
		if n := b.use(lit >> 1); n >= 0 {
			body = append(body, Lit(2*n)+Lit(lit&1))
		}
	}
	slices.Sort(body)
	body = slices.Compact(body)
	for k := 1; k < len(body); k++ {
		if body[k].Atom() == body[k-1].Atom() {
			return body, false
		}
	}
	return body, true
}
