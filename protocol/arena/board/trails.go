package board

// Trails are cells that the piece of a role has visited, such as the walls behind the cycles of tron: a
// fluent without content, on a board on which another fluent has one piece of each role.

// HasTrails reports whether drawing a position needs the positions before it.
func (l *Layout) HasTrails() bool { return l.hasTrails }

// findTrails finds boards with trails.
func (l *Layout) findTrails() {
	perRole := make(map[*grid]bool)
	for _, u := range l.uses {
		perRole[u.grid] = perRole[u.grid] || u.purpose == onBoard && u.onePerRole
	}
	for _, u := range l.uses {
		l.hasTrails = l.hasTrails || u.purpose == onBoard && len(u.content) == 0 && !u.grid.isBeside() && perRole[u.grid]
	}
}

// trails returns the visited cells of positions, with the colour of their last role.
func (l *Layout) trails(positions [][]string) map[Spot]string {
	if !l.hasTrails {
		return nil
	}
	colors := make(map[Spot]string)
	for _, facts := range positions {
		for _, fact := range facts {
			rel, args := parse(fact)
			u := l.uses[rel]
			if u == nil || u.purpose != onBoard || !u.onePerRole {
				continue
			}
			if spot, ok := l.spot(u, args); ok {
				colors[spot] = l.roleColor(args[u.content[0]])
			}
		}
	}
	return colors
}
