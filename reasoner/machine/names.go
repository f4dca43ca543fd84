package machine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Names translates between the integers of a machine and the terms of the rules. Terms are in prefix form
// with single blanks, spelled as in the rulesheet. Either the tables of moves and fluents are complete when
// the machine is made, and never change. Or they are empty, and Open numbers moves and fluents at their first
// appearance. The methods work alike in both cases.
type Names struct {
	Roles   []string   // by Role
	Moves   [][]string // by Role, then Move; nil with an open vocabulary
	Fluents []string   // by fluent index; nil with an open vocabulary
	Open    Vocabulary // nil if the tables are complete
	// LeftOut, if not nil, reports whether the machine leaves a fluent out, because no legal move, goal or end depends on
	// it: the fluent is neither true nor false in a position.
	LeftOut func(fluent string) bool

	once    sync.Once
	moves   []map[string]Move
	folded  []map[string]Move // lower-cased spelling; NoMove where ambiguous
	fluents map[string]int
}

// Vocabulary numbers the fluents and moves of a game at their first appearance (scalar.NewVocabulary). It is safe for
// concurrent use. A text without a number has a move or fluent number of -1, and false.
type Vocabulary interface {
	Move(r Role, text string) (Move, bool)
	AddMove(r Role, text string) (Move, bool) // false if the vocabulary is full
	AddFluent(text string) (int, bool)        // false if the vocabulary is full
	MoveText(r Role, m Move) string
	FluentText(f int) string
	MoveTexts(r Role) []string // by Move, of the moves numbered so far
	FluentTexts() []string     // by fluent, of the fluents numbered so far
	Words() int                // of a position
	// Pack writes the position of the given fluents, ascending and without repetition.
	Pack(dst State, fluents []int32)
	// Unpack appends the fluents of a position, ascending.
	Unpack(dst []int32, s State) []int32
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

// Players returns the roles other than chance, in order.
func (n *Names) Players() []Role {
	var players []Role
	for r, name := range n.Roles {
		if name != RandomRole {
			players = append(players, Role(r))
		}
	}
	return players
}

// Chance returns the role named RandomRole, or NoRole in a game without it.
func (n *Names) Chance() Role { return Role(slices.Index(n.Roles, RandomRole)) }

// Role finds a role by its name: as spelled, or else in any case if only one role matches.
func (n *Names) Role(name string) (Role, bool) {
	r := Role(slices.Index(n.Roles, name))
	if r == NoRole {
		r = Role(inAnyCase(n.Roles, name))
	}
	return r, r != NoRole
}

// inAnyCase returns the index of the only element of texts that equals text in any case; -1 if there is no
// such element, or several.
func inAnyCase(texts []string, text string) int {
	same := func(s string) bool { return strings.EqualFold(s, text) }
	i := slices.IndexFunc(texts, same)
	if i >= 0 && slices.ContainsFunc(texts[i+1:], same) {
		return -1
	}
	return i
}

// Move finds a move of role r by its text: as spelled, or else in any case if only one move matches. With an
// open vocabulary it finds only moves that have a number, such as the legal moves that a batch has returned.
func (n *Names) Move(r Role, text string) (Move, bool) {
	if n.Open != nil {
		m, ok := n.Open.Move(r, text)
		if !ok {
			m = Move(inAnyCase(n.Open.MoveTexts(r), text))
		}
		return m, m != NoMove
	}
	n.once.Do(n.index)
	if m, ok := n.moves[r][text]; ok {
		return m, true
	}
	m, ok := n.folded[r][strings.ToLower(text)]
	return m, ok && m != NoMove
}

// AddMove finds a move of role r as spelled, and adds it to an open vocabulary.
func (n *Names) AddMove(r Role, text string) (Move, bool) {
	if n.Open == nil {
		n.once.Do(n.index)
		m, ok := n.moves[r][text]
		return m, ok
	}
	return n.Open.AddMove(r, text)
}

// AddFluent finds a fluent by its text, and adds it to an open vocabulary. It returns
// false if the game cannot reach it, or if the vocabulary is full.
func (n *Names) AddFluent(text string) (int, bool) {
	if n.Open == nil {
		n.once.Do(n.index)
		f, ok := n.fluents[text]
		return f, ok
	}
	return n.Open.AddFluent(text)
}

// MoveText returns the text of a move of role r.
func (n *Names) MoveText(r Role, m Move) string {
	if n.Open != nil {
		return n.Open.MoveText(r, m)
	}
	return n.Moves[r][m]
}

// FluentText returns the text of a fluent.
func (n *Names) FluentText(f int) string {
	if n.Open != nil {
		return n.Open.FluentText(f)
	}
	return n.Fluents[f]
}

// MoveTexts returns the moves of role r, by Move. With an open vocabulary these are the moves numbered so
// far.
func (n *Names) MoveTexts(r Role) []string {
	if n.Open != nil {
		return n.Open.MoveTexts(r)
	}
	return n.Moves[r]
}

// FluentTexts returns the fluents, by index. With an open vocabulary these are the fluents numbered so far.
func (n *Names) FluentTexts() []string {
	if n.Open != nil {
		return n.Open.FluentTexts()
	}
	return n.Fluents
}

// NewState makes the position in which no fluent is true. It has a word even without fluents, so that code
// may divide by the number of words.
func (n *Names) NewState() State {
	if n.Open != nil {
		return make(State, n.Open.Words())
	}
	return make(State, max(1, (len(n.Fluents)+63)/64))
}

// Pack writes the position in which exactly the given fluents are true; their
// numbers ascend, without repetition.
func (n *Names) Pack(dst State, fluents []int32) {
	if n.Open != nil {
		n.Open.Pack(dst, fluents)
		return
	}
	clear(dst)
	for _, f := range fluents {
		dst.Set(int(f))
	}
}

// Unpack appends the numbers of the fluents that are true in s, ascending.
func (n *Names) Unpack(dst []int32, s State) []int32 {
	if n.Open != nil {
		return n.Open.Unpack(dst, s)
	}
	for f := range int32(len(n.Fluents)) {
		if s.Has(int(f)) {
			dst = append(dst, f)
		}
	}
	return dst
}

// IsLeftOut reports whether the machine leaves a fluent out (LeftOut).
func (n *Names) IsLeftOut(fluent string) bool { return n.LeftOut != nil && n.LeftOut(fluent) }

// State returns the position in which exactly the given fluents are true, apart from fluents that the machine
// leaves out.
func (n *Names) State(fluents []string) (State, error) {
	var numbers []int32
	for _, text := range fluents {
		if n.IsLeftOut(text) {
			continue
		}
		f, ok := n.AddFluent(text)
		if !ok {
			return nil, fmt.Errorf("%s is no fluent that the game can reach", text)
		}
		numbers = append(numbers, int32(f))
	}
	slices.Sort(numbers)
	s := n.NewState()
	n.Pack(s, slices.Compact(numbers))
	return s, nil
}

// AppendFluents appends the names of the fluents that are true in s, by index.
func (n *Names) AppendFluents(dst []string, s State) []string {
	for _, f := range n.Unpack(nil, s) {
		dst = append(dst, n.FluentText(int(f)))
	}
	return dst
}

// JointTexts returns the texts of a joint move, by role.
func (n *Names) JointTexts(joint []Move) []string {
	texts := make([]string, len(joint))
	for r, m := range joint {
		texts[r] = n.MoveText(Role(r), m)
	}
	return texts
}

// LineTexts returns the texts of a line of joint moves, each by role.
func (n *Names) LineTexts(line [][]Move) [][]string {
	var texts [][]string
	for _, joint := range line {
		texts = append(texts, n.JointTexts(joint))
	}
	return texts
}

// JointString formats a joint move, one move per role, as messages do.
func (n *Names) JointString(joint []Move) string {
	var b strings.Builder
	b.WriteByte('(')
	for r, m := range joint {
		if r > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.MoveText(Role(r), m))
	}
	b.WriteByte(')')
	return b.String()
}

// Lost reports whether s stands for a position for which an open vocabulary had no room.
func (n *Names) Lost(s State) bool { return n.Open != nil && s[0] == ^uint64(0) }
