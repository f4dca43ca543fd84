package cli

import (
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// positionFlags say where to begin.
type positionFlags struct {
	Position string `placeholder:"FACTS" help:"Begin where exactly these facts are true, such as '(cell 1 1 x) (control o)'."`
	Moves    string `placeholder:"MOVES" help:"Begin after these moves: one for each role that has a choice, or joint moves."`
}

// movesShown bounds the legal moves that a message lists.
const movesShown = 20

// maxSteps bounds a match, in case that it runs in circles in which nobody has a choice.
const maxSteps = 10_000

// begin is the game begun in the position that the flags name, compiled anew: what a machine
// knows of a game holds in the positions that follow from the initial one, and others may be named.
func (f positionFlags) begin(s *console, game string, rules *gdl.Game, m machine.Machine, engine string) (*gdl.Game, machine.Machine, error) {
	begin := func(facts []gdl.Term) (err error) {
		rules = rules.BegunAt(facts)
		m, _, err = s.machine(game, rules, reasoner.Options{Engine: engine})
		return err
	}
	if f.Position != "" {
		facts, err := factsOf(m.Names(), f.Position)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--position: %w", err)}
		}
		if err := begin(facts); err != nil {
			return nil, nil, err
		}
	}
	if f.Moves != "" {
		at, err := after(m, f.Moves)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--moves: %w", err)}
		}
		var facts []gdl.Term
		for _, text := range m.Names().AppendFluents(nil, at) {
			fact, err := gdl.ParseTerm(text)
			if err != nil {
				return nil, nil, err
			}
			facts = append(facts, fact)
		}
		if err := begin(facts); err != nil {
			return nil, nil, err
		}
	}
	return rules, m, nil
}

// factsOf are the facts of a text, fluents of the game; (true FACT) and (init FACT) are the same
// as FACT.
func factsOf(names *machine.Names, text string) ([]gdl.Term, error) {
	tree, err := gdl.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	var facts []gdl.Term
	for _, c := range tree.Clauses {
		fact := c.Head
		if len(fact.Args) == 1 && (fact.Name == "true" || fact.Name == "init") {
			fact = fact.Args[0]
		}
		fact, err := fact.Normal()
		if err != nil {
			return nil, err
		}
		if _, err := names.State([]string{fact.String()}); err != nil {
			return nil, err
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// after is the position after the moves of a text.
func after(m machine.Machine, text string) (machine.State, error) {
	tree, err := gdl.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	b := m.NewNarrowBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(1)
	left := make([]gdl.Term, len(tree.Clauses))
	for i, c := range tree.Clauses {
		left[i] = c.Head
	}
	for step := 1; len(left) > 0; step++ {
		if step > maxSteps {
			return nil, fmt.Errorf("after %d steps nobody has made the move %s", maxSteps, left[0])
		}
		if err := machine.Unknown(b, 0); err != nil {
			return nil, fmt.Errorf("after %d steps: %w", step-1, err)
		}
		if b.Terminal()[0]&1 != 0 {
			return nil, fmt.Errorf("the match is over after %d steps, and there are more moves: %s", step-1, left[0])
		}
		if left, err = choose(b, m.Names(), left); err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		b.Advance(1)
		b.Evaluate(1)
	}
	at := slices.Clone(m.Initial())
	b.Store(at, 1)
	return at, nil
}

// choose makes the moves of one step, which begins the list of terms, and returns the
// rest: a joint move, or a move for each role that has a choice.
func choose(b machine.Batch, names *machine.Names, terms []gdl.Term) (rest []gdl.Term, err error) {
	legal := make([][]machine.Move, len(names.Roles))
	for r := range legal {
		if legal[r] = b.AppendLegal(nil, 0, machine.Role(r)); len(legal[r]) == 0 {
			return nil, fmt.Errorf("%s has no legal move there", names.Roles[r])
		}
	}
	moves, rest := terms, terms[1:]
	joint := elements(terms[0])
	isJoint := len(joint) == len(legal)
	for r := range legal {
		if isJoint {
			_, err := find(names, legal, r, joint[r])
			isJoint = err == nil
		}
	}
	if isJoint {
		moves = joint
	}
	for r, possible := range legal {
		move := possible[0]
		if isJoint || len(possible) > 1 {
			if len(moves) == 0 {
				return nil, fmt.Errorf("expected a move of %s too", names.Roles[r])
			}
			if move, err = find(names, legal, r, moves[0]); err != nil {
				return nil, err
			}
			moves = moves[1:]
		}
		b.Choose(0, machine.Role(r), move)
	}
	if !isJoint {
		rest = moves // all of them where nobody has a choice
	}
	return rest, nil
}

// elements is what a list consists of, be the first a name or not.
func elements(list gdl.Term) []gdl.Term {
	if list.Kind != gdl.Compound || list.Name == "" {
		return list.Args
	}
	return append([]gdl.Term{{Name: list.Name, Pos: list.Pos}}, list.Args...)
}

// find finds the legal move of role r that a term names.
func find(names *machine.Names, legal [][]machine.Move, r int, term gdl.Term) (machine.Move, error) {
	term, err := term.Normal()
	if err != nil {
		return machine.NoMove, err
	}
	role := machine.Role(r)
	if m, ok := names.Move(role, term.String()); ok && slices.Contains(legal[r], m) {
		return m, nil
	}
	var texts []string
	for i, m := range legal[r] {
		if i == movesShown {
			texts = append(texts, fmt.Sprintf("… %d more", len(legal[r])-i))
			break
		}
		texts = append(texts, names.MoveText(role, m))
	}
	return machine.NoMove, fmt.Errorf("expected a legal move of %s, one of %s, found %s", names.Roles[r], strings.Join(texts, ", "), term)
}
