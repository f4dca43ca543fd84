package gdl

// Load reads, checks and normalises a rulesheet. The file name serves messages
// only. The error is nil exactly if the rulesheet is valid; else it is an
// Invalid, whose text lists all faults as file:line:column: code: message. The
// diagnostics hold errors and warnings alike, in order of position.
func Load(file string, src []byte) (*Game, Diagnostics, error) {
	tree, found := parse(file, src)
	if tree == nil {
		found = found.finish(string(src))
		return nil, found, found.err()
	}
	var b builder
	for _, f := range tree.Forms {
		b.form(f)
	}
	faults, clauses := check(file, tree, b.clauses)
	found = append(append(found, b.faults...), faults...).finish(string(src))
	if err := found.err(); err != nil {
		return nil, found, err
	}
	return normalise(clauses), found, nil
}

// normalise turns checked clauses into a game.
func normalise(clauses []*clause) *Game {
	n := normaliser{names: make(set)}
	for _, c := range clauses {
		n.names[c.head.Name] = true
	}
	g := &Game{}
	for _, c := range clauses {
		if c.head.Name == "role" && !hasTerm(g.Roles, c.head.Args[0]) {
			g.Roles = append(g.Roles, c.head.Args[0])
		}
		n.clause(c)
	}
	g.Rules = n.rules
	return g
}

func hasTerm(list []Term, t Term) bool {
	for _, u := range list {
		if u.Equal(t) {
			return true
		}
	}
	return false
}
