package circuit

import (
	"fmt"
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Every conjunction of moves and denials of moves of a role keeps its value, whichever move the role makes.
func TestComplementedMovesKeepTheirValueForEachMove(t *testing.T) {
	const moves = 6
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{make([]string, moves)}}
	patterns := 1
	for m := range moves {
		names.Moves[0][m] = fmt.Sprint(m)
		patterns *= 3
	}
	for range patterns {
		names.Fluents = append(names.Fluents, "f")
	}
	g := NewGame(names, names.NewState())
	g.Legal = [][]logic.Lit{make([]logic.Lit, moves)}
	for p := range patterns {
		var lits []logic.Lit
		for m, rest := 0, p; m < moves; m, rest = m+1, rest/3 {
			switch rest % 3 {
			case 1:
				lits = append(lits, g.Does[0][m])
			case 2:
				lits = append(lits, g.Does[0][m].Not())
			}
		}
		g.Next = append(g.Next, g.Net.And(lits...))
	}
	h := complementMoves(t.Context(), g)
	for made := range moves {
		for p := range patterns {
			want := value(g, g.Next[p], made)
			if got := value(h, h.Next[p], made); got != want {
				t.Fatalf("move %d, gate %v of moves: %v, want %v", made, g.Net.Conjuncts(g.Next[p]), got, want)
			}
		}
	}
}

// value returns the value of a signal over moves when the only role makes a move.
func value(g *Game, l logic.Lit, made int) logic.Lit {
	s := logic.NewSubstitution(g.Net, logic.NewNetwork())
	for m, does := range g.Does[0] {
		s.Set(does, logic.Constant(m == made))
	}
	v, _ := s.Image(l)
	return v
}
