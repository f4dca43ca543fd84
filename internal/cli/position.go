package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// positionFlags say where to begin.
type positionFlags struct {
	Position string `placeholder:"FACTS" help:"Begin in the position with exactly these facts, such as '(cell 1 1 x) (control o)'."`
	Moves    string `placeholder:"MOVES" help:"Begin after these moves: one for each role that has a choice, or joint moves."`
}

// movesShown bounds the legal moves that a message lists.
const movesShown = 20

// maxSteps bounds a match, in case that it runs in circles in which nobody has a choice.
const maxSteps = 10_000

// atPosition returns the game with the position of the flags as initial position, compiled anew: a machine's facts hold only in positions
// reachable from its initial position.
func (f positionFlags) atPosition(s *console, game string, rules *gdl.Game, m machine.Machine, engine string) (*gdl.Game, machine.Machine, error) {
	begin := func(text string) error {
		facts, err := factsOf(rules, text)
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

// termsOf returns the terms of a text. A comment at its end is refused: on the command line it is
// meant as a separator, and the moves after it would be lost.
func termsOf(text string) ([]gdl.Term, error) {
	if i := strings.LastIndexByte(text, ';'); i >= 0 && !strings.Contains(text[i:], "\n") {
		line, column := 1+strings.Count(text[:i], "\n"), i-strings.LastIndexByte(text[:i], '\n')
		return nil, fmt.Errorf("%d:%d: a semicolon begins a comment: separate terms by spaces", line, column)
	}
	terms, err := gdl.ParseTerms(text)
	if invalid := gdl.Invalid(nil); errors.As(err, &invalid) && len(invalid) > 0 {
		first := invalid[0]
		return nil, fmt.Errorf("%s, in %q", strings.Replace(first.Message, "the end of the file", "the end", 1), text)
	}
	return terms, err
}

// factsOf returns the facts of a text, fluents of the rules; (true FACT) and (init FACT) are the same
// as FACT.
func factsOf(rules *gdl.Game, text string) ([]gdl.Term, error) {
	terms, err := termsOf(text)
	if err != nil {
		return nil, err
	}
	known := vocabularyOf(rules)
	var facts []gdl.Term
	for _, fact := range terms {
		if len(fact.Args) == 1 && (fact.Name == "true" || fact.Name == "init") {
			fact = fact.Args[0]
		}
		fact, err := fact.Normal()
		if err != nil {
			return nil, err
		}
		if !known.isFluent(fact) {
			return nil, fmt.Errorf("%s is no fluent of the rules", fact)
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// after returns the match after the moves of a text. A list may be a joint move and a move as well, (a b) in a game
// of two roles: the reading counts by which all moves are legal, and several of them are an error.
func after(m machine.Machine, text string) (*play.History, error) {
	terms, err := termsOf(text)
	if err != nil {
		return nil, err
	}
	r := reading{at: play.NewHistory(m, m.Initial()), failed: map[string]bool{}}
	r.read(terms)
	switch len(r.found) {
	case 0:
		return nil, r.fault
	case 1:
		return play.Follow(m, r.found[0])
	}
	step := 0
	for slices.Equal(r.found[0][step], r.found[1][step]) {
		step++
	}
	return nil, fmt.Errorf("step %d: the moves are legal in two ways, as (%s) and as (%s): write joint moves, one for each step",
		step+1, strings.Join(r.found[0][step], " "), strings.Join(r.found[1][step], " "))
}

// reading is the search for the lines of joint moves that a list of terms may mean, depth first.
type reading struct {
	at     *play.History
	line   [][]string      // joint moves, to the position of at
	found  [][][]string    // lines that take all terms, two at most
	failed map[string]bool // by terms left and position: the terms cannot be read from there
	fault  error           // of the reading that got farthest
	depth  int             // joint moves of that reading
}

// fail records why a reading ends at the position of at.
func (r *reading) fail(format string, args ...any) {
	if r.fault == nil || len(r.line) > r.depth {
		r.fault, r.depth = fmt.Errorf(format, args...), len(r.line)
	}
}

// read reads the terms that are left in all ways, and reports whether there is one.
func (r *reading) read(left []gdl.Term) bool {
	if len(left) == 0 {
		r.found = append(r.found, slices.Clone(r.line))
		return true
	}
	step := len(r.line)
	key := fmt.Sprint(len(left), " ", r.at.State().Key())
	switch fault := r.at.Fault(); {
	case r.failed[key] || len(r.found) > 1:
		return false
	case step == maxSteps:
		r.fail("after %d steps nobody has made the move %s", step, left[0])
		return false
	case fault != nil:
		r.fail("after %d steps: %w", step, fault)
		return false
	case r.at.IsOver():
		r.fail("the match is over after %d steps, and there are more moves: %s", step, left[0])
		return false
	}
	read := false
	for _, way := range r.ways(left) {
		if err := r.at.Advance(way.joint); err != nil {
			r.fail("step %d: %w", step+1, err)
			continue
		}
		r.line = append(r.line, way.joint)
		read = r.read(way.rest) || read
		r.line = r.line[:step]
		r.at.Back(step)
	}
	r.failed[key] = !read
	return read
}

// way is a joint move that terms mean, and the terms after it.
type way struct {
	joint []string
	rest  []gdl.Term
}

// ways lists the legal ways to read the next step: the first term as a joint move, and a term for each role that has
// a choice. Where no role has one, the second way takes no term and is left out if there is the first.
func (r *reading) ways(terms []gdl.Term) (list []way) {
	at := r.at
	if joint, err := r.jointOf(terms[0]); err == nil {
		list = append(list, way{joint, terms[1:]})
	}
	var joint []string
	rest := terms
	for role := range at.Names.Roles {
		legal := at.Legal(machine.Role(role))
		move := legal[0]
		if len(legal) > 1 {
			var err error
			if len(rest) == 0 {
				err = fmt.Errorf("expected a move of %s too", at.Names.Roles[role])
			} else {
				move, err = find(at, machine.Role(role), rest[0])
			}
			if err != nil {
				if len(list) == 0 {
					r.fail("step %d: %w", len(r.line)+1, err)
				}
				return list
			}
			rest = rest[1:]
		}
		joint = append(joint, move)
	}
	isNew := len(list) == 0 || len(rest) < len(terms) && !(len(rest) == len(list[0].rest) && slices.Equal(joint, list[0].joint))
	if isNew {
		list = append(list, way{joint, rest})
	}
	return list
}

// jointOf returns the joint move that a list of legal moves is, one for each role.
func (r *reading) jointOf(term gdl.Term) (joint []string, err error) {
	list := elements(term)
	if len(list) != len(r.at.Names.Roles) {
		return nil, fmt.Errorf("expected %d moves, found %d", len(r.at.Names.Roles), len(list))
	}
	for role, term := range list {
		move, err := find(r.at, machine.Role(role), term)
		if err != nil {
			return nil, err
		}
		joint = append(joint, move)
	}
	return joint, nil
}

// elements returns the terms of a list; the first may be a name.
func elements(list gdl.Term) []gdl.Term {
	if list.Kind != gdl.Compound || list.Name == "" {
		return list.Args
	}
	return append([]gdl.Term{{Name: list.Name, Pos: list.Pos}}, list.Args...)
}

// find returns the legal move of a role that a term names.
func find(at *play.History, r machine.Role, term gdl.Term) (string, error) {
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
