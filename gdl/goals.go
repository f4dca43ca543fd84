package gdl

import "fmt"

// MayHaveSeveralGoals reports whether the text of the rules allows a role to have two goals in one position.
func (g *Game) MayHaveSeveralGoals() bool {
	var heads []Term
	for _, r := range g.Rules {
		if r.Head.Name != "goal" {
			continue
		}
		if r.Head.Args[1].Kind == Variable {
			return true
		}
		for _, h := range heads {
			sameRole := h.Args[0].Kind == Variable || r.Head.Args[0].Kind == Variable || h.Args[0].Equal(r.Head.Args[0])
			if sameRole && !h.Args[1].Equal(r.Head.Args[1]) {
				return true
			}
		}
		heads = append(heads, r.Head)
	}
	return false
}

// FirstGoals returns the game in which a role with several goals in a position has the first of them, in the order of
// the rules. The game manager GameController reads rules this way. Conditions on `goal` in bodies still see all
// goals.
//
//	(<= (goal p 100) top)   (<= (goal p 50) high)
//	→ (<= (goal/1 p 100) top)   (<= (goal ?r ?v) (goal/1 ?r ?v))
//	  (<= (goal/2 p 50) high)   (<= (goal ?r ?v) (goal/2 ?r ?v) (not (before/2 ?r)))
//	  (<= (before/2 ?r) (goal/1 ?r ?v))
func (g *Game) FirstGoals() *Game {
	used := relationNames((&program{rules: g.Rules}).clauses())
	role, value := Term{Kind: Variable, Name: "?r"}, Term{Kind: Variable, Name: "?v"}
	atom := func(name string, args ...Term) Term { return Term{Kind: Compound, Name: name, Args: args} }
	all := used.fresh("goal/any")
	out := &Game{Roles: g.Roles, percepts: g.percepts}
	add := func(head Term, body ...Literal) { out.Rules = append(out.Rules, Rule{Head: head, Body: body}) }
	before, last, lastValue := "", "", Term{}
	for _, r := range g.Rules {
		r.Body = renamed(r.Body, func(a Term) string {
			if a.Name == "goal" {
				return all
			}
			return a.Name
		})
		if r.Head.Name != "goal" {
			out.Rules = append(out.Rules, r)
			continue
		}
		if same := last != "" && r.Head.Args[1].Kind == Symbol && r.Head.Args[1].Equal(lastValue); !same {
			name := used.fresh(fmt.Sprintf("goal/%d", len(out.Rules)))
			given := Literal{Atom: atom(name, role, value)}
			next := used.fresh("before/" + name)
			add(atom(all, role, value), given)
			if last == "" {
				add(atom("goal", role, value), given)
			} else {
				add(atom(before, role), Literal{Atom: atom(last, role, value)})
				add(atom("goal", role, value), given, Literal{Op: Not, Atom: atom(before, role)})
				add(atom(next, role), Literal{Atom: atom(before, role)})
			}
			before, last, lastValue = next, name, r.Head.Args[1]
		}
		r.Head.Name = last
		out.Rules = append(out.Rules, r)
	}
	return out
}
