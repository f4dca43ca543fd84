package gdl_test

import (
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
)

func TestSeveralGoalsOfARoleMayMeet(t *testing.T) {
	for goals, several := range map[string]bool{
		"(<= (goal x 100) terminal)":                        false,
		"(goal x 100) (goal y 0)":                           false,
		"(goal x 100) (<= (goal x 100) terminal)":           false,
		"(goal x 100) (<= (goal x 0) terminal)":             true,
		"(goal x 100) (<= (goal ?r 0) (role ?r) terminal)":  true,
		"(<= (goal ?r 0) (role ?r) terminal) (goal x 100)":  true,
		"(goal x 0) (<= (goal y ?v) (true (score ?v)))":     true,
		"(goal x 0) (goal y 50) (<= (goal y 100) terminal)": true,
	} {
		g, _ := must.Get2(gdl.Load(t.Context(), "goals", []byte("(role x) (role y) (init (score 0)) (legal x a) (legal y a) (<= terminal (true (score 1))) "+goals)))(t)
		if got := g.MayHaveSeveralGoals(); got != several {
			t.Errorf("%s: %v", goals, got)
		}
	}
}
