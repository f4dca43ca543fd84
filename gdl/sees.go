package gdl

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of the examination of perception: roles, rules of perception, and kinds of moves.
const (
	maxObservers   = 32
	maxPerceptions = 64
	maxMoveShapes  = 256
)

// perception examines the rules for `sees` and `percept` of GDL-II. If they show each role the moves of all other
// roles, nothing is hidden: the rules are dropped, and the game is in GDL. Otherwise they are errors that name a
// hidden move.
//
// The test examines the text alone. It may reject a game without hidden moves, but it never accepts a game with hidden
// moves.
func (c *checker) perception() {
	var rules []*Clause
	for _, cl := range c.clauses {
		if isPerception(cl.Head) {
			rules = append(rules, cl)
		}
	}
	if len(rules) == 0 {
		return
	}
	o := observation{checker: c, facts: make(set)}
	hidden := o.hidden(rules)
	for _, cl := range rules {
		if hidden != "" {
			c.findings.add("E030", cl.Head.Pos, cl.Head.excerpt(), "imperfect information is not supported, found a rule for `"+cl.Head.Name+"`: "+hidden)
		}
	}
	if hidden == "" {
		c.percepts = o.percepts
		c.findings.add("W027", rules[0].Head.Pos, rules[0].Head.excerpt(),
			"each role sees the moves of all others; played as a game without `"+rules[0].Head.Name+"`")
		c.clauses = slices.DeleteFunc(slices.Clone(c.clauses), func(cl *Clause) bool { return isPerception(cl.Head) })
		c.leftOut = rules
	}
}

func isPerception(head Term) bool { return head.Name == "sees" || head.Name == "percept" }

// hidden returns a move that some role does not see, or "".
func (o *observation) hidden(rules []*Clause) string {
	var roles []Term
	for _, cl := range o.clauses {
		if cl.malformed || len(cl.Body) > 0 {
			continue
		}
		o.facts[cl.Head.String()] = true
		if cl.Head.Name == "role" {
			roles = append(roles, cl.Head.Args[0])
		}
	}
	o.moves = o.moveShapesByRole()
	if len(roles) > maxObservers || len(rules) > maxPerceptions || len(o.moves) > maxMoveShapes || slices.ContainsFunc(rules, func(cl *Clause) bool { return cl.malformed }) {
		return "its rules are not examined"
	}
	for _, observer := range roles {
		if observer.isChance() {
			continue
		}
		shown, ambiguous := o.shown(rules, observer, roles)
		if ambiguous != nil {
			return fmt.Sprintf("%s may stand for several moves that %s sees", ambiguous.excerpt(), observer.excerpt())
		}
		o.percepts = append(o.percepts, shown...)
		for _, actor := range roles {
			if move := o.unseen(shown, actor); move != "" && !actor.Equal(observer) {
				return fmt.Sprintf("%s does not see all moves of %s (%s)", observer.excerpt(), actor.excerpt(), move)
			}
		}
	}
	return ""
}

// observation is the examination of perception rules.
type observation struct {
	*checker
	facts    set       // as text
	percepts []percept // of all observers so far
	moves    []Term    // the heads of `legal`, one for each role and function
}

// moveShapesByRole returns a head of `legal` for each role, or any role, and function of its moves.
func (o *observation) moveShapesByRole() (heads []Term) {
	type shape struct {
		role string
		kind Kind
		move relation
	}
	seen := make(map[shape]bool)
	for _, cl := range o.clauses {
		o.watch.Step()
		if cl.Head.Name != "legal" || cl.malformed {
			continue
		}
		s := shape{"", cl.Head.Args[1].Kind, cl.Head.Args[1].relation()}
		if cl.Head.Args[0].Kind != Variable {
			s.role = cl.Head.Args[0].String()
		}
		if !seen[s] {
			seen[s] = true
			heads = append(heads, cl.Head)
		}
	}
	return heads
}

// percept is a term that a role sees when a role makes a move.
type percept struct {
	observer, term, actor, move Term
	sure                        bool // whenever the move is made, and the term determines it
}

// JointMove returns the joint move from a role's own move and its percepts in a GDL-II message. Percepts follow the
// rules for `sees`, or are (did role move) and (does role move) if there are none. The error names a role whose move
// follows from no percept.
func (g *Game) JointMove(observer string, own Term, percepts []Term) ([]Term, error) {
	var joint []Term
	for _, role := range g.Roles {
		move, ok := own, role.String() == observer
		for _, p := range percepts {
			if !ok {
				move, ok = g.seen(observer, role, p)
			}
		}
		if !ok {
			return nil, fmt.Errorf("expected a percept with the move of %s, found none among %d", role.excerpt(), len(percepts))
		}
		joint = append(joint, move)
	}
	return joint, nil
}

