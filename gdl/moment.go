package gdl

// askWithout rewrites the rules of some relations for queries in which no instance of the relations `empty` holds:
// before the moves, or before the first position.
//
//	(<= on (true (s ?x)) (not (does p shoot)))      (<= terminal (not on))
//	→ the same, and (<= on/still (true (s ?x)))     (<= terminal (not on/still))
//
// Conditions on these relations in bodies keep their full meaning, under another name.
func (p *program) askWithout(relations []string, empty ...string) {
	depends := p.dependents(empty)
	s := still{program: p, empty: make(set), depends: depends, copies: make(map[relation]string)}
	for _, name := range empty {
		s.empty[name] = true
	}
	affected := make(set)
	for _, r := range p.rules {
		for _, name := range relations {
			if r.Head.Name == name && depends[r.Head.relation()] {
				affected[name] = true
			}
		}
	}
	for _, name := range relations {
		if affected[name] {
			p.alias(name)
		}
	}
	original := p.rules
	byHead := make(map[relation][]Rule)
	for _, r := range original {
		byHead[r.Head.relation()] = append(byHead[r.Head.relation()], r)
	}
	p.rules = nil
	for _, r := range original {
		if !affected[r.Head.Name] {
			p.rules = append(p.rules, r)
			continue
		}
		s.add(r, r.Head.Name)
	}
	for len(s.todo) > 0 {
		rel := s.todo[0]
		s.todo = s.todo[1:]
		for _, r := range byHead[rel] {
			p.watch.Step()
			s.add(r, s.copies[rel])
		}
	}
}

// still copies rules with some relations empty.
type still struct {
	*program
	empty   set
	depends map[relation]bool
	copies  map[relation]string // names of the copies
	todo    []relation          // relations whose copies have no rules yet
}

// add adds the copy of a rule with a head of the given name, unless a condition of it cannot hold.
func (s *still) add(r Rule, name string) {
	var body []Literal
	for _, l := range r.Body {
		asks := l.Op == Holds || l.Op == Not
		switch {
		case asks && s.empty[l.Atom.Name] && l.Op == Holds:
			return
		case asks && s.empty[l.Atom.Name]:
			continue
		case asks && s.depends[l.Atom.relation()]:
			l.Atom.Name = s.copy(l.Atom.relation())
		}
		body = append(body, l)
	}
	r.Head.Name, r.Body = name, body
	s.rules = append(s.rules, r)
}

// copy returns the name of the copy of a relation.
func (s *still) copy(r relation) string {
	name, ok := s.copies[r]
	if !ok {
		name = s.names.fresh(r.name + "/still")
		s.copies[r] = name
		s.todo = append(s.todo, r)
	}
	return name
}

// dependents returns the relations that depend on one of the given names.
func (p *program) dependents(on []string) map[relation]bool {
	g := newGraph(p.watch, p.clauses())
	out := make(map[relation]bool)
	for r := range g.ids {
		for _, name := range on {
			if r.name != name {
				continue
			}
			dependents := g.dependents(r)
			for other, id := range g.ids {
				if dependents[id] {
					out[other] = true
				}
			}
		}
	}
	return out
}
