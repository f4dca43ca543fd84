package interpret

import (
	"slices"

	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
	"stackmate/reasoner/machine"
)

// inputs maps the fluents and moves of the machine's vocabulary to tuples of true or does, for one evaluator. Each
// evaluator numbers terms itself, so evaluators share texts and not tuples. Each evaluator parses or writes a text
// once.
//
// Invariant: a tuple of an input has the number of its text in the vocabulary. The number is -1 if the vocabulary has
// no number for the text, or if the first argument of a move is no role.
type inputs struct {
	theory  *rules.Theory
	names   *machine.Names
	terms   *rules.TermTable
	list    []*input
	fluents []inputTuple   // by fluent
	moves   [][]inputTuple // by role, then move
}

// input is one relation of fluents or moves: true or does. The table of the relation holds all tuples that have occurred,
// its selection the tuples of the position or the joint move.
type input struct {
	*rules.Relation
	number []int32 // by tuple
	role   []int32 // by tuple; 0 for fluents
}

// inputTuple is the atom of a fluent or a move: an input and a tuple of the input. The zero value marks an atom that
// has not been looked up yet.
type inputTuple struct {
	input int32 // index plus 1; -1 for a fluent that occurs in no rule
	tuple int32
}

// addInput makes rel one of the inputs.
func (x *inputs) addInput(rel *rules.Relation) *input {
	in := &input{Relation: rel}
	rel.Selection = tuples.NewSelection(rel.Table)
	x.list = append(x.list, in)
	return in
}

// forget clears all known tuples, as the terms have new numbers.
func (x *inputs) forget() {
	x.fluents = x.fluents[:0]
	for r := range x.moves {
		x.moves[r] = x.moves[r][:0]
	}
	for _, in := range x.list {
		in.Selection.ClearAll()
		in.number, in.role = in.number[:0], in.role[:0]
	}
}

// numberNew adds the tuples of an input that have no number yet to the vocabulary.
func (x *inputs) numberNew(in *input) {
	for t := int32(len(in.number)); t < in.Len(); t++ {
		tuple := in.Row(t)
		number, role := int32(-1), int32(0)
		if in.Name.Name == "true" {
			if f, ok := x.names.AddFluent(x.terms.ArgName(in.Name, 0, tuple)); ok {
				number = int32(f)
			}
		} else if role = x.theory.RoleOf(x.terms, in.Name, tuple); role >= 0 {
			m, _ := x.names.AddMove(machine.Role(role), x.terms.ArgName(in.Name, 1, tuple))
			number = int32(m)
		}
		in.number, in.role = append(in.number, number), append(in.role, role)
	}
}

// fluent returns the tuple of a fluent.
func (x *inputs) fluent(f int32) inputTuple {
	if missing := int(f) + 1 - len(x.fluents); missing > 0 {
		x.fluents = append(x.fluents, make([]inputTuple, missing)...)
	}
	if x.fluents[f].input == 0 {
		x.fluents[f] = x.find("true", nil, x.names.FluentText(int(f)))
	}
	return x.fluents[f]
}

// move returns the tuple of a move.
func (x *inputs) move(r machine.Role, m machine.Move) inputTuple {
	if missing := int(m) + 1 - len(x.moves[r]); missing > 0 {
		x.moves[r] = append(x.moves[r], make([]inputTuple, missing)...)
	}
	if x.moves[r][m].input == 0 {
		x.moves[r][m] = x.find("does", []rules.Term{x.theory.Roles[r]}, x.names.MoveText(r, m))
	}
	return x.moves[r][m]
}

// find parses the last argument of an atom and returns the tuple of the atom.
func (x *inputs) find(relation string, args []rules.Term, text string) inputTuple {
	last, ok := x.terms.Read(text)
	if !ok {
		return inputTuple{input: -1}
	}
	p := rules.Predicate{Name: relation}
	var tuple []int32
	for _, a := range append(args, last) {
		if functor := x.terms.FunctorOf(a); functor >= 0 {
			p.Shapes, tuple = append(p.Shapes, functor), append(tuple, x.terms.ArgsOf(a)...)
		} else {
			p.Shapes, tuple = append(p.Shapes, rules.NoFunctor), append(tuple, a)
		}
	}
	for k, in := range x.list {
		if in.Name.Name == relation && slices.Equal(in.Name.Shapes, p.Shapes) {
			t, _ := in.Insert(tuple)
			x.numberNew(in)
			return inputTuple{int32(k) + 1, t}
		}
	}
	return inputTuple{input: -1}
}

// setTrue makes an atom true.
func (x *inputs) setTrue(at inputTuple) {
	if at.input > 0 {
		x.list[at.input-1].Selection.Add(at.tuple)
	}
}
