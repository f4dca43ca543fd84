package gambit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/equilibrium"
	"stackmate/search/gambit"
)

// payoffs returns the equilibrium payoffs of the players of a machine.
func payoffs(t *testing.T, m machine.Machine) [2]float64 {
	t.Helper()
	found, err := equilibrium.New().Search(t.Context(), m, m.Initial(), search.Limits{NoLine: true})
	if err != nil || !found.Solved() {
		t.Fatalf("%+v, %v", found, err)
	}
	players := m.Names().Players()
	return [2]float64{found.Values[players[0]].Lower, found.Values[players[1]].Lower}
}

func TestATreeThatIsWrittenAndReadIsTheSameGame(t *testing.T) {
	chance := &toys.Tree{Roles: []string{"left", "right", machine.RandomRole}, Nodes: []toys.Node{
		{Moves: []int{2, 1, 3}, Kids: []int{1, 2, 2, 3, 3, 1}},
		{Goals: []int32{30, 20, 0}},
		{Goals: []int32{90, 0, 0}},
		{Moves: []int{1, 2, 1}, Kids: []int{1, 2}},
	}}
	chanceFirst := &toys.Tree{Roles: []string{machine.RandomRole, "left", "right"}, Nodes: []toys.Node{
		{Moves: []int{3, 2, 2}, Kids: []int{1, 2, 3, 4, 2, 3, 4, 1, 4, 4, 2, 1}},
		{Goals: []int32{0, 30, 20}},
		{Goals: []int32{0, 90, 0}},
		{Goals: []int32{0, 0, 70}},
		{Moves: []int{2, 1, 2}, Kids: []int{1, 2, 3, 3}},
	}}
	for name, m := range map[string]machine.Machine{
		"matchingPennies": gamestest.Machine(t, "matchingPennies"), "prisonersDilemma": gamestest.Machine(t, "prisonersDilemma"),
		"goofspiel-3": gamestest.Machine(t, "goofspiel-3"), "nim-1.2": gamestest.Machine(t, "nim-1.2"), "chance": chance.Machine(),
		"chanceFirst": chanceFirst.Machine(),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			must.OK(t, gambit.WriteTree(&b, name, m, m.Initial()))
			rules, err := gambit.Rules(b.String())
			if err != nil {
				t.Fatalf("%v in\n%s", err, b.String())
			}
			got, want := payoffs(t, gamestest.Compiled(t, rules)), payoffs(t, m)
			if math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 {
				t.Errorf("payoffs %v, want %v, in\n%s", got, want, b.String())
			}
		})
	}
}

func TestATreeTooLargeIsRefused(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-7")
	if err := gambit.WriteTree(new(strings.Builder), "", m, m.Initial()); err == nil || !strings.Contains(err.Error(), "more than 100000 nodes") {
		t.Errorf("%v", err)
	}
}

func TestAMatrixIsWrittenWithTheFirstPlayersStrategyFastest(t *testing.T) {
	m := toys.Bimatrix([][][2]int32{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}}).Machine()
	cells := [3][2][2]string{{{"1", "2"}, {"3", "4"}}, {{"5", "6"}, {"7", "8"}}, {{"9", "10"}, {"11", "12"}}}
	var b strings.Builder
	names := *m.Names()
	names.Moves = [][]string{{"up", "straight", "down"}, {"left", "right"}}
	err := gambit.WriteMatrix(&b, `a "game"`, &names, [][]machine.Move{{0, 1, 2}, {0, 1}}, func(i, j int) (string, string) {
		return cells[i][j][0], cells[i][j][1]
	})
	want := "NFG 1 R \"a 'game'\" { \"left\" \"right\" }\n{ { \"up\" \"straight\" \"down\" }\n{ \"left\" \"right\" } }\n\"\"\n\n1 2 5 6 9 10 3 4 7 8 11 12 \n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), want)
	}
	rules := must.Get(gambit.Rules(b.String()))(t)
	if got := payoffs(t, gamestest.Compiled(t, rules)); got != [2]float64{11, 12} {
		t.Errorf("payoffs %v", got)
	}
}