// seen returns the move of a role that a percept shows to an observer.
func (g *Game) seen(observer string, role, seen Term) (move Term, ok bool) {
	for _, p := range g.percepts {
		if !p.sure || p.observer.String() != observer || !strings.EqualFold(p.actor.String(), role.String()) {
			continue
		}
		if b, ok := (binding{}).unify(p.term, seen); ok {
			return b.apply(p.move), true
		}
	}
	plain := len(seen.Args) == 2 && strings.EqualFold(seen.Args[0].String(), role.String()) &&
		(strings.EqualFold(seen.Name, "did") || strings.EqualFold(seen.Name, "does"))
	if len(g.percepts) > 0 || !plain {
		return Term{}, false
	}
	return seen.Args[1], true
}

// shown returns the percepts of an observer. Ambiguous is a percept that another rule may yield too.
func (o *observation) shown(rules []*Clause, observer Term, roles []Term) (out []percept, ambiguous *Term) {
	for _, cl := range rules {
		to, ok := binding{}.match(cl.Head.Args[0], observer)
		if !ok {
			continue
		}
		does := cl.condition("does")
		for _, actor := range roles {
			o.watch.Step()
			if does == nil {
				out = append(out, percept{observer: observer, term: to.apply(cl.Head.Args[1])})
				break
			}
			both, ok := to.match(does.Args[0], actor)
			if !ok {
				continue
			}
			p := percept{observer: observer, term: both.apply(cl.Head.Args[1]), actor: actor, move: both.apply(does.Args[1])}
			p.sure = o.holds(cl, both) && isPattern(p.move) && !slices.ContainsFunc(p.move.variables(nil), func(v Term) bool { return !p.term.holds(v.Name) })
			out = append(out, p)
		}
	}
	for i, p := range out {
		for j, q := range out {
			if o.watch.Step(); i != j && p.sure && mayEqual(p.term, q.term) {
				return nil, &p.term
			}
		}
	}
	return out, nil
}

// unseen returns a move of an actor that no percept is sure to show, or "".
func (o *observation) unseen(shown []percept, actor Term) string {
	for _, head := range o.moves {
		if head.Args[0].Kind != Variable && !head.Args[0].Equal(actor) {
			continue
		}
		move := head.Args[1]
		if !slices.ContainsFunc(shown, func(p percept) bool {
			general := p.move.Kind == Variable || move.Kind == p.move.Kind && p.move.relation() == move.relation()
			return p.sure && p.actor.Equal(actor) && general
		}) {
			return move.excerpt()
		}
	}
	return ""
}

// condition returns the only condition on a relation in the body, or nil.
func (c *Clause) condition(name string) (only *Term) {
	for _, f := range c.Body {
		if f.Connective == Atomic && f.Atom.Name == name {
			if only != nil {
				return nil
			}
			only = &f.Atom
		}
	}
	return only
}

// holds reports whether all conditions of a rule except `does` hold by facts, under a binding.
func (o *observation) holds(cl *Clause, b binding) bool {
	return !slices.ContainsFunc(cl.Body, func(f Formula) bool {
		switch {
		case f.Connective == Differ:
			l, r := b.apply(f.Args[0]), b.apply(f.Args[1])
			return len(l.variables(nil)) > 0 || len(r.variables(nil)) > 0 || l.Equal(r)
		case f.Connective == Atomic && f.Atom.Name == "does":
			return false
		}
		return f.Connective != Atomic || !o.facts[b.apply(f.Atom).String()]
	})
}

// isPattern reports whether t is a variable, a symbol, or a function of distinct variables.
func isPattern(t Term) bool {
	seen := make(set)
	for _, a := range t.Args {
		if a.Kind != Variable || seen[a.Name] {
			return false
		}
		seen[a.Name] = true
	}
	return true
}

// mayEqual reports whether two terms with disjoint variables may have a common instance.
func mayEqual(a, b Term) bool {
	if a.Kind == Variable || b.Kind == Variable {
		return true
	}
	if a.Name != b.Name || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !mayEqual(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// binding maps variables to terms.
type binding map[string]Term

// match returns the binding with which pattern, a variable or a symbol, equals a ground term.
func (b binding) match(pattern, ground Term) (binding, bool) {
	pattern = b.apply(pattern)
	if pattern.Kind != Variable {
		return b, pattern.Equal(ground)
	}
	out := binding{pattern.Name: ground}
	for v, t := range b {
		out[v] = t
	}
	return out, true
}

// unify returns the binding with which a pattern equals a ground term, ignoring case.
func (b binding) unify(pattern, ground Term) (binding, bool) {
	if pattern.Kind == Variable {
		return b.match(pattern, ground)
	}
	ok := strings.EqualFold(pattern.Name, ground.Name) && len(pattern.Args) == len(ground.Args)
	for i := 0; ok && i < len(pattern.Args); i++ {
		b, ok = b.unify(pattern.Args[i], ground.Args[i])
	}
	return b, ok
}

// apply returns t with its variables replaced.
func (b binding) apply(t Term) Term {
	if u, ok := b[t.Name]; ok && t.Kind == Variable {
		return u
	}
	if len(t.Args) == 0 {
		return t
	}
	args := make([]Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = b.apply(a)
	}
	t.Args = args
	return t
}
