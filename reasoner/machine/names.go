package machine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Names translates between the integers of a machine and the terms of the
// rules, written in prefix form with single blanks and spelled as in the
// rulesheet. It is immutable once a machine has been made with it.
type Names struct {
	Roles   []string   // by Role
	Moves   [][]string // by Role, then Move
	Fluents []string   // by fluent index

	once    sync.Once
	moves   []map[string]Move
	folded  []map[string]Move // lower-cased spelling; NoMove where ambiguous
	fluents map[string]int
}

func (n *Names) index() {
	n.fluents = make(map[string]int, len(n.Fluents))
	for f, name := range n.Fluents {
		n.fluents[name] = f
	}
	for _, table := range n.Moves {
		exact := make(map[string]Move, len(table))
		folded := make(map[string]Move, len(table))
		for m, name := range table {
			exact[name] = Move(m)
			low := strings.ToLower(name)
			if _, taken := folded[low]; taken {
				folded[low] = NoMove
			} else {
				folded[low] = Move(m)
			}
		}
		n.moves = append(n.moves, exact)
		n.folded = append(n.folded, folded)
	}
}

// Players are the roles that choose for themselves, all but chance, in order.
func (n *Names) Players() []Role {
	var players []Role
	for r, name := range n.Roles {
		if name != RandomRole {
			players = append(players, Role(r))
		}
	}
	return players
}

// Chance is the role named RandomRole, or NoRole in a game without it.
func (n *Names) Chance() Role { return Role(slices.Index(n.Roles, RandomRole)) }

// Role finds a role by its name: as spelled, or else in any case if only one role
// matches.
func (n *Names) Role(name string) (Role, bool) {
	if r := slices.Index(n.Roles, name); r >= 0 {
		return Role(r), true
	}
	found := NoRole
	for r, s := range n.Roles {
		if strings.EqualFold(s, name) {
			if found != NoRole {
				return NoRole, false
			}
			found = Role(r)
		}
	}
	return found, found != NoRole
}

// Move finds a move of role r by its text: as spelled, or else in any case if
// only one move of the table matches.
func (n *Names) Move(r Role, text string) (Move, bool) {
	n.once.Do(n.index)
	if m, ok := n.moves[r][text]; ok {
		return m, true
	}
	m, ok := n.folded[r][strings.ToLower(text)]
	return m, ok && m != NoMove
}

// Fluent finds a fluent by its text.
func (n *Names) Fluent(text string) (int, bool) {
	n.once.Do(n.index)
	f, ok := n.fluents[text]
	return f, ok
}

// NewState makes the position in which no fluent is true. It has a word even if
// there are no fluents, so that positions can be counted by their words.
func (n *Names) NewState() State { return make(State, max(1, (len(n.Fluents)+63)/64)) }

// State builds the position in which exactly the given fluents are true.
func (n *Names) State(fluents []string) (State, error) {
	s := n.NewState()
	for _, text := range fluents {
		f, ok := n.Fluent(text)
		if !ok {
			return nil, fmt.Errorf("%s is no fluent that the game can reach", text)
		}
		s.Set(f)
	}
	return s, nil
}

// AppendFluents appends the names of the fluents that are true in s, by index.
func (n *Names) AppendFluents(dst []string, s State) []string {
	for f := range n.Fluents {
		if s.Has(f) {
			dst = append(dst, n.Fluents[f])
		}
	}
	return dst
}

// JointString writes a joint move, one move per role, as the wire does.
func (n *Names) JointString(joint []Move) string {
	var b strings.Builder
	b.WriteByte('(')
	for r, m := range joint {
		if r > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.Moves[r][m])
	}
	b.WriteByte(')')
	return b.String()
}
