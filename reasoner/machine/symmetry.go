package machine

// Symmetry is an automorphism of the rules: a renaming of roles, moves and fluents that maps the rules to
// themselves. If a joint move leads from position a to position b, its image leads from the image of a to the
// image of b. Images of terminal positions are terminal. The goal of a role in a position equals the goal of
// its image in the image of the position. The initial position need not be its own image.
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
