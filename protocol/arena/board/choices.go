package board

import (
	"maps"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Choices are the moves of games without boards, if they are names: rock, paper, scissors. Each role has them
// as a row of cards.

const mostChoices = 8

// findChoices finds the moves that are names, unless moves name something on a board.
func (l *Layout) findChoices(g *gdl.Game, f *fluents) {
	if slices.ContainsFunc(l.grids, func(g *grid) bool { return g.shape != Row || g.sides == nil }) || len(l.piles) > 0 {
		return
	}
	rows := slices.DeleteFunc(slices.Clone(l.roles), func(role string) bool { return role == machine.RandomRole })
	names, own := make(set), make(map[string]set) // names for any role, and by role
	for _, role := range rows {
		own[role] = make(set)
	}
	for i := range g.Rules {
		r := &g.Rules[i]
		if r.Head.Name != "legal" || len(r.Head.Args) != 2 {
			continue
		}
		role, m, found := r.Head.Args[0], r.Head.Args[1], make(set)
		switch {
		case role.Name == machine.RandomRole:
		case m.Kind == gdl.Variable:
			found = maps.Clone(f.bound(r, m.Name))
		case len(m.Args) > 0:
			return
		default:
			found[m.Name] = true
		}
		delete(found, "noop")
		maps.Copy(names, found)
		for _, other := range rows {
			if role.Kind == gdl.Variable || role.Name == other {
				maps.Copy(own[other], found)
			}
		}
	}
	if len(names) < 2 || len(names) > mostChoices {
		return
	}
	l.choices = &grid{
		shape: Choice, columns: newAxis(slices.SortedFunc(maps.Keys(names), Natural)), rows: newAxis(rows),
		owner: relation{kind: move, name: "legal"}, exists: make(map[[2]int]bool),
	}
	for row, role := range rows {
		for name := range own[role] {
			l.choices.exists[[2]int{l.choices.columns.index[name], row}] = true
		}
	}
	l.grids = append(l.grids, l.choices)
	l.uses[l.choices.owner] = &use{relation: l.choices.owner, purpose: asChoice, grid: l.choices, column: -1, row: -1, holder: -1}
}

// bound returns the smallest domain of a variable among the conditions of a rule that bind it.
func (f *fluents) bound(r *gdl.Rule, variable string) set {
	c := clause{binding: make(map[string][]slot)}
	for _, l := range r.Body {
		if l.Op == gdl.Holds {
			c.bind(l.Atom)
		}
	}
	var found set
	for _, p := range c.binding[variable] {
		if found == nil || len(f.domains[p]) < len(found) {
			found = f.domains[p]
		}
	}
	return found
}

// drawChoices draws the choices of all roles on their board.
func (d *drawing) drawChoices() {
	for row, role := range d.choices.rows.values {
		for column, name := range d.choices.columns.values {
			if !d.choices.exists[[2]int{column, row}] {
				continue
			}
			cell := d.cell(Spot{d.firstBoard(d.choices), column, row})
			cell.Pieces = append(cell.Pieces, Piece{Kind: Card, Color: d.roleColor(role), Text: d.word(name)})
		}
	}
}

// choice returns the cell of a move that is a name.
func (l *Layout) choice(role, name string) []Spot {
	if l.choices == nil {
		return nil
	}
	column, ok := l.choices.columns.index[name]
	row, known := l.choices.rows.index[role]
	if !ok || !known || !l.choices.exists[[2]int{column, row}] {
		return nil
	}
	return []Spot{{l.firstBoard(l.choices), column, row}}
}
