package datalog

import (
	"slices"

	"stackmate/reasoner/machine"
)

// inputs maps the fluents and moves of the machine's vocabulary to tuples of true or does, for one evaluator. Each
// evaluator numbers terms itself, so evaluators share texts and not tuples. Each evaluator parses or writes a text
// once.
//
// Invariant: a tuple of known has the number of its text in the vocabulary. The number is -1 if the vocabulary has
// no number for the text, or if the first argument of a move is no role.
type inputs struct {
	theory  *theory
	names   *machine.Names
	terms   *termTable
	list    []*input
	fluents []inputTuple   // by fluent
	moves   [][]inputTuple // by role, then move
}

// input is one relation of fluents or moves. The tuples of the position or the joint move are a subset of the
// known tuples.
type input struct {
	name    predicate
	rel     *relation // true or does in the rules; it stores no tuples
	known   *relation // all tuples that have occurred
	number  []int32   // by tuple of known
	role    []int32   // by tuple of known; 0 for fluents
	holding tupleSet  // the tuples of the position or the joint move
	buckets []*buckets
}

// tupleSet is a set of tuple numbers that is cleared in constant time.
type tupleSet struct {
	list []int32
	mark []uint32 // by tuple: the last run in which it was added
	run  uint32   // from 1
}

// has reports whether tuple t is in the set; t may be -1.
func (x *tupleSet) has(t int32) bool {
	return t >= 0 && int(t) < len(x.mark) && x.mark[t] == x.run
}

// add adds tuple t and reports whether it is new.
func (x *tupleSet) add(t int32) bool {
	if x.has(t) {
		return false
	}
	for int(t) >= len(x.mark) {
		x.mark = append(x.mark, 0)
	}
	x.mark[t] = x.run
	x.list = append(x.list, t)
	return true
}

// clear empties the set.
func (x *tupleSet) clear() {
	x.list = x.list[:0]
	if x.run++; x.run == 0 {
		clear(x.mark)
		x.run = 1
	}
}

// buckets group the tuples of the position by the chains of an index over all known tuples, so setting a position
// needs no hashing.
type buckets struct {
	known *relation
	index *index
	lists [][]int32 // by chain
	used  []int32   // the chains with non-empty lists
}

// inputTuple is the atom of a fluent or a move: an input and a tuple of known. The zero value marks an atom that
// has not been looked up yet.
type inputTuple struct {
	input int32 // index plus 1; -1 for a fluent that occurs in no rule
	tuple int32
}

// addInput makes rel one of the inputs.
func (x *inputs) addInput(rel *relation) *input {
	in := &input{name: rel.name, rel: rel, known: newRelation(rel.name, rel.arity)}
	in.holding.clear()
	rel.input = in
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
		in.reset()
		clear(in.holding.mark)
		in.known.clear()
		in.number, in.role = in.number[:0], in.role[:0]
	}
}

// intern returns the number of the tuple in known, and adds the tuple to known and to the vocabulary if it is new.
func (x *inputs) intern(in *input, tuple []int32) int32 {
	if t := in.known.find(tuple); t >= 0 {
		return t
	}
	t := in.known.n
	in.known.insert(tuple)
	number, role := int32(-1), int32(0)
	if in.name.name == "true" {
		if f, ok := x.names.AddFluent(x.terms.argName(in.name, 0, tuple)); ok {
			number = int32(f)
		}
	} else if role = x.theory.roleOf(x.terms, in.name, tuple); role >= 0 {
		m, _ := x.names.AddMove(machine.Role(role), x.terms.argName(in.name, 1, tuple))
		number = int32(m)
	}
	in.number, in.role = append(in.number, number), append(in.role, role)
	return t
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
		x.moves[r][m] = x.find("does", []term{x.theory.roles[r]}, x.names.MoveText(r, m))
	}
	return x.moves[r][m]
}

// find parses the last argument of an atom and returns the tuple of the atom.
func (x *inputs) find(relation string, args []term, text string) inputTuple {
	last, ok := x.terms.read(text)
	if !ok {
		return inputTuple{input: -1}
	}
	p := predicate{name: relation}
	var tuple []int32
	for _, a := range append(args, last) {
		if functor := x.terms.functorOf(a); functor >= 0 {
			p.shapes, tuple = append(p.shapes, functor), append(tuple, x.terms.argsOf(a)...)
		} else {
			p.shapes, tuple = append(p.shapes, noFunctor), append(tuple, a)
		}
	}
	for k, in := range x.list {
		if in.name.name == relation && slices.Equal(in.name.shapes, p.shapes) {
			return inputTuple{int32(k) + 1, x.intern(in, tuple)}
		}
	}
	return inputTuple{input: -1}
}

// setTrue makes an atom true.
func (x *inputs) setTrue(at inputTuple) {
	if at.input > 0 {
		x.list[at.input-1].setTrue(at.tuple)
	}
}

// reset makes all tuples false.
func (in *input) reset() {
	in.holding.clear()
	for _, b := range in.buckets {
		for _, c := range b.used {
			b.lists[c] = b.lists[c][:0]
		}
		b.used = b.used[:0]
	}
}

// setTrue makes tuple t true.
func (in *input) setTrue(t int32) {
	if !in.holding.add(t) {
		return
	}
	for _, b := range in.buckets {
		b.add(t)
	}
}

// add puts tuple t into its bucket.
func (b *buckets) add(t int32) {
	c := b.index.chain[t]
	for int(c) >= len(b.lists) {
		b.lists = append(b.lists, nil)
	}
	if len(b.lists[c]) == 0 {
		b.used = append(b.used, c)
	}
	b.lists[c] = append(b.lists[c], t)
}

// has reports whether a tuple is true.
func (in *input) has(tuple []int32) bool {
	return in.holding.has(in.known.find(tuple))
}

// bucketsBy returns the buckets over the given columns, ascending.
func (in *input) bucketsBy(columns []int32) *buckets {
	x := in.known.index(columns)
	for _, b := range in.buckets {
		if b.index == x {
			return b
		}
	}
	x.numberChains()
	b := &buckets{known: in.known, index: x}
	for _, t := range in.holding.list {
		b.add(t)
	}
	in.buckets = append(in.buckets, b)
	return b
}

// find returns the true tuples with a key.
func (b *buckets) find(key []int32) []int32 {
	t := b.index.newest(b.known, key)
	if t < 0 || int(b.index.chain[t]) >= len(b.lists) {
		return nil
	}
	return b.lists[b.index.chain[t]]
}

// sink collects the derived tuples of next or legal as tuples of true or does.
type sink struct {
	inputs *inputs
	input  *input
	found  tupleSet
}

// has reports whether a tuple has been collected.
func (s *sink) has(tuple []int32) bool { return s.found.has(s.input.known.find(tuple)) }

// add collects a tuple.
func (s *sink) add(tuple []int32) { s.found.add(s.inputs.intern(s.input, tuple)) }
