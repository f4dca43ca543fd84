package datalog

import "stackmate/gdl"

// magicCall compiles the evaluation of the recursive relation d by key. Each new key extends the semi-naive
// fixpoint of answers and keys. The tables persist within a position, so each key is evaluated once.
func (e *evaluator) magicCall(d *derived, columns []int32) *call {
	var todo []adorned
	tables := make(map[adornment]*keyed)
	c := &component{}
	add := func(rel *relation) *relation {
		e.derived[rel] = &derived{rel: rel, component: c, lifetime: d.lifetime}
		c.members = append(c.members, e.derived[rel])
		return rel
	}
	table := func(of *derived, columns []int32) *keyed {
		key := adornment{of, packed(columns)}
		if tables[key] == nil {
			number := -int32(len(tables) + 1) // relations of the rules and of rewritings have numbers ≥ 0
			k := &keyed{
				columns, newRelation(predicate{name: "asked " + of.rel.name.name, auxiliary: number}, len(columns), of.rel.class),
				newRelation(predicate{name: of.rel.name.name, shapes: of.rel.name.shapes, auxiliary: number}, of.rel.arity, of.rel.class),
			}
			k.answers.profile, k.asked.profile = of.rel.profile, of.rel.profile.project(columns)
			add(k.answers)
			add(k.asked)
			tables[key] = k
			todo = append(todo, adorned{of, k})
		}
		return tables[key]
	}
	m := &magicSets{watch: e.meter.watch, terms: e.terms, seen: make(map[string]bool)}
	m.restricts = func(_ *rule, l *literal) bool {
		of := e.derived[l.atom.rel]
		return l.op == gdl.Holds && of != nil && of.component == d.component
	}
	m.follows = func(*literal) bool { return true }
	m.table = func(l *literal, known []int32) *keyed {
		if len(known) == 0 {
			return nil
		}
		return table(e.derived[l.atom.rel], known)
	}
	root := table(d, columns)
	var rules []*rule
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		for _, r := range a.of.rules {
			rules = append(rules, m.rewrite(r, a.keyed))
		}
	}
	c.fixpoint = e.fixpoint(append(rules, m.asking...), d.component, root.asked)
	return &call{evaluator: e, to: e.derived[root.answers], columns: columns, asked: root.asked, magic: c}
}

// adornment is a relation with its bound columns; adorned pairs the relation with its demand and answers.
type (
	adornment struct {
		of      *derived
		columns string // packed
	}
	adorned struct {
		of *derived
		*keyed
	}
)
