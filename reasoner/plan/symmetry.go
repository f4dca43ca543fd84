package plan

import (
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// Symmetries of the rules that leave the first position of a plan as it is map plans to
// plans with the same goal. Of each set of such plans the first one is kept, in the order of
// the numbers of moves, step after step (Crawford, Ginsberg, Luks and Roy,
// "Symmetry-breaking predicates for search problems", 1996): a plan may not come after
// its image.

// brokenSteps is how many steps of plans are compared with their images. Most images
// differ after one or two.
const brokenSteps = 8

// tie is a symmetry, and where a plan and its image have been the same so far.
type tie struct {
	image []machine.Move
	same  circuit.Lit
}

// stabiliser lists the symmetries of a machine that leave a position as it is.
func stabiliser(m machine.Machine, s machine.State) []machine.Symmetry {
	image := m.Names().NewState()
	return slices.DeleteFunc(slices.Clone(m.Symmetries()), func(y machine.Symmetry) bool {
		y.Image(image, s)
		return !slices.Equal(image, s)
	})
}

// ties begins with plans that have no steps.
func ties(symmetries []machine.Symmetry) []tie {
	var list []tie
	for _, y := range symmetries {
		list = append(list, tie{y.Moves[0], circuit.True})
	}
	return list
}

// leaveOutImages keeps plans from coming after their images at step k.
func (h *horizons) leaveOutImages(k int) {
	for i := range h.ties {
		t := &h.ties[i]
		var kept []circuit.Lit
		for m, does := range h.Does(k, 0) {
			switch image := t.image[m]; {
			case image == machine.Move(m):
				kept = append(kept, does)
			case image < machine.Move(m):
				h.Require(t.same.Not(), does.Not())
			}
		}
		t.same = h.Net.And(t.same, h.Net.Or(kept...))
	}
}
