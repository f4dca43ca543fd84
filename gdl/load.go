package gdl

import (
	"context"
	"strings"
)

// Load reads, checks and normalises a rulesheet. The file name serves messages
// only. The error is nil exactly if the rulesheet is valid; else it is an
// Invalid, whose text lists all faults as file:line:column: code: message. The
// diagnostics hold errors and warnings alike, in order of position. Where ctx ends
// first, the error is that of ctx.
func Load(ctx context.Context, file string, src []byte) (*Game, Diagnostics, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
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

// chance is the role that whoever runs the game plays, a keyword of GDL-II.
const chance = "random"

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
	for _, r := range g.Roles {
		if strings.EqualFold(r.Name, chance) && r.Name != chance {
			g.respell(r.Name, chance)
		}
	}
	return g
}

// respell gives a symbol another name everywhere.
func (g *Game) respell(from, to string) {
	respellAll(g.Roles, from, to)
	for i := range g.Rules {
		r := &g.Rules[i]
		respellAll(r.Head.Args, from, to)
		for j := range r.Body {
			l := &r.Body[j]
			respellAll(l.Atom.Args, from, to)
			l.Left, l.Right = l.Left.respelled(from, to), l.Right.respelled(from, to)
		}
	}
}

func respellAll(terms []Term, from, to string) {
	for i := range terms {
		terms[i] = terms[i].respelled(from, to)
	}
}

func (t Term) respelled(from, to string) Term {
	if t.Kind == Symbol && t.Name == from {
		t.Name = to
	}
	respellAll(t.Args, from, to)
	return t
}

func hasTerm(list []Term, t Term) bool {
	for _, u := range list {
		if u.Equal(t) {
			return true
		}
	}
	return false
}
