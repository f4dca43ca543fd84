package wellformed

import (
	"context"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
)

// declared is what `base` and `input` list, nil where the game has no such rules.
type declarations struct {
	fluents listed
	moves   []listed // by role
}

// listed is a set of numbers.
type listed map[int]bool

// declare reads `base` and `input`. What they list and the machine does not know
// can never be reached, for a machine knows more than what is reachable: unless it
// numbers things as it meets them.
func (s *simulation) readDeclarations(ctx context.Context) error {
	base, err := s.prover.Facts(ctx, nil, "base", 1)
	if err != nil {
		return err
	}
	if len(base) > 0 {
		s.declared.fluents = make(listed)
		var surplus []string
		for _, f := range base {
			if i, ok := s.names.AddFluent(f[0]); ok {
				s.declared.fluents[i] = true
			} else if !s.names.IsLeftOut(f[0]) {
				surplus = append(surplus, f[0])
			}
		}
		s.addSurplus(kindBase, "", surplus)
	}
	input, err := s.prover.Facts(ctx, nil, "input", 2)
	if err != nil || len(input) == 0 {
		return err
	}
	for r, role := range s.names.Roles {
		moves := make(listed)
		var surplus []string
		for _, f := range input {
			if f[0] != role {
				continue
			}
			if m, ok := s.names.AddMove(machine.Role(r), f[1]); ok {
				moves[int(m)] = true
			} else {
				surplus = append(surplus, f[1])
			}
		}
		s.declared.moves = append(s.declared.moves, moves)
		s.addSurplus(kindInput, role, surplus)
	}
	return nil
}

// surplus notes what is listed in vain.
func (s *simulation) addSurplus(kind, role string, terms []string) {
	if len(terms) > 0 {
		slices.Sort(terms)
		f, _ := s.count(kind, role, "surplus", fmt.Sprintf(
			"expected `%s` to list what can be reached, found %s, which cannot", kind, clip(terms[0])))
		f.Count = len(terms)
	}
}

// checkFluents asks that `base` lists the fluents of the position.
func (s *simulation) checkFluents() {
	if s.declared.fluents == nil {
		return
	}
	s.fluents = s.names.Unpack(s.fluents[:0], s.state)
	for _, n := range s.fluents {
		if f := int(n); !s.declared.fluents[f] {
			s.declared.fluents[f] = true // it is told once
			s.add(kindBase, "", "lack", fmt.Sprintf("expected `base` to list every fluent, found %s, which it lacks", clip(s.names.FluentText(f))))
		}
	}
}

// checkMoves asks that `input` lists the legal moves of a role.
func (s *simulation) checkMoves(r machine.Role) {
	if s.declared.moves == nil {
		return
	}
	for _, m := range s.legal {
		if !s.declared.moves[r][int(m)] {
			s.declared.moves[r][int(m)] = true // it is told once
			s.add(kindInput, s.names.Roles[r], "lack", fmt.Sprintf(
				"expected `input` to list every legal move of %s, found %s, which it lacks", s.names.Roles[r], clip(s.names.MoveText(r, m))))
		}
	}
}
