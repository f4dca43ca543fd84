package interpret

import (
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
	"stackmate/reasoner/machine"
)

// inputs maps the fluents and moves of the machine's vocabulary to tuples of true or does, for one evaluator. Terms that
// appear in play have other numbers in each evaluator, so evaluators do not share tuples.
//
// Invariant: a tuple of an input has the number of its atom in the vocabulary, or -1 if there is none.
type inputs struct {
	vocabulary *vocabulary
	terms      *rules.TermTable
	list       []*input       // as vocabulary.atoms
	fluents    []inputTuple   // by fluent
	moves      [][]inputTuple // by role, then move
}

// input is one relation of fluents or moves: true or does. The table of the relation holds all tuples that have occurred,
// its selection the tuples of the position or the joint move.
type input struct {
	*rules.Relation
	number []int32 // by tuple
	role   []int32 // by tuple; 0 for fluents
}

// inputTuple is the atom of a fluent or a move: the index of an input plus 1, and a tuple of the input. The zero value
// marks an atom that has not been looked up yet.
type inputTuple struct{ input, tuple int32 }

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

// numberNew adds the tuples of input k that have no number yet to the vocabulary.
func (x *inputs) numberNew(k int) {
	in := x.list[k]
	for t := int32(len(in.number)); t < in.Len(); t++ {
		number, role := x.vocabulary.add(k, x.terms, in.Row(t))
		in.number, in.role = append(in.number, number), append(in.role, role)
	}
}

// fluent returns the tuple of a fluent.
func (x *inputs) fluent(f int32) inputTuple {
	return x.lookUp(&x.fluents, int(f), func() place { return x.vocabulary.fluents[f] })
}

// move returns the tuple of a move.
func (x *inputs) move(r machine.Role, m machine.Move) inputTuple {
	return x.lookUp(&x.moves[r], int(m), func() place { return x.vocabulary.moves[r][m] })
}

// lookUp returns element i of known, and adds the atom at a place of the vocabulary to its input at the first time.
func (x *inputs) lookUp(known *[]inputTuple, i int, at func() place) inputTuple {
	if missing := i + 1 - len(*known); missing > 0 {
		*known = append(*known, make([]inputTuple, missing)...)
	}
	if (*known)[i].input == 0 {
		k, tuple := x.vocabulary.tuple(at, x.terms)
		t, _ := x.list[k].Insert(tuple)
		x.numberNew(int(k))
		(*known)[i] = inputTuple{k + 1, t}
	}
	return (*known)[i]
}

// setTrue makes an atom true.
func (x *inputs) setTrue(at inputTuple) { x.list[at.input-1].Selection.Add(at.tuple) }
