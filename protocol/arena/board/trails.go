package board

// Trails are cells where the piece of a role has been, as the walls behind the cycles of tron: a fluent without contents on a board
// on which another fluent has a piece of each role.

// HasTrails reports whether positions before a position say how it is drawn.
func (l *Layout) HasTrails() bool {
	for _, u := range l.uses {
		if u.as == onBoard && len(u.content) == 0 && !u.grid.isBeside() && len(l.runners(u.grid)) > 0 {
			return true
		}
	}
	return false
}

// runners returns the fluents that put one piece of each role on a board.
func (l *Layout) runners(g *grid) (list []*use) {
	for _, u := range l.uses {
		if u.as == onBoard && u.grid == g && u.runs {
			list = append(list, u)
		}
	}
	return list
}

// trails returns the cells where roles have been, with the colour of the role that was there last.
func (l *Layout) trails(before [][]string) map[Spot]string {
	if len(before) == 0 || !l.HasTrails() {
		return nil
	}
	colors := make(map[Spot]string)
	for _, facts := range before {
		for _, fact := range facts {
			rel, args := parse(fact)
			u := l.uses[rel]
			if u == nil || u.as != onBoard || !u.runs {
				continue
			}
			if spot, ok := l.spot(u, args); ok {
				colors[spot] = l.roleColor(args[u.content[0]])
			}
		}
	}
	return colors
}
