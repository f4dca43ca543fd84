package board

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/prover"
)

// Trays hold the things of a game that lie on no board, if moves name them: cards of a hand, coins of a
// purse, objects of a heap, remaining pieces. A strip is the scale of a number with a sign, which favours one
// role at each end.

// Limits of trays, in cells.
const (
	leastTray = 3
	maxTray   = 26
	maxStrip  = 11
	trayRow   = 8 // cells in a row of things without an order
)

// goalBytes bounds the memory, and so the time, of the search for a goal.
const goalBytes = 16 << 20

// findTrays finds hands, amounts, stocks and strips among the fluents without a board.
func (l *Layout) findTrays(f *fluents) {
	stocks := f.stocks()
	for _, rel := range f.relations() {
		if l.uses[rel] != nil || f.seen[rel] == nil || len(l.piles) > 0 {
			continue
		}
		switch rel.arity {
		case 1:
			l.findStock(f, rel, stocks)
		case 2:
			l.findHands(f, rel)
		}
	}
	slices.SortStableFunc(l.grids, func(a, b *grid) int { return a.rank() - b.rank() })
}

// rank returns the order of a board: boards and strips, single things, hands.
func (g *grid) rank() int {
	switch {
	case g.shape != Tray:
		return 0
	case len(g.columns.values) == 1:
		return 1
	}
	return 2
}

// findHands finds a hand, such as (hand red 3), or an amount, such as (coins red 6) and (heap 2 5).
func (l *Layout) findHands(f *fluents, rel relation) {
	for key := range 2 {
		item := 1 - key
		if !f.isMoved(rel, item) || f.decides(rel, []int{item}, []int{key}) && !f.decides(rel, []int{key}, []int{item}) {
			continue // no move names the items, or they are places
		}
		holders := slices.SortedFunc(maps.Keys(f.domain(rel, key)), Natural)
		things, ordered := f.ordered(rel, item)
		u := &use{relation: rel, column: item, row: key, holder: -1}
		one := f.decides(rel, []int{key}, []int{item})
		switch {
		case f.isRole(rel, key):
			u.holder = key
			slices.SortFunc(holders, func(a, b string) int { return slices.Index(l.roles, a) - slices.Index(l.roles, b) })
			if !ordered {
				things = slices.SortedFunc(maps.Keys(f.domain(rel, item)), Natural)
			}
		case !one || !f.covers(rel, key):
			continue
		}
		if one {
			u.purpose = asAmount
			things = slices.DeleteFunc(slices.Clone(things), func(v string) bool { return strings.HasPrefix(v, "-") })
			if !isNumeric(f.domain(rel, item)) {
				continue
			}
		}
		if len(things) < leastTray || len(things) > maxTray {
			continue
		}
		l.addTray(u, &grid{columns: newAxis(things), rows: newAxis(holders)})
		return
	}
}

// findStock finds remaining things, such as (left piece), a single thing, such as (given piece), or a strip, such
// as (lead -3).
func (l *Layout) findStock(f *fluents, rel relation, stocks set) {
	things := slices.SortedFunc(maps.Keys(f.domain(rel, 0)), Natural)
	u := &use{relation: rel, column: 0, row: -1, content: []int{0}, holder: -1}
	one, scale := f.isSingle(rel), l.scale[rel]
	switch {
	case scale.sides != nil && len(scale.values) <= maxStrip:
		u.content = nil
		l.addTray(u, &grid{columns: newAxis(scale.values), rows: newAxis([]string{""}), sides: scale.sides})
		u.grid.shape = Row
	case len(things) < leastTray || len(things) > maxTray || f.isRole(rel, 0) || !stocks[strings.Join(things, " ")]:
	case one:
		named := make(map[string][2]int)
		for _, t := range things {
			named[t] = [2]int{}
		}
		l.addTray(u, &grid{columns: newAxis([]string{""}), rows: newAxis([]string{""}), named: named})
	default:
		l.addTray(u, inRows(things))
	}
}

// stocks returns the lists of things, in natural order, of the fluents that name several things and occur in
// moves.
func (f *fluents) stocks() set {
	lists := make(set)
	for _, rel := range f.relations() {
		if rel.arity == 1 && f.seen[rel] != nil && !f.isSingle(rel) && f.isMoved(rel, 0) {
			lists[strings.Join(slices.SortedFunc(maps.Keys(f.domain(rel, 0)), Natural), " ")] = true
		}
	}
	return lists
}

// inRows arranges names in a square, or in rows of trayRow cells.
func inRows(names []string) *grid {
	width := min(trayRow, len(names))
	if side := int(math.Sqrt(float64(len(names)))); side*side == len(names) {
		width = side
	}
	g := &grid{named: make(map[string][2]int), exists: make(map[[2]int]bool)}
	for i, name := range names {
		at := [2]int{i % width, i / width}
		g.named[name], g.exists[at] = at, true
	}
	g.columns = newAxis(make([]string, width))
	g.rows = newAxis(make([]string, (len(names)+width-1)/width))
	return g
}

