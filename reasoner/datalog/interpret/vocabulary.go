package interpret

import (
	"slices"
	"sync"

	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// vocabulary numbers fluents and moves at their first appearance, by their terms. All evaluators of a machine share it;
// texts are read and written for callers only. It implements machine.Vocabulary, and is safe for concurrent use. It grows
// up to a bound on its memory; later atoms get no number.
//
// Evaluators number terms that appear in play each on its own. The vocabulary has numbers of its own for them.
type vocabulary struct {
	machine.Vocabulary // packs positions
	theory             *rules.Theory
	maxBytes           int64

	mu      sync.RWMutex
	terms   *rules.TermTable
	atoms   []*atoms
	fluents []place   // by fluent
	moves   [][]place // by role, then move
}

// atoms are the numbered fluents or moves of one relation.
type atoms struct {
	rules.Predicate
	table  *tuples.Table // over the terms of the vocabulary
	number []int32       // by tuple
}

// place is the place of a fluent or a move: the index of its atoms, and a tuple there.
type place struct{ atoms, tuple int32 }

// placeBytes is the memory of a number and a place.
const placeBytes = 12

func newVocabulary(th *rules.Theory, words int, maxBytes int64) *vocabulary {
	v := &vocabulary{
		Vocabulary: scalar.NewVocabulary(0, words, maxBytes/2), theory: th, maxBytes: maxBytes / 2,
		terms: th.Terms.Clone(), moves: make([][]place, len(th.Roles)),
	}
	for _, rel := range inputRelations(th) {
		v.atoms = append(v.atoms, &atoms{Predicate: rel.Predicate, table: tuples.New(rel.Arity)})
	}
	return v
}

// inputRelations returns the relations of fluents and of moves.
func inputRelations(th *rules.Theory) []*rules.Relation {
	return slices.DeleteFunc(slices.Clone(th.Relations), func(r *rules.Relation) bool { return !r.IsInput() })
}

// add returns the number of the atom with index k and a tuple over the given terms, and the role of a move. The number is
// -1 for a move of no role, and if there is no room.
func (v *vocabulary) add(k int, terms *rules.TermTable, tuple []int32) (number, role int32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	row := make([]int32, len(tuple))
	for c, id := range tuple {
		row[c] = v.terms.Import(terms, id)
	}
	a, list := v.atoms[k], &v.fluents
	if a.Name == "does" {
		if role = v.theory.RoleOf(v.terms, a.Predicate, row); role < 0 {
			return -1, role
		}
		list = &v.moves[role]
	}
	if t := a.table.Find(row); t >= 0 {
		return a.number[t], role
	}
	if v.bytes() > v.maxBytes {
		return -1, role
	}
	t, _ := a.table.Insert(row)
	number = int32(len(*list))
	*list = append(*list, place{int32(k), t})
	a.number = append(a.number, number)
	return number, role
}

// bytes estimates the memory of terms and atoms.
func (v *vocabulary) bytes() int64 {
	sum := v.terms.Bytes() - v.theory.Terms.Bytes()
	for _, a := range v.atoms {
		sum += a.table.Bytes() + placeBytes*int64(len(a.number))
	}
	return sum
}

// tuple returns the index of the atoms with a place, and the tuple over the given terms.
func (v *vocabulary) tuple(at func() place, terms *rules.TermTable) (k int32, tuple []int32) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	p := at()
	for _, id := range v.atoms[p.atoms].table.Row(p.tuple) {
		tuple = append(tuple, terms.Import(v.terms, id))
	}
	return p.atoms, tuple
}

// read finds the relation and the tuple of an atom whose last argument is a text.
func (v *vocabulary) read(relation string, args []rules.Term, text string) (k int, tuple []int32, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	last, ok := v.terms.Read(text)
	if !ok {
		return 0, nil, false
	}
	var shapes []int32
	for _, a := range append(args, last) {
		if functor := v.terms.FunctorOf(a); functor >= 0 {
			shapes, tuple = append(shapes, functor), append(tuple, v.terms.ArgsOf(a)...)
		} else {
			shapes, tuple = append(shapes, rules.NoFunctor), append(tuple, a)
		}
	}
	k = slices.IndexFunc(v.atoms, func(a *atoms) bool { return a.Name == relation && slices.Equal(a.Shapes, shapes) })
	return k, tuple, k >= 0
}

// Move implements machine.Vocabulary.
func (v *vocabulary) Move(r machine.Role, text string) (machine.Move, bool) {
	k, tuple, ok := v.read("does", v.theory.Roles[r:r+1:r+1], text)
	if !ok {
		return machine.NoMove, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	t := v.atoms[k].table.Find(tuple)
	if t < 0 {
		return machine.NoMove, false
	}
	return machine.Move(v.atoms[k].number[t]), true
}

// AddMove implements machine.Vocabulary.
func (v *vocabulary) AddMove(r machine.Role, text string) (machine.Move, bool) {
	n := v.addText("does", v.theory.Roles[r:r+1:r+1], text)
	return machine.Move(n), n >= 0
}

// AddFluent implements machine.Vocabulary.
func (v *vocabulary) AddFluent(text string) (int, bool) {
	n := v.addText("true", nil, text)
	return int(n), n >= 0
}

func (v *vocabulary) addText(relation string, args []rules.Term, text string) int32 {
	k, tuple, ok := v.read(relation, args, text)
	if !ok {
		return -1
	}
	number, _ := v.add(k, v.terms, tuple)
	return number
}

// MoveText implements machine.Vocabulary.
func (v *vocabulary) MoveText(r machine.Role, m machine.Move) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.text(v.moves[r][m])
}

// FluentText implements machine.Vocabulary.
func (v *vocabulary) FluentText(f int) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.text(v.fluents[f])
}

// MoveTexts implements machine.Vocabulary.
func (v *vocabulary) MoveTexts(r machine.Role) []string {
	return v.texts(func() []place { return v.moves[r] })
}

// FluentTexts implements machine.Vocabulary.
func (v *vocabulary) FluentTexts() []string { return v.texts(func() []place { return v.fluents }) }

func (v *vocabulary) texts(places func() []place) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var list []string
	for _, p := range places() {
		list = append(list, v.text(p))
	}
	return list
}

// text writes the last argument of the atom at a place.
func (v *vocabulary) text(p place) string {
	a := v.atoms[p.atoms]
	return v.terms.ArgName(a.Predicate, len(a.Shapes)-1, a.table.Row(p.tuple))
}
