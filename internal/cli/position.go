package cli

import (
	"fmt"
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
	begin := func(text string) error {
		facts, err := factsOf(m.Names(), text)
		if err != nil {
			return usageError{fmt.Errorf("--position: %w", err)}
		}
		rules = rules.BegunAt(facts)
		m, _, err = s.machine(game, rules, reasoner.Options{Engine: engine})
		return err
	}
	if f.Position != "" {
		if err := begin(f.Position); err != nil {
			return nil, nil, err
		}
	}
	if f.Moves != "" {
		at, err := after(m, f.Moves)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--moves: %w", err)}
		}
		if err := begin(strings.Join(at.Facts(), " ")); err != nil {
			return nil, nil, err
		}
	}
	return rules, m, nil
}

// termsOf are the terms of a text. A comment at its end is refused: on the command line that is a separator
// of somebody who does not know what it means, and the moves after it would be lost.
func termsOf(text string) ([]gdl.Term, error) {
	if i := strings.LastIndexByte(text, ';'); i >= 0 && !strings.Contains(text[i:], "\n") {
		line, column := 1+strings.Count(text[:i], "\n"), i-strings.LastIndexByte(text[:i], '\n')
		return nil, fmt.Errorf("%d:%d: a semicolon begins a comment: separate terms by spaces", line, column)
	}
	tree, err := gdl.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	terms := make([]gdl.Term, len(tree.Clauses))
	for i, c := range tree.Clauses {
		terms[i] = c.Head
	}
	return terms, nil
}

// factsOf are the facts of a text, fluents of the game; (true FACT) and (init FACT) are the same
// as FACT.
func factsOf(names *machine.Names, text string) ([]gdl.Term, error) {
	terms, err := termsOf(text)
	if err != nil {
		return nil, err
	}
	var facts []gdl.Term
	for _, fact := range terms {
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

// after is where the moves of a text lead.
func after(m machine.Machine, text string) (*machine.History, error) {
	left, err := termsOf(text)
	if err != nil {
		return nil, err
	}
	at := machine.NewHistory(m, m.Initial())
	for step := 1; len(left) > 0; step++ {
		if step > maxSteps {
			return nil, fmt.Errorf("after %d steps nobody has made the move %s", maxSteps, left[0])
		}
		if err := at.Fault(); err != nil {
			return nil, fmt.Errorf("after %d steps: %w", step-1, err)
		}
		if at.IsOver() {
			return nil, fmt.Errorf("the match is over after %d steps, and there are more moves: %s", step-1, left[0])
		}
		var joint []string
		if joint, left, err = readJoint(at, left); err == nil {
			err = at.Advance(joint)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
	}
	return at, nil
}

// readJoint reads the moves of one step, which begins the list of terms, and returns the
// rest: a joint move, or a move for each role that has a choice.
func readJoint(at *machine.History, terms []gdl.Term) (moves []string, rest []gdl.Term, err error) {
	if list := elements(terms[0]); len(list) == len(at.Names.Roles) {
		for r, term := range list {
			move, err := find(at, machine.Role(r), term)
			if err != nil {
				break
			}
			moves = append(moves, move)
		}
		if len(moves) == len(list) {
			return moves, terms[1:], nil
		}
	}
	moves = nil
	for r := range at.Names.Roles {
		legal := at.Legal(machine.Role(r))
		move := legal[0]
		if len(legal) > 1 {
			if len(terms) == 0 {
				return nil, nil, fmt.Errorf("expected a move of %s too", at.Names.Roles[r])
			}
			if move, err = find(at, machine.Role(r), terms[0]); err != nil {
				return nil, nil, err
			}
			terms = terms[1:]
		}
		moves = append(moves, move)
	}
	return moves, terms, nil // all of them where nobody has a choice
}

// elements is what a list consists of, be the first a name or not.
func elements(list gdl.Term) []gdl.Term {
	if list.Kind != gdl.Compound || list.Name == "" {
		return list.Args
	}
	return append([]gdl.Term{{Name: list.Name, Pos: list.Pos}}, list.Args...)
}

// find finds the legal move of a role that a term names.
func find(at *machine.History, r machine.Role, term gdl.Term) (string, error) {
	term, err := term.Normal()
	if err != nil {
		return "", err
	}
	if move, ok := at.Find(r, term.String()); ok {
		return at.Names.MoveText(r, move), nil
	}
	texts := at.Legal(r)
	if n := len(texts) - movesShown; n > 0 {
		texts = append(texts[:movesShown], fmt.Sprintf("… %d more", n))
	}
	return "", fmt.Errorf("expected a legal move of %s, one of %s, found %s", at.Names.Roles[r], strings.Join(texts, ", "), term)
}
