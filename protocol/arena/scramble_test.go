package arena

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
)

func TestScramblingHidesTheWordsOfTheGame(t *testing.T) {
	m := builtIn(t, "pig-6-2")
	s := quick
	s.Scramble = true
	red, blue := &compiling{t: t}, &compiling{t: t}
	r := playMatch(t, m, s, in("a", red), in("b", blue))
	verify(t, m, r)
	own := make(map[string]bool)
	for _, w := range words(RulesText(m.game)) {
		own[w] = true
	}
	for _, w := range red.words {
		if _, err := strconv.Atoi(w); own[w] && gdl.Keyword(w) == "" && err != nil {
			t.Errorf("the word %s of the game was shown", w)
		}
	}
}

// words returns the symbols of a rulesheet.
func words(rules string) []string {
	all := strings.FieldsFunc(rules, func(c rune) bool { return strings.ContainsRune("() \n", c) })
	return slices.DeleteFunc(all, gdl.IsVariable)
}

func TestScrambledTermsComeBackInAnyCase(t *testing.T) {
	g := game(t, choosing)
	s, _ := must.Get2(scramble(t.Context(), g, machine.NewRand(1)))(t)
	for _, text := range []string{"pass", "(say Yes)", "(round 1)", "Left", "(says unheard)"} {
		there := s.there(term(t, text))
		if got := s.back(there).String(); got != text {
			t.Errorf("%s became %s and came back as %s", text, there, got)
		}
		upper := term(t, strings.ToUpper(there.String()))
		if got := s.back(upper).String(); got != text && text != "(says unheard)" {
			t.Errorf("%s came back as %s", upper, got)
		}
	}
}

func TestRulesKeepTheirMeaningOnTheWire(t *testing.T) {
	for _, f := range games.Families() {
		_, src := must.Get2(games.Source(f.Name()))(t)
		sameRules(t, f.Name(), src)
	}
}

func TestRulesOfTheCorpusKeepTheirMeaningOnTheWire(t *testing.T) {
	for i, sheet := range corpus.Rulesheets(t) {
		if i%10 != 0 && !exhaustive.On() {
			continue
		}
		sameRules(t, sheet.Name, corpus.Source(t, sheet.Name))
	}
}

// A relation may have the name of a comment of another language.
func TestFactsOnTheWireAreNoComments(t *testing.T) {
	sameRules(t, "facts", []byte("(role p) (#) (//a) (% 1) (init s) (<= (legal p m) # //a) (goal p 0) (<= terminal (% ?n))"))
}

// sameRules checks that a game read from its own text is the same game.
func sameRules(t *testing.T, name string, src []byte) {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), name, src)
	if err != nil {
		t.Logf("%s is not valid", name)
		return
	}
	again, _, err := gdl.Load(t.Context(), name, []byte(RulesText(g)))
	if err != nil {
		t.Errorf("%s cannot be read from the wire: %v", name, err)
		return
	}
	if a, b := RulesText(g), RulesText(again); a != b {
		t.Errorf("%s changes on the wire (-sent +read):\n%s", name, cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
}
