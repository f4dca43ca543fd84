package wellformed

import (
	"context"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// declared is what `base` and `input` list, nil where the game has no such rules.
type declared struct {
	fluents machine.State
	moves   [][]bool // by role, then move
}

// declare reads `base` and `input`. What they list and the machine does not know
// can never be reached, for a machine knows more than what is reachable.
func (s *simulation) declare(ctx context.Context) error {
	base, err := reference.Facts(ctx, s.game, nil, "base", 1)
	if err != nil {
		return err
	}
	if len(base) > 0 {
		s.lists.fluents = make(machine.State, len(s.state))
		var surplus []string
		for _, f := range base {
			if i, ok := s.names.Fluent(f[0]); ok {
				s.lists.fluents.Set(i)
			} else {
				surplus = append(surplus, f[0])
			}
		}
		s.surplus(Base, "", surplus)
	}
	input, err := reference.Facts(ctx, s.game, nil, "input", 2)
	if err != nil || len(input) == 0 {
		return err
	}
	for r, role := range s.names.Roles {
		listed := make([]bool, len(s.names.Moves[r]))
		var surplus []string
		for _, f := range input {
			if f[0] != role {
				continue
			}
			if m, ok := s.names.Move(machine.Role(r), f[1]); ok && s.names.Moves[r][m] == f[1] {
				listed[m] = true
			} else {
				surplus = append(surplus, f[1])
			}
		}
		s.lists.moves = append(s.lists.moves, listed)
		s.surplus(Input, role, surplus)
	}
	return nil
}

// surplus notes what is listed in vain.
func (s *simulation) surplus(kind, role string, terms []string) {
	if len(terms) > 0 {
		slices.Sort(terms)
		f, _ := s.note(kind, role, "surplus", fmt.Sprintf(
			"expected `%s` to list what can be reached, found %s, which cannot", kind, terms[0]))
		f.Count = len(terms)
	}
}

// checkFluents asks that `base` lists the fluents of the position.
func (s *simulation) checkFluents() {
	if s.lists.fluents == nil {
		return
	}
	for w, bits := range s.state {
		if bits&^s.lists.fluents[w] == 0 {
			continue
		}
		for f := w * 64; f < min(len(s.names.Fluents), w*64+64); f++ {
			if s.state.Has(f) && !s.lists.fluents.Has(f) {
				s.lists.fluents.Set(f) // it is told once
				s.add(Base, "", "lack", fmt.Sprintf("expected `base` to list every fluent, found %s, which it lacks", s.names.Fluents[f]))
			}
		}
	}
}

// checkMoves asks that `input` lists the legal moves of a role.
func (s *simulation) checkMoves(r machine.Role) {
	if s.lists.moves == nil {
		return
	}
	for _, m := range s.legal {
		if !s.lists.moves[r][m] {
			s.lists.moves[r][m] = true // it is told once
			s.add(Input, s.names.Roles[r], "lack", fmt.Sprintf(
				"expected `input` to list every legal move of %s, found %s, which it lacks", s.names.Roles[r], s.names.Moves[r][m]))
		}
	}
}