// addTray adds a tray for a fluent.
func (l *Layout) addTray(u *use, g *grid) {
	g.name, g.shape, g.owner, g.words = u.name, Tray, u.relation, make(set)
	u.grid = g
	l.uses[u.relation] = u
	l.grids = append(l.grids, g)
}

// isMoved reports whether a move names an argument of a fluent.
func (f *fluents) isMoved(rel relation, argument int) bool {
	for _, linked := range f.links {
		if linked[slot{rel, argument}] {
			return true
		}
	}
	return false
}

// thing returns the piece that a fact puts on a tray: a card, unless its name says more.
func (l *Layout) thing(u *use, args tuple) Piece {
	content := u.contentOf(args)
	if u.row >= 0 {
		content = args[u.column]
	}
	p := l.piece(u, content)
	if p.Kind == Words {
		p.Text = l.word(p.Text)
	}
	switch {
	case u.grid.shape == Row && p.Kind == Words:
		p.Kind = Disc
	case p.Kind == Words || u.row >= 0 && p.Kind != Card && l.page.Pieces[content] == (Piece{}):
		p.Kind = Card
	}
	if u.holder >= 0 {
		p.Color = l.roleColor(args[u.holder])
	}
	return p
}

// drawAmount draws the coins of a fact, in the cells from 1 on.
func (d *drawing) drawAmount(u *use, args tuple, fact string) {
	n, err := strconv.Atoi(args[u.column])
	row, ok := u.grid.rows.index[args[u.row]]
	if _, known := u.grid.columns.index[args[u.column]]; err != nil || !ok || !known {
		d.Facts = append(d.Facts, fact)
		return
	}
	p := Piece{Kind: Coin, Text: args[u.column], Color: "yellow"}
	if u.holder >= 0 {
		p.Color = d.roleColor(args[u.holder])
	}
	for i, v := range u.grid.columns.values {
		if value, _ := strconv.Atoi(v); value >= 1 && value <= n {
			cell := d.cell(Spot{d.firstBoard(u.grid), i, row})
			cell.Pieces = append(cell.Pieces, p)
		}
	}
}

// scale is the values of a number with a sign, from -n to n, and the roles that it favours at both ends.
type scale struct {
	values []string
	sides  []Side
}

// findScales finds the numbers with a sign. For each end, it computes the goals of the initial position with the
// value replaced by the end of the scale.
func (l *Layout) findScales(ctx context.Context, g *gdl.Game, f *fluents, positions [][]string) {
	l.scale = make(map[relation]scale)
	if len(positions) == 0 || len(l.roles) < 2 {
		return
	}
	var p *prover.Prover
	for _, rel := range f.relations() {
		if rel.arity != 1 || !f.isSingle(rel) || ctx.Err() != nil {
			continue
		}
		values := f.symmetric(rel)
		if len(values) < leastTray {
			continue
		}
		if p == nil {
			p = prover.New(g)
			p.MaxBytes = goalBytes
		}
		low, high := l.favoured(ctx, p, rel, positions[0], values[0]), l.favoured(ctx, p, rel, positions[0], values[len(values)-1])
		if low != "" && high != "" && low != high {
			l.scale[rel] = scale{values, []Side{{EdgeWest, l.roleColor(low), low}, {EdgeEast, l.roleColor(high), high}}}
		}
	}
}

// symmetric returns the values of a fluent from -n to n, for the largest n for which all exist.
func (f *fluents) symmetric(rel relation) (values []string) {
	domain := f.domain(rel, 0)
	for n := 0; domain[strconv.Itoa(n)] && domain[strconv.Itoa(-n)]; n++ {
		if n == 0 {
			values = []string{"0"}
			continue
		}
		values = slices.Concat([]string{strconv.Itoa(-n)}, values, []string{strconv.Itoa(n)})
	}
	return values
}

// favoured returns the role with the best goal if a fluent has the given value; "" if several roles share it.
func (l *Layout) favoured(ctx context.Context, p *prover.Prover, rel relation, facts []string, value string) (best string) {
	facts = slices.Clone(facts)
	for i, fact := range facts {
		if r, _ := parse(fact); r == rel {
			facts[i] = "(" + rel.name + " " + value + ")"
		}
	}
	most := -1
	for _, role := range l.roles {
		switch goal, err := p.Goal(ctx, facts, role); {
		case err != nil:
			return ""
		case goal > most:
			best, most = role, goal
		case goal == most:
			best = ""
		}
	}
	return best
}