func TestLabelsWithQuotesAndBackslashesAreRead(t *testing.T) {
	m := gamestest.Compiled(t, `(role x\) (role o) (init (s 0))
(<= (legal x\ a\q) (true (s 0))) (<= (legal x\ "b") (true (s 0))) (<= (legal x\ c\) (true (s 0)))
(<= (legal o d\\) (true (s 0))) (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1))) (goal x\ 40) (goal o 60)`)
	var b strings.Builder
	must.OK(t, gambit.WriteTree(&b, `C:\"x"\`, m, m.Initial()))
	if want := `p "" 1 1 "" { "'b'" "a/q" "c/" } 0`; !strings.Contains(b.String(), want) || strings.Contains(b.String(), `\`) {
		t.Errorf("%s, want %s", b.String(), want)
	}
	if got := payoffs(t, gamestest.Compiled(t, must.Get(gambit.Rules(b.String()))(t))); got != [2]float64{40, 60} {
		t.Errorf("payoffs %v", got)
	}
	const texts = `NFG 1 R "C:\dir\new \"of
two lines \x" { "A\"B\"" "\q" } { { "a\\b" "\"a" } { "" } } "" 1 2 3 4`
	rules := must.Get(gambit.Rules(texts))(t)
	names := gamestest.Compiled(t, rules).Names()
	if want := []string{"A_B_", "_q"}; !slices.Equal(names.Roles, want) || !slices.Contains(names.Moves[0], "a__b") {
		t.Errorf("roles %v, want %v; moves %v", names.Roles, want, names.Moves)
	}
	if _, err := gambit.Rules("NFG 1 R\n\"a\\\"\n{ }"); err == nil || err.Error() != "line 2: expected a quote at the end of the text, found none" {
		t.Error(err)
	}
}

func TestFilesOfOthersAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want [2]float64
	}{
		"payoffs and sizes":        {`NFG 1 R "pd" { "A" "B" } { 2 2 }  3 3 5 0 0 5 1 1`, [2]float64{1, 1}},
		"outcomes":                 {`NFG 1 R "" { "A" "B" } { { "x" "y" } { "x" "y" } } "words" { { "" 3, 3 } { "" 5, 0 } { "" 0, 5 } { "" 1, 1 } } 1 2 3 4`, [2]float64{1, 1}},
		"scaled, zero sum":         {`NFG 1 R "" { "A" "B" } { 2 2 } 1/2 -1/2 -1/2 1/2 -1/2 1/2 1/2 -1/2`, [2]float64{0.5, 0.5}},
		"leading zeros":            {`NFG 1 R "" { "A" "B" } { 1 2 } 010/1 010 08 +09/003`, [2]float64{10, 10}},
		"decimals":                 {`NFG 1 R "" { "A" "B" } { 1 2 } 2.5e1 1E+1 5. .0`, [2]float64{25, 10}},
		"an action never drawn":    {`EFG 2 R "" { "A" "B" } c "" 1 { "a" 0 "b" 1 } 0 t "" 1 { 1, 2 } t "" 2 { 3, 4 }`, [2]float64{3, 4}},
		"numbers with zeros":       {`EFG 2 R "" { "A" "B" } p "" 01 1 { "a" "b" } 0 p "" 2 2 { "l" "r" } 0 t "" 01 { 4, 3 } t "" 1 p "" 2 02 { "l" "r" } 0 t "" 1 t "" 00`, [2]float64{4, 3}},
		"one decides after chance": {`EFG 2 R "" { "A" "B" } "" c "" 1 "" { "l" 1/4 "r" 3/4 } 0 p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 10, 0 } t "" 2 "" { 20, 4 } t "" 3 "" { 40, 8 }`, [2]float64{35, 7}},
		"an outcome again":         {`EFG 2 R "" { "A" "B" } p "" 2 1 "" { "a" "b" } 0 t "" 1 "" { 10, 5 } t "" 1`, [2]float64{10, 5}},
		"at once, second first":    {`EFG 2 R "" { "A" "B" } p "" 2 1 "" { "l" "r" } 0 p "" 1 1 "" { "u" "d" } 0 t "" 1 "" { 0, 3 } t "" 2 "" { 2, 1 } p "" 1 1 "" { "u" "d" } 0 t "" 3 "" { 9, 9 } t "" 4 "" { 0, 0 }`, [2]float64{9, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			rules := must.Get(gambit.Rules(c.src))(t)
			if got := payoffs(t, gamestest.Compiled(t, rules)); got != c.want {
				t.Errorf("payoffs %v, want %v, in\n%s", got, c.want, rules)
			}
		})
	}
}

func TestLikelierActionsOfChanceAreSeveralNumberedMoves(t *testing.T) {
	for src, want := range map[string][]string{
		`"l" 1/3 "r" 2/3`:           {"l", "r_1", "r_2"},
		`"r" 2/3 "r_1" 1/3`:         {"r_1", "r_1_3", "r_2"}, // no lot has the name of another action
		`"r_1" 1/4 "r" 1/2 "r" 1/4`: {"r", "r_1", "r_1_2", "r_2"},
	} {
		ends := strings.Repeat(`t "" 1 "" { 100, 0 } `, strings.Count(src, "/"))
		rules := must.Get(gambit.Rules(`EFG 2 R "" { "A" "B" } c "" 1 "" { ` + src + ` } 0 ` + ends))(t)
		names := gamestest.Compiled(t, rules).Names()
		if got := slices.Sorted(slices.Values(names.Moves[names.Chance()])); !slices.Equal(got, want) {
			t.Errorf("%s: moves of chance %v, want %v", src, got, want)
		}
	}
}

func TestPayoffsWithAConstantSumAreGoalsWithAConstantSum(t *testing.T) {
	for cells, want := range map[string]int{
		"4 -4  0 0  2 -2  4 -4":             2, // the payoffs of A alone would be goals as they are
		"0 120  30 90  60 60  120 0":        4,
		"1/3 2/3  1/2 1/2  1/4 3/4  0 1":    6,
		"0 100  30 70  60 40  100 0":        100,
		"0 0  1 -10  2 -20  4 -40":          4, // with a unit of its own for each player
		"7 -7  7 -7  7 -7  7 -7":            0,
		"100 -1  50 49  98 1  0 99":         50,
		"-50.5 50.5  0 0  50.5 -50.5  0 0":  2,
		"1000000 0  0 1000000  0 1e6 0 1e6": 1,
	} {
		rules := must.Get(gambit.Rules(`NFG 1 R "" { "A" "B" } { 2 2 } ` + cells))(t)
		m, e := gamestest.Compiled(t, rules), new(play.Expansion)
		must.OK(t, play.NewExpander(m).Expand(e, m.Initial()))
		for c := range e.Children {
			if goals := e.ChildGoals(c); int(goals[0]+goals[1]) != want {
				t.Errorf("%s: goals %v after %d, want the sum %d, in\n%s", cells, goals, c, want, rules)
			}
		}
	}
}

func TestPlayersAndMovesMayHaveNamesOfTheRuleLanguage(t *testing.T) {
	for label, want := range map[string][]string{
		"random": {"random_1", "random_1_2"}, "Random": {"Random_1", "random_1"}, "(RANDOM)": {"RANDOM_1", "random_1"}, // else chance
		"does": {"does", "random_1"}, "role": {"role", "random_1"}, "true": {"true", "random_1"}, "not": {"not", "random_1"},
		"or": {"or", "random_1"}, "distinct": {"distinct", "random_1"}, "terminal": {"terminal", "random_1"},
		"at": {"at", "random_1"}, "nil": {"nil", "random_1"}, "1": {"1", "random_1"}, "01": {"01", "random_1"}, "?r": {"_r", "random_1"},
	} {
		src := fmt.Sprintf(`NFG 1 R "" { %[1]q "random_1" } { { %[1]q "noop" } { "l" %[1]q } } 100 0 0 100 0 100 100 0`, label)
		m := gamestest.Compiled(t, must.Get(gambit.Rules(src))(t))
		names := m.Names()
		if !slices.Equal(names.Roles, want) || len(names.Players()) != 2 || len(names.Moves[0]) != 2 || len(names.Moves[1]) != 2 {
			t.Errorf("%s: roles %v, want %v; moves %v", label, names.Roles, want, names.Moves)
		} else if got := payoffs(t, m); got != [2]float64{50, 50} {
			t.Errorf("%s: payoffs %v", label, got)
		}
	}
}

func TestFaultsOfFilesAreNamedWithTheirLine(t *testing.T) {
	for src, want := range map[string]string{
		"":                              "line 1: expected a word",
		"GIF 89 a \"\" { \"A\" \"B\" }": "expected a file that begins with NFG or EFG, found GIF",
		"NFG 1 R \"\" { \"A\" }\n{ 2 }": "line 1: expected two players, found 1",
		"NFG 1 R \"\" { \"A\" \"B\" } { 2 2 }\n1 2 3":                                                                                 "line 2: expected a number",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } 1 2 3":                                                                                  "expected the end of the file, found 3",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 3 } 0 0 1 0 1000 0":                                                                         "the payoffs of A: expected payoffs that are goals from 0 to 100 after shifting and scaling, found 1000 steps of 1 from 0 to 1000",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } { { \"\" 1, 2 } } 2":                                                                    `expected an outcome from 0 to 1, found "2"`,
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } 1e999999999 0":                                                                          "expected a number",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } 0x1 0":                                                                                  "expected a number such as 3, -1, 0.25 or 1/3, found \"0x1\"",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } 0\n1/0\n":                                                                               "line 2: expected a denominator other than 0, found \"1/0\"",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } 1/2/3 0":                                                                                "expected a number such as 3, -1, 0.25 or 1/3, found \"1/2/3\"",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1/2 } 0 0":                                                                                  "expected a number of strategies from 1 to 65536, found \"1/2\"",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 } { { \"\" 1, 2 } } 18446744073709551616":                                                 "expected an outcome from 0 to 1, found \"18446744073709551616\"",
		"EFG 2 R \"\" { \"A\" \"B\" } p \"\" 1/2 1 { \"a\" } 0 t \"\" 0":                                                              "expected a player from 1 to 2, found \"1/2\"",
		"EFG 2 R \"\" { \"A\" \"B\" } p \"\" 18446744073709551617 1 { \"a\" } 0 t \"\" 0":                                             "expected a player from 1 to 2",
		"EFG 2 R \"\" { \"A\" \"B\" }\nc \"\" 1 { \"a\" -1/2\n\"b\" 3/2 } 0 t \"\" 0 t \"\" 0":                                        "line 2: expected a probability from 0 to 1, found -1/2",
		"EFG 2 R \"\" { \"A\" \"B\" }\nc \"\" 1 { \"a\" 1/2\n\"b\" 2/3 } 0 t \"\" 0 t \"\" 0":                                         "line 2: expected probabilities that add up to 1, found 7/6",
		"NFG 1 R \"\" { \"A\" \"B\" } { 4000 4000 }":                                                                                  "expected strategies of both players and at most 65536 cells, found 4000 × 4000",
		"EFG 2 R \"\" { \"A\" \"B\" } " + strings.Repeat("c \"\" 1 { \"a\" 1/360 \"b\" 359/360 } 0 t \"\" 0\n", 5) + "t \"\" 0":       "the tree is too large: more than 100000 positions",
		"EFG 2 R \"\" { \"A\" \"B\" } x \"\"":                                                                                         "expected a node that begins with c, p or t, found x",
		"EFG 2 R \"\" { \"A\" \"B\" } p \"\" 3 1 { }":                                                                                 `expected a player from 1 to 2, found "3"`,
		"NFG 1 R \"\" { \"A\" \"B\" }\n{ { } { \"a\" } }\n":                                                                           "line 2: expected strategies of both players and at most 65536 cells, found 0 × 1",
		"NFG 1 R \"\" { \"A\" \"B\" } { 1 1 }\n{ { \"\" 1, 2, 3 }\n} 1":                                                               "line 2: expected the payoffs of two players, found 3",
		"EFG 2 R \"\" { \"A\" \"B\" } p \"\" 1 1 { \"a\" \"b\" } 0 t \"\" 1 { 1, 2 }\nt \"\" 1 { 1, 3 }\n":                            "line 2: expected equal payoffs at all uses of outcome 1",
		"EFG 2 R \"\" { \"A\" \"B\" }\nt \"\" 0 { 1, 2 }\n":                                                                           "line 2: expected equal payoffs at all uses of outcome 0, and none at outcome 0",
		"EFG 2 R \"\" { \"A\" \"B\" }\np \"\" 1 1 { \"a\" } 1 { 1, 2 }\nt \"\" 1":                                                     "line 2: expected outcome 0 at a node that is no end, found payoffs",
		"EFG 2 R \"\" { \"A\" \"B\" } t \"\" 1":                                                                                       "outcome 1 has no payoffs",
		"EFG 2 R \"\" { \"A\" \"B\" } c \"\" 1 { \"a\" 1/3 } 0 t \"\" 0":                                                              "expected probabilities that add up to 1, found 1/3",
		"EFG 2 R \"\" { \"A\" \"B\" } p \"\" 1 1 { \"a\" \"b\" } 0\np \"\" 1 2 { \"c\" } 0 t \"\" 0\np \"\" 1 2 { \"c\" } 0 t \"\" 0": "line 2: expected information sets of one node",
	} {
		if _, err := gambit.Rules(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

func TestActionsAreTheSameInAllNodesOfAnInformationSet(t *testing.T) {
	const player, chance = "p \"\" 2 1 \"\" { %s } 0\n", "c \"\" 7 \"\" { %s } 0\n"
	for name, c := range map[string]struct{ kind, first, other, want string }{
		"fewer":         {player, `"l" "r"`, `"l"`, `line 5: expected the actions ["l" "r"] in this order, as in line 2 for the same information set, found ["l"]`},
		"more":          {player, `"l"`, `"l" "r"`, `line 4: expected the actions ["l"] in this order, as in line 2 for the same information set, found ["l" "r"]`},
		"another order": {player, `"l" "r"`, `"r" "l"`, `line 5: expected the actions ["l" "r"] in this order, as in line 2 for the same information set, found ["r" "l"]`},
		"chance":        {chance, `"l" 1/2 "r" 1/2`, `"l" 1/3 "r" 2/3`, "line 5: expected the probabilities of line 2 for the same information set, found others"},
		"equal":         {player, `"l" "r"`, `"l" "r"`, ""},
		"equal chance":  {chance, `"l" 1/2 "r" 1/2`, `"l" 2/4 "r" .5`, ""},
	} {
		src := "EFG 2 R \"\" { \"A\" \"B\" } p \"\" 1 1 { \"u\" \"d\" } 0\n"
		for _, actions := range []string{c.first, c.other} {
			src += fmt.Sprintf(c.kind, actions) + strings.Repeat("t \"\" 1 \"\" { 1, 2 }\n", strings.Count(actions, "\"")/2)
		}
		if _, err := gambit.Rules(src); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzRules(f *testing.F) {
	f.Add(`EFG 2 R "" { "A" "B" } c "" 1 "" { "l" 1/4 "r" 3/4 } 0 p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 10, 0 } t "" 2 "" { 20, 4 } t "" 3 "" { 40, 8 }`)
	f.Add(`NFG 1 R "" { "A" "B" } { 2 2 } 1/2 -1/2 -1/2 1/2 -1/2 1/2 1/2 -1/2`)
	f.Fuzz(func(t *testing.T, src string) {
		rules, err := gambit.Rules(src)
		if (rules == "") != (err != nil) {
			t.Errorf("%q, %v", rules, err)
		}
	})
}

// drawnTree appends the nodes of a tree of turns and chance to b, and returns the value for the first player. The sum of payoffs is 100.
func drawnTree(t *rapid.T, b *strings.Builder, depth int) (value float64) {
	number := strings.Count(b.String(), "\n") // of the outcome or the information set
	player := rapid.IntRange(0, 3).Draw(t, "player")
	if depth == 0 || player == 3 {
		payoff := rapid.IntRange(0, 100).Draw(t, "payoff")
		fmt.Fprintf(b, "t \"\" %d { %d, %d }\n", number, payoff, 100-payoff)
		return float64(payoff)
	}
	labels := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a_1", "a_2", "a_1_2", "random", "noop", "1", "", `\q`, `\"`}), 1, 3).Draw(t, "labels")
	weights, total := make([]int, len(labels)), 0
	for i := range weights {
		weights[i] = rapid.IntRange(1, 3).Draw(t, "weight")
		total += weights[i]
	}
	fmt.Fprintf(b, [...]string{`c "" %d {`, `p "" 1 %d {`, `p "" 2 %d {`}[player], number)
	for i, label := range labels {
		fmt.Fprintf(b, ` "%s"`, label)
		if player == 0 {
			fmt.Fprintf(b, " %d/%d", weights[i], total)
		}
	}
	b.WriteString(" } 0\n")
	for i, weight := range weights {
		switch v := drawnTree(t, b, depth-1); {
		case player == 0:
			value += v * float64(weight) / float64(total)
		case i == 0 || (player == 1) == (v > value):
			value = v
		}
	}
	return value
}

func TestDrawnTreesHaveTheirValues(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		var b strings.Builder
		b.WriteString("EFG 2 R \"\" { \"random\" \"Random\" }\n")
		want := drawnTree(draw, &b, 3)
		m := gamestest.Compiled(t, must.Get(gambit.Rules(b.String()))(t))
		if got := payoffs(t, m); math.Abs(got[0]-want) > 1e-9 || math.Abs(got[0]+got[1]-100) > 1e-9 {
			draw.Errorf("payoffs %v, want %v for the first player, in\n%s", got, want, b.String())
		}
		var again strings.Builder
		must.OK(t, gambit.WriteTree(&again, "", m, m.Initial()))
		if got := payoffs(t, gamestest.Compiled(t, must.Get(gambit.Rules(again.String()))(t))); math.Abs(got[0]-want) > 1e-9 {
			draw.Errorf("payoffs %v of the tree that is written, want %v, in\n%s", got, want, again.String())
		}
	})
}
