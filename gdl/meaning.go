package gdl

import (
	"context"
	"strconv"

	"stackmate/internal/guard"
)

// meanings maps the errors that leave a game playable to their reading by the game managers ggp-base and
// GameController, which prove each query backwards from the current position. Other errors have no such reading, or
// each manager reads them differently.
//
//   - Helpers on demand (E018, E019): conditions are proved from left to right, so a rule need not bind an argument
//     that each caller has bound. `legal` and `goal` are queried for one role at a time.
//   - Queries without moves (E025, E024): managers query `legal`, `goal` and `terminal` before the moves, and `init`
//     before the first position. Then no `does`, and no `true`, holds.
//   - Goals (E022, E028): GameController counts a missing goal as 0, and both managers accept numbers with a sign.
//   - Symbols of another encoding (E034): messages carry their bytes.
var meanings = map[string]string{
	"E015": "the relation is asked as any other",
	"E018": "the fact holds for the arguments with which it is asked",
	"E019": "the rule is evaluated for the arguments with which it is asked; a negated condition with a free variable holds if it has no instance",
	"E022": "the goal of each role is 0",
	"E024": "evaluated where no fluent is true and nobody moves",
	"E025": "evaluated before anybody moves: no `does` holds",
	"E027": "the recursion ends, since its terms do not grow",
	"E028": "a whole number counts as the nearest one from 0 to 100, anything else as 0",
	"E034": "symbols are compared byte by byte; records of matches cannot hold them",
}

// LoadToPlay loads a game that is played, not solved: it reads the errors in meanings as game managers do. Such
// findings have a Meaning and are not errors. The rules of the game are sound: every reasoner evaluates them alike.
func LoadToPlay(ctx context.Context, file string, src []byte) (g *Game, ds Diagnostics, err error) {
	return load(ctx, file, src, true)
}

// meant returns the game that reference servers see in the clauses, where invalid clauses have the meanings above. It
// returns nil if an error has no meaning, or if a reading is itself invalid.
func (c *checker) meant() *Game {
	if c.findings.errors > maxFindings {
		return nil
	}
	for _, d := range c.findings.list {
		if d.IsError() && meanings[d.Code] == "" {
			return nil
		}
	}
	n := normaliser{watch: c.watch, names: relationNames(c.sound), findings: &findings{}, unordered: true}
	for _, cl := range c.sound {
		n.clause(cl)
	}
	p := &program{watch: c.watch, rules: n.rules, names: n.names}
	p.readGoals()
	for _, name := range []string{"init", "next", "base", "input"} {
		p.alias(name)
	}
	if n.findings.errors > 0 || !p.evaluateOnDemand() {
		return nil
	}
	p.askWithout([]string{"init", "base", "input"}, "true", "does")
	p.askWithout([]string{"legal", "goal", "terminal"}, "does")
	sound := checker{watch: c.watch, findings: &findings{}, clauses: p.clauses()}
	sound.soundness()
	for _, d := range sound.findings.list {
		if d.IsError() && (d.Code != "E027" || sound.grows()) {
			return nil
		}
	}
	g := normalise(c.watch, sound.stratified, sound.findings)
	for i, d := range c.findings.list {
		if d.IsError() {
			c.findings.list[i].Meaning = meanings[d.Code]
		}
	}
	c.findings.errors = 0
	return g
}

// grows reports whether the head of a recursive clause contains a function term with a variable bound only by the
// recursion. Otherwise the arguments of recursive relations come from finitely many terms.
func (c *checker) grows() bool {
	g := newGraph(c.watch, c.stratified)
	for _, cl := range c.stratified {
		if !g.cyclic[g.id(cl.Head)] {
			continue
		}
		outside := make(set)
		for _, f := range cl.Body {
			for name := range guarantees(f, func(atom Term, out map[string]bool) {
				c.watch.Step()
				if !g.inCycle(cl.Head, atom) {
					for _, v := range atom.variables(nil) {
						out[v.Name] = true
					}
				}
			}) {
				outside[name] = true
			}
		}
		for _, a := range cl.Head.Args {
			for _, v := range a.variables(nil) {
				if a.Kind == Compound && !outside[v.Name] {
					return true
				}
			}
		}
	}
	return false
}

// program is a list of rules to be rewritten.
type program struct {
	watch *guard.Watch
	rules []Rule
	names names
}

// clauses returns the rules as clauses.
func (p *program) clauses() []*Clause {
	var out []*Clause
	for _, r := range p.rules {
		cl := &Clause{Head: r.Head, Pos: r.Pos}
		for _, l := range r.Body {
			cl.Body = append(cl.Body, l.formula())
		}
		out = append(out, cl)
	}
	return out
}

// formula returns the literal as a condition.
func (l Literal) formula() Formula {
	f := Formula{Connective: Atomic, Atom: l.Atom, Pos: l.Pos}
	if l.Op == Distinct || l.Op == Equal {
		f = Formula{Connective: Differ, Name: "distinct", Args: []Term{l.Left, l.Right}, Pos: l.Pos}
	}
	if l.Op == Not || l.Op == Equal {
		return Formula{Connective: Negation, Name: "not", Subs: []Formula{f}, Pos: l.Pos}
	}
	return f
}

// readGoals reads goal values as integers from 0 to 100, and adds a goal of 0 for positions without one.
func (p *program) readGoals() {
	none := true
	for i, r := range p.rules {
		if r.Head.Name != "goal" {
			continue
		}
		none = false
		value := r.Head.Args[1]
		if value.Kind == Variable || isGoalValue(value) {
			continue
		}
		n, err := strconv.Atoi(value.Name)
		if err != nil || value.Kind != Symbol {
			n = 0
		}
		read := Term{Name: strconv.Itoa(max(0, min(n, 100))), Pos: value.Pos}
		p.rules[i].Head.Args = []Term{r.Head.Args[0], read}
	}
	if none {
		role := Term{Kind: Variable, Name: "?r"}
		p.rules = append(p.rules, Rule{
			Head: Term{Kind: Compound, Name: "goal", Args: []Term{role, {Name: "0"}}},
			Body: []Literal{{Atom: Term{Kind: Compound, Name: "role", Args: []Term{role}}}},
		})
	}
}

// alias gives the relation of a keyword a second name for conditions.
func (p *program) alias(keyword string) {
	asked := false
	name := p.names.fresh(keyword + "/asked")
	for i, r := range p.rules {
		p.rules[i].Body = renamed(r.Body, func(a Term) string {
			if a.Name == keyword {
				asked = true
				return name
			}
			return a.Name
		})
	}
	if !asked {
		return
	}
	for _, r := range p.rules {
		p.watch.Step()
		if r.Head.Name == keyword {
			r.Head.Name = name
			p.rules = append(p.rules, r)
		}
	}
}

// renamed returns literals with renamed relations.
func renamed(body []Literal, name func(Term) string) []Literal {
	out := make([]Literal, len(body))
	for i, l := range body {
		if l.Op == Holds || l.Op == Not {
			l.Atom.Name = name(l.Atom)
		}
		out[i] = l
	}
	return out
}
