package machine

// Symmetry is an automorphism of the rules: a renaming of roles, moves and
// fluents under which they stay the same. If a joint move leads from one
// position to another, its image leads from the image of the one to the image of
// the other; images of terminal positions are terminal, and a role has the goal
// in a position that its image has in the image of the position. The initial
// position need not be its own image.
type Symmetry struct {
	Roles   []Role   // the image of each role
	Moves   [][]Move // the image of each move, by its role: a move of the role's image
	Fluents []int32  // the image of each fluent
}

// Image writes the image of position s into dst, which must not be s.
func (y *Symmetry) Image(dst, s State) {
	clear(dst)
	for f, image := range y.Fluents {
		if s.Has(f) {
			dst.Set(int(image))
		}
	}
}
