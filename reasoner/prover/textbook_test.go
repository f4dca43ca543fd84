package prover_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/prover"
)

// model is the standard model of stratified rules (Apt, Blair and Walker, 1988), computed naively: in each stratum,
// all rules are applied to all facts until no fact is new. It is the oracle of the Prover, and too slow for other
// uses.
type model struct {
	facts map[string][]gdl.Term // by relation
	known map[string]bool
}

// modelOf returns the model of a game with additional facts.
func modelOf(g *gdl.Game, facts []gdl.Term) *model {
	m := &model{facts: make(map[string][]gdl.Term), known: make(map[string]bool)}
	for _, f := range facts {
		m.add(f)
	}
	strata := strataOf(g.Rules)
	for s := range len(g.Rules) + 1 {
		for grew := true; grew; {
			grew = false
			for _, r := range g.Rules {
				if strata[key(r.Head)] == s {
					m.apply(r.Body, nil, func(by map[string]gdl.Term) { grew = m.add(instance(r.Head, by)) || grew })
				}
			}
		}
	}
	return m
}

func key(atom gdl.Term) string { return atom.Name + "/" + string(rune('0'+len(atom.Args))) }

// strataOf numbers the relations so that a relation has a higher stratum than the relations that it negates.
func strataOf(rules []gdl.Rule) map[string]int {
	strata := make(map[string]int)
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			for _, l := range r.Body {
				least := strata[key(l.Atom)]
				if l.Op == gdl.Not {
					least++
				}
				if strata[key(r.Head)] < least {
					strata[key(r.Head)], changed = least, true
				}
			}
		}
	}
	return strata
}

func (m *model) add(fact gdl.Term) bool {
	text := fact.String()
	if m.known[text] {
		return false
	}
	m.known[text] = true
	m.facts[key(fact)] = append(m.facts[key(fact)], fact)
	return true
}

// apply visits the substitutions that satisfy all literals.
func (m *model) apply(body []gdl.Literal, by map[string]gdl.Term, found func(map[string]gdl.Term)) {
	if len(body) == 0 {
		found(by)
		return
	}
	l, rest := body[0], body[1:]
	same := instance(l.Left, by).Equal(instance(l.Right, by))
	switch l.Op {
	case gdl.Holds:
		for _, fact := range m.facts[key(l.Atom)] {
			if more, ok := unify(l.Atom, fact, by); ok {
				m.apply(rest, more, found)
			}
		}
	case gdl.Not:
		if !m.known[instance(l.Atom, by).String()] {
			m.apply(rest, by, found)
		}
	case gdl.Distinct, gdl.Equal:
		if same == (l.Op == gdl.Equal) {
			m.apply(rest, by, found)
		}
	}
}

// unify extends a substitution so that a term equals a ground term.
func unify(t, ground gdl.Term, by map[string]gdl.Term) (map[string]gdl.Term, bool) {
	if t.Kind == gdl.Variable {
		if known, ok := by[t.Name]; ok {
			return by, known.Equal(ground)
		}
		more := map[string]gdl.Term{t.Name: ground}
		for name, value := range by {
			more[name] = value
		}
		return more, true
	}
	if t.Name != ground.Name || len(t.Args) != len(ground.Args) {
		return by, false
	}
	var ok bool
	for i := range t.Args {
		if by, ok = unify(t.Args[i], ground.Args[i], by); !ok {
			return by, false
		}
	}
	return by, true
}

func instance(t gdl.Term, by map[string]gdl.Term) gdl.Term {
	if t.Kind == gdl.Variable {
		return by[t.Name]
	}
	out := gdl.Term{Kind: t.Kind, Name: t.Name}
	for _, a := range t.Args {
		out.Args = append(out.Args, instance(a, by))
	}
	return out
}

// about returns the last arguments of the facts of a relation that have the given first argument, if any, sorted.
func (m *model) about(relation string, arity int, first ...string) []string {
	list := []string{}
	for _, f := range m.facts[relation+"/"+string(rune('0'+arity))] {
		if len(first) == 0 || f.Args[0].String() == first[0] {
			list = append(list, f.Args[arity-1].String())
		}
	}
	slices.Sort(list)
	return list
}

// atoms applies a relation to terms given as text.
func atoms(t *testing.T, relation string, texts []string) (list []gdl.Term) {
	for _, text := range texts {
		term := must.Get(gdl.ParseTerm("(" + relation + "0 " + text + ")"))(t)
		term.Name = relation
		list = append(list, term)
	}
	return list
}

func TestTheProverAgreesWithTheStandardModel(t *testing.T) {
	for _, name := range []string{
		"ticTacToe", "biddingTicTacToe", "blocks", "2pttc", "majorities", "nim1", "blockerSerial",
	} {
		t.Run(name, func(t *testing.T) {
			g, rng := rules(t, string(corpus.Source(t, name))), rand.New(rand.NewPCG(1, 2))
			p := prover.New(g)
			var roles []string
			for _, r := range g.Roles {
				roles = append(roles, r.String())
			}
			want := modelOf(g, nil).about("init", 1)
			got, err := p.Initial(t.Context())
			for range 6 {
				if d := cmp.Diff(want, got); d != "" || err != nil {
					t.Fatalf("fluents, error %v, -model +prover:\n%s", err, d)
				}
				state := atoms(t, "true", got)
				m := modelOf(g, state)
				s := proved(t, p, roles, got)
				if s.Terminal != m.known["terminal"] {
					t.Fatalf("terminal: %t", s.Terminal)
				}
				var does, joint []string
				for i, r := range roles {
					if d := cmp.Diff(m.about("legal", 2, r), s.Legal[i]); d != "" {
						t.Fatalf("legal moves of %s, -model +prover:\n%s", r, d)
					}
					if goals := m.about("goal", 2, r); len(goals) == 1 && goals[0] != strconv.Itoa(s.Goals[i]) {
						t.Fatalf("goal %d of %s, want %v", s.Goals[i], r, goals)
					}
					if len(s.Legal[i]) > 0 {
						joint = append(joint, s.Legal[i][rng.IntN(len(s.Legal[i]))])
						does = append(does, r+" "+joint[i])
					}
				}
				if s.Terminal {
					break
				}
				want = modelOf(g, append(state, atoms(t, "does", does)...)).about("next", 1)
				got, err = p.Next(t.Context(), got, joint)
			}
		})
	}
}
