package wellformed

import (
	"context"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
)

// declarations holds the lists of `base` and `input`, nil if the game has no such rules.
type declarations struct {
	fluents numberSet
	moves   []numberSet // by role
}

// numberSet is a set of fluents or moves by number.
type numberSet map[int]bool

// readDeclarations reads `base` and `input`. A listed term that is unknown to the machine is unreachable, since the
// machine knows a superset of the reachable terms. Machines with an open vocabulary add the term instead.
func (s *simulation) readDeclarations(ctx context.Context) error {
	base, err := s.prover.Facts(ctx, nil, "base", 1)
	if err != nil {
		return err
	}
	if len(base) > 0 {
		s.declared.fluents = make(numberSet)
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
		moves := make(numberSet)
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

// addSurplus reports listed terms that are unreachable.
func (s *simulation) addSurplus(kind, role string, terms []string) {
	if len(terms) > 0 {
		slices.Sort(terms)
		f, _ := s.count(kind, role, "surplus", fmt.Sprintf(
			"expected `%s` to list only reachable terms, found %s, which is unreachable", kind, clip(terms[0])))
		f.Count = len(terms)
	}
}

// checkFluents checks that `base` lists the fluents of the position.
func (s *simulation) checkFluents() {
	if s.declared.fluents == nil {
		return
	}
	s.fluents = s.names.Unpack(s.fluents[:0], s.state)
	for _, n := range s.fluents {
		if f := int(n); !s.declared.fluents[f] {
			s.declared.fluents[f] = true // report it once
			s.add(kindBase, "", "lack", fmt.Sprintf("expected `base` to list every fluent, it lacks %s", clip(s.names.FluentText(f))))
		}
	}
}

// checkMoves checks that `input` lists the legal moves of a role.
func (s *simulation) checkMoves(r machine.Role) {
	if s.declared.moves == nil {
		return
	}
	for _, m := range s.legal {
		if !s.declared.moves[r][int(m)] {
			s.declared.moves[r][int(m)] = true // report it once
			s.add(kindInput, s.names.Roles[r], "lack", fmt.Sprintf(
				"expected `input` to list every legal move of %s, it lacks %s", s.names.Roles[r], clip(s.names.MoveText(r, m))))
		}
	}
}
