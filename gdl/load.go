package gdl

import (
	"context"
	"strings"

	"stackmate/internal/guard"
)

// Load reads, checks and normalises a rulesheet. The file name is for messages only. The error is nil exactly if the
// rulesheet is valid. Otherwise it is an Invalid, which lists the errors as file:line:column: code: message. The
// diagnostics contain errors and warnings in order of position, at most a thousand of each. If ctx ends first, Load
// returns its error within about ten milliseconds.
func Load(ctx context.Context, file string, src []byte) (g *Game, ds Diagnostics, err error) {
	return load(ctx, file, src, false)
}

// load implements Load and LoadToPlay.
func load(ctx context.Context, file string, src []byte, toPlay bool) (g *Game, ds Diagnostics, err error) {
	w := guard.NewWatch(ctx, reading)
	defer guard.Stopped(&err)
	w.Look()
	r := newReader(w, file, string(src))
	l := collector{watch: w, findings: r.findings}
	if !r.read(l.clause) {
		ds = r.findings.finish(r.text)
		return nil, ds, ds.err()
	}
	c := checker{watch: w, findings: r.findings, file: file, infix: r.syntax == infix, clauses: l.clauses}
	c.check(!r.incomplete && !l.incomplete)
	switch {
	case r.findings.errors == 0:
		g = normalise(w, c.stratified, r.findings)
	case toPlay:
		g = c.meant()
	}
	if g != nil {
		g.percepts = c.percepts
	}
	ds = r.findings.finish(r.text)
	if err := ds.err(); err != nil {
		return nil, ds, err
	}
	return g, ds, nil
}

// chance is the role played by the game manager, a keyword of GDL-II.
const chance = "random"

// isChance reports whether a role is played by the game manager.
func (t Term) isChance() bool { return t.Kind == Symbol && strings.EqualFold(t.Name, chance) }

// role returns the term as a role of the game: the chance role in lower case.
func (t Term) role() Term {
	if t.isChance() {
		t.Name = chance
	}
	return t
}

// normalise converts checked clauses to a game.
func normalise(w *guard.Watch, clauses []*Clause, found *findings) *Game {
	n := normaliser{watch: w, names: relationNames(clauses), findings: found}
	g := &Game{}
	declared, spellings := make(set), make(set) // roles; symbols of the chance role
	for _, c := range clauses {
		if c.Head.Name == "role" {
			spelled := c.Head.Args[0]
			if role := spelled.role(); !declared[role.String()] {
				declared[role.String()] = true
				g.Roles = append(g.Roles, role)
			}
			if spelled.isChance() {
				spellings[spelled.Name] = true
			}
		}
		n.clause(c)
	}
	g.Rules = n.rules
	for spelling := range spellings {
		g.respell(spelling, chance)
	}
	return g
}

// respell replaces a symbol in all rules.
func (g *Game) respell(from, to string) {
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
