// Package gambit writes matrices and small trees in the formats of Gambit, .nfg and .efg, so that other solvers can check
// results, and reads such files as rulesheets. It owns the two formats; it solves nothing, and its rulesheets are text.
package gambit

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// MaxNodes bounds the nodes of a tree that is written, and the positions of one that is read: 10 MB of text.
const MaxNodes = 100_000

// ErrLarge is returned, wrapped, for a tree of more than MaxNodes nodes.
var ErrLarge = errors.New("the tree is too large")

// players returns the two players of a game, or an error for another number.
func players(names *machine.Names) ([]machine.Role, error) {
	list := names.Players()
	if len(list) != 2 {
		return nil, fmt.Errorf("expected a game of two players, found %d", len(list))
	}
	return list, nil
}

// header returns the first line of a file without the format: the title and the players in quotes.
func header(title string, names *machine.Names, list []machine.Role) string {
	return fmt.Sprintf("%s { %s %s }", quoted(title), quoted(names.Roles[list[0]]), quoted(names.Roles[list[1]]))
}

// plainSigns replaces the signs with a meaning inside quotes.
var plainSigns = strings.NewReplacer(`"`, "'", `\`, "/")

// quoted returns a label in quotes.
func quoted(text string) string { return `"` + plainSigns.Replace(text) + `"` }

// labels returns the texts of a role's moves in quotes.
func labels(names *machine.Names, r machine.Role, moves []machine.Move) string {
	list := make([]string, len(moves))
	for i, m := range moves {
		list[i] = quoted(names.MoveText(r, m))
	}
	return strings.Join(list, " ")
}

// WriteMatrix writes the matrix of a position as .nfg. Payoffs returns the payoffs of both players after the pair of
// moves with these indices.
func WriteMatrix(w io.Writer, title string, names *machine.Names, moves [][]machine.Move, payoffs func(i, j int) (first, other string)) error {
	list, err := players(names)
	if err != nil {
		return err
	}
	var b strings.Builder
	rows, columns := moves[list[0]], moves[list[1]]
	fmt.Fprintf(&b, "NFG 1 R %s\n{ { %s }\n{ %s } }\n\"\"\n\n", header(title, names, list), labels(names, list[0], rows), labels(names, list[1], columns))
	for j := range columns { // the strategy of the first player varies fastest
		for i := range rows {
			first, other := payoffs(i, j)
			fmt.Fprintf(&b, "%s %s ", first, other)
		}
	}
	b.WriteByte('\n')
	_, err = io.WriteString(w, b.String())
	return err
}

// tree writes a game as .efg, node by node in prefix order.
type tree struct {
	text    strings.Builder
	machine machine.Machine
	x       *play.Expander
	players []machine.Role
	order   []machine.Role // both players, then chance: so a player's nodes of one information set are next to each other
	nodes   int
	sets    int // information sets so far; each number is used for one player only
	ends    int
}

// WriteTree writes the game tree below position q as .efg: where both players choose, the second one moves in one information
// set. Only players with a choice have nodes. It returns ErrLarge, wrapped, above MaxNodes nodes.
func WriteTree(w io.Writer, title string, m machine.Machine, q machine.State) error {
	list, err := players(m.Names())
	if err != nil {
		return err
	}
	t := &tree{machine: m, x: play.NewExpander(m), players: list, order: list}
	if r := m.Names().Chance(); r != machine.NoRole {
		t.order = append(slices.Clip(list), r)
	}
	fmt.Fprintf(&t.text, "EFG 2 R %s\n\"\"\n\n", header(title, m.Names(), list))
	if err := t.position(q); err != nil {
		return err
	}
	_, err = io.WriteString(w, t.text.String())
	return err
}

// position writes the nodes of one position and all below it.
func (t *tree) position(q machine.State) error {
	over, goals := t.x.Look(q)
	if over {
		t.end(goals)
		return nil
	}
	e := new(play.Expansion)
	if err := t.x.Expand(e, q); err != nil {
		return err
	}
	first := t.sets + 1
	t.sets += len(e.Moves)
	return t.choices(e, first, 0, 0)
}

// end writes a leaf.
func (t *tree) end(goals []int32) {
	t.nodes++
	t.ends++
	fmt.Fprintf(&t.text, "t \"\" %d \"\" { %d, %d }\n", t.ends, search.Points(goals[t.players[0]]), search.Points(goals[t.players[1]]))
}

// choices writes the choices of the roles from place k of the order on, then the positions. The child is the number of the
// joint move with the first move of each role without a choice so far; set is the information set of role 0.
func (t *tree) choices(e *play.Expansion, set, k, child int) error {
	if t.nodes++; t.nodes > MaxNodes {
		return fmt.Errorf("%w: more than %d nodes", ErrLarge, MaxNodes)
	}
	if k == len(t.order) {
		if e.Terminal[child] {
			t.end(e.ChildGoals(child))
			return nil
		}
		return t.position(e.Child(child))
	}
	r, stride := t.order[k], 1
	for _, later := range e.Moves[r+1:] {
		stride *= len(later)
	}
	if len(e.Moves[r]) > 1 {
		t.node(r, set+int(r), e.Moves[r])
	}
	for i := range e.Moves[r] {
		if err := t.choices(e, set, k+1, child+i*stride); err != nil {
			return err
		}
	}
	return nil
}

// node writes a node of a player or of chance.
func (t *tree) node(r machine.Role, set int, moves []machine.Move) {
	names := t.machine.Names()
	if r == names.Chance() {
		share := fmt.Sprintf("1/%d", len(moves))
		fmt.Fprintf(&t.text, "c \"\" %d \"\" {", set)
		for _, m := range moves {
			fmt.Fprintf(&t.text, " %s %s", quoted(names.MoveText(r, m)), share)
		}
		t.text.WriteString(" } 0\n")
		return
	}
	number := 1
	if r == t.players[1] {
		number = 2
	}
	fmt.Fprintf(&t.text, "p \"\" %d %d \"\" { %s } 0\n", number, set, labels(names, r, moves))
}
