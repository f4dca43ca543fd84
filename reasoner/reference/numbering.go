package reference

import (
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Outside is the name of the fluent, and of the move of each role, that stands
// for whatever the rules derive and the names given to NewWithNames lack. It can
// be no term of a rulesheet.
const Outside = "outside the vocabulary"

// vocabulary is the terms that positions and joint moves are made of.
type vocabulary struct {
	roles   []term
	fluents []term   // by fluent
	moves   [][]term // by role, then move
}

// vocabulary lists the possible fluents and moves, in the order of their text.
func (s *store) vocabulary(roles []gdl.Term) vocabulary {
	t := s.terms
	v := vocabulary{moves: make([][]term, len(roles))}
	for _, fact := range s.facts(t.functor("true", 1)) {
		v.fluents = append(v.fluents, t.arguments[fact][0])
	}
	t.sort(v.fluents)
	for r, role := range roles {
		v.roles = append(v.roles, t.ground(role))
		for _, fact := range s.facts(t.functor("does", 2)) {
			if a := t.arguments[fact]; a[0] == v.roles[r] {
				v.moves[r] = append(v.moves[r], a[1])
			}
		}
		t.sort(v.moves[r])
	}
	return v
}

// sort orders terms by their text.
func (t *terms) sort(list []term) {
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(t.string(a), t.string(b)) })
}

// vocabulary reads names, which must have the given roles, and adds Outside.
func (t *terms) vocabulary(roles []gdl.Term, names *machine.Names) (vocabulary, error) {
	v := vocabulary{moves: make([][]term, len(roles))}
	for _, role := range roles {
		v.roles = append(v.roles, t.ground(role))
	}
	if got := t.texts(v.roles); !slices.Equal(got, names.Roles) {
		return v, fmt.Errorf("expected names with the roles %v of the game, found %v", got, names.Roles)
	}
	var err error
	if v.fluents, err = t.read(names.Fluents); err != nil {
		return v, err
	}
	for r, moves := range names.Moves {
		if v.moves[r], err = t.read(moves); err != nil {
			return v, err
		}
	}
	return v, nil
}

// read numbers ground terms given by their text, and Outside after them.
func (t *terms) read(texts []string) ([]term, error) {
	list := make([]term, 0, len(texts)+1)
	for _, text := range texts {
		parsed, err := gdl.ParseTerm(text)
		if err != nil {
			return nil, fmt.Errorf("expected a name that is one term, found %q: %w", text, err)
		}
		list = append(list, t.ground(parsed))
	}
	return append(list, t.make(t.functor(Outside, 0))), nil
}

func (t *terms) texts(list []term) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = t.string(n)
	}
	return texts
}

// numbering gives the fluents and moves their numbers.
type numbering struct {
	vocabulary
	names  *machine.Names
	fluent map[term]int
	move   []map[term]machine.Move // by role
}

func newNumbering(t *terms, v vocabulary) *numbering {
	n := &numbering{vocabulary: v, fluent: make(map[term]int)}
	n.names = &machine.Names{Roles: t.texts(v.roles), Fluents: t.texts(v.fluents)}
	for i, f := range v.fluents {
		n.fluent[f] = i
	}
	for _, moves := range v.moves {
		n.names.Moves = append(n.names.Moves, t.texts(moves))
		number := make(map[term]machine.Move)
		for i, m := range moves {
			number[m] = machine.Move(i)
		}
		n.move = append(n.move, number)
	}
	return n
}

// fluentOf is the number of a fluent: that of Outside, the last one, if it has
// none. A vocabulary that was computed lacks nothing.
func (n *numbering) fluentOf(f term) int {
	if i, ok := n.fluent[f]; ok {
		return i
	}
	return len(n.fluents) - 1
}

// moveOf is the number of a move in the same way.
func (n *numbering) moveOf(r machine.Role, m term) machine.Move {
	if i, ok := n.move[r][m]; ok {
		return i
	}
	return machine.Move(len(n.moves[r]) - 1)
}

// state is the position of the given facts of `init` or `next`.
func (n *numbering) state(t *terms, facts []term) machine.State {
	s := n.names.NewState()
	for _, fact := range facts {
		s.Set(n.fluentOf(t.arguments[fact][0]))
	}
	return s
}
