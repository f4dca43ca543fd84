package interpret

import (
	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
)

// magicCall compiles the evaluation of the recursive relation d by key. Each new key extends the semi-naive
// fixpoint of answers and keys. The tables persist within a position, so each key is evaluated once.
func (e *evaluator) magicCall(d *derived, columns []int32) *call {
	var todo []adorned
	tables := make(map[adornment]*join.Keyed)
	c := &component{}
	add := func(rel *rules.Relation) *rules.Relation {
		e.derived[rel] = &derived{rel: rel, component: c, lifetime: d.lifetime}
		c.members = append(c.members, e.derived[rel])
		return rel
	}
	table := func(of *derived, columns []int32) *join.Keyed {
		key := adornment{of, rules.Packed(columns)}
		if tables[key] == nil {
			number := -int32(len(tables) + 1) // relations of the rules and of rewritings have numbers ≥ 0
			k := &join.Keyed{
				Columns: columns, Asked: rules.NewRelation(rules.Predicate{Name: "asked " + of.rel.Name, Auxiliary: number}, len(columns), rules.Dynamic),
				Answers: rules.NewRelation(rules.Predicate{Name: of.rel.Name, Shapes: of.rel.Shapes, Auxiliary: number}, of.rel.Arity, rules.Dynamic),
			}
			k.Answers.Profile, k.Asked.Profile = of.rel.Profile, of.rel.Profile.Project(columns)
			add(k.Answers)
			add(k.Asked)
			tables[key] = k
			todo = append(todo, adorned{of, k})
		}
		return tables[key]
	}
	m := &join.MagicSets{Watch: e.meter.Watch, Terms: e.terms}
	m.Restricts = func(_ *rules.Rule, l *rules.Literal) bool {
		of := e.derived[l.Atom.Rel]
		return l.Op == gdl.Holds && of != nil && of.component == d.component
	}
	m.Follows = func(*rules.Literal) bool { return true }
	m.Table = func(l *rules.Literal, known []int32) *join.Keyed {
		if len(known) == 0 {
			return nil
		}
		return table(e.derived[l.Atom.Rel], known)
	}
	root := table(d, columns)
	var rules []*rules.Rule
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		for _, r := range a.of.rules {
			rules = append(rules, m.Rewrite(r, a.Keyed))
		}
	}
	c.fixpoint = e.fixpoint(append(rules, m.Asking...), d.component, root.Asked)
	c.fixpoint.MakePlans(false)
	return &call{evaluator: e, to: e.derived[root.Answers], columns: columns, asked: root.Asked, magic: c}
}

// adornment is a relation with its bound columns; adorned pairs the relation with its demand and answers.
type (
	adornment struct {
		of      *derived
		columns string // packed
	}
	adorned struct {
		of *derived
		*join.Keyed
	}
)
