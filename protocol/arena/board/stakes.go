package board

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// Stakes are the prizes of a game's rounds: a table of facts, (prize 2 5), that a rule reads by a counter,
// (true (round ?k)). The table must not define the next value of the counter.

// findStakes finds such tables, and draws their counters as trays of the current and later values.
func (l *Layout) findStakes(f *fluents) {
	leads := make(map[relation]set) // by table: the counters whose next value it defines
	read := make(map[relation]relation)
	for i := range f.clauses {
		f.clauses[i].tables(func(counter, table relation, isNext bool) {
			if isNext {
				if leads[table] == nil {
					leads[table] = make(set)
				}
				leads[table][counter.name] = true
			}
			read[table] = counter
		})
	}
	for _, table := range slices.SortedFunc(maps.Keys(read), func(a, b relation) int { return Natural(a.name, b.name) }) {
		if f.ctx.Err() != nil {
			return
		}
		counter := read[table]
		order, values := f.table(table)
		if leads[table][counter.name] || len(values) != len(order) || l.uses[counter] != nil || !f.isSingle(counter) || len(order) < leastTray || len(order) > maxTray {
			continue
		}
		sorted, ok := f.ordered(counter, 0)
		if !ok {
			continue
		}
		sorted = slices.DeleteFunc(slices.Clone(sorted), func(v string) bool { return values[v] == "" })
		isNext := func(i int) bool { return i+1 == len(sorted) || values[sorted[i]] == sorted[i+1] }
		if len(sorted) != len(order) || isNext(0) && isNext(1) {
			continue
		}
		u := &use{relation: counter, purpose: asStake, column: 0, row: -1, holder: -1, stakes: values}
		l.addTray(u, &grid{columns: newAxis(sorted), rows: newAxis([]string{""})})
		u.grid.name = table.name
	}
}

// tables calls found for each table of two arguments that a rule reads by the value of a counter. isNext
// reports whether the table's value is the next value of the counter.
func (c *clause) tables(found func(counter, table relation, isNext bool)) {
	counters := make(map[string]relation) // by variable
	for _, l := range c.rule.Body {
		if rel, args, ok := read(l.Atom); ok && l.Op == gdl.Holds && rel.kind == fluent && rel.arity == 1 {
			counters[args[0].Name] = rel
		}
	}
	for _, l := range c.rule.Body {
		table, args, ok := read(l.Atom)
		if !ok || l.Op != gdl.Holds || table.kind != static || table.arity != 2 || args[1].Kind != gdl.Variable {
			continue
		}
		if counter, ok := counters[args[0].Name]; ok && args[0].Kind == gdl.Variable {
			found(counter, table, c.head == counter && c.args[0].Equal(args[1]))
		}
	}
}

// table returns the facts of a relation of two arguments. It returns nil if the rules define the relation
// otherwise, or twice for a first argument.
func (f *fluents) table(rel relation) (order []string, values map[string]string) {
	values = make(map[string]string)
	for i := range f.clauses {
		c := &f.clauses[i]
		if c.head != rel {
			continue
		}
		if len(c.rule.Body) > 0 || c.args[0].Kind != gdl.Symbol || c.args[1].Kind != gdl.Symbol || values[c.args[0].Name] != "" {
			return nil, nil
		}
		order = append(order, c.args[0].Name)
		values[c.args[0].Name] = c.args[1].Name
	}
	return order, values
}

// drawStake draws the current prize and the later prizes.
func (d *drawing) drawStake(u *use, args tuple) {
	now, known := u.grid.columns.index[args[0]]
	if !known {
		d.Counters = append(d.Counters, Counter{Name: u.name, Value: args[0]})
		return
	}
	d.Boards[d.firstBoard(u.grid)].Name += ": " + d.word(u.stakes[args[0]]) + " at stake"
	for i, v := range u.grid.columns.values[now:] {
		p := Piece{Kind: Card, Text: u.stakes[v]}
		if i == 0 {
			p.Color = "yellow"
		}
		cell := d.cell(Spot{d.firstBoard(u.grid), now + i, 0})
		cell.Pieces = append(cell.Pieces, p)
	}
}
