package layers_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/certify"
	"stackmate/search/layers"
	"stackmate/search/simultaneous"
)

// tolerance is the error of values, in goal points.
const tolerance = 1e-6

// induction returns backward induction, position by position.
func induction(t *testing.T) search.Searcher {
	return must.Get(simultaneous.New(simultaneous.Config{Method: simultaneous.BackwardInduction, Table: true}))(t)
}

// compare compares the results of two searches in positions of random games.
func compare(t *testing.T, m machine.Machine, s, oracle search.Searcher) {
	t.Helper()
	x, rng := play.NewExpander(m), machine.NewRand(1)
	for range 20 {
		for q := slices.Clone(m.Initial()); ; {
			if over, _ := x.Look(q); over {
				break
			}
			got, want := solved(t, s, m, q, search.Limits{}), solved(t, oracle, m, q, search.Limits{})
			if math.Abs(got.Values[0].Lower-want.Values[0].Lower) > tolerance || !got.Solved() {
				t.Fatalf("%v: values %v, want %v", m.Names().AppendFluents(nil, q), got.Values, want.Values)
			}
			var e play.Expansion
			must.OK(t, x.Expand(&e, q))
			q = slices.Clone(e.Child(rng.Intn(e.Children)))
		}
	}
}

func solved(t *testing.T, s search.Searcher, m machine.Machine, q machine.State, lim search.Limits) search.Result {
	t.Helper()
	return must.Get(s.Search(t.Context(), m, q, lim))(t)
}

func TestValuesAreThoseOfBackwardInductionAndCertified(t *testing.T) {
	games := []string{
		"goofspielPoints-4", "goofspiel-4-1.3.4.2", "pursuit-4x4-3", "rockPaperScissorsMatch-2", "matchingPennies", "pig-8-2", "liarsBid-3", "nim-2.3.4",
		"biddingTicTacToe-1",
	}
	for _, game := range exhaustive.Choose(games, append(games, "goofspiel-5", "biddingTicTacToe-2", "oshiZumo-12-2", "tron-4x4", "ticTacToe", "connectFour-4x4", "reversi-4x4")) {
		t.Run(game, func(t *testing.T) {
			m := gamestest.Machine(t, game)
			s := layers.New(layers.Config{})
			compare(t, m, s, induction(t))
			c, err := certify.Check(t.Context(), m, m.Initial(), certify.Search{Machine: m, Searcher: s, Limits: search.Limits{NoLine: true}}, certify.Limits{})
			if err != nil || !c.Certified() {
				t.Errorf("not certified: %+v, %v", c, err)
			}
		})
	}
}

func TestAPuzzleIsSolvedWithALine(t *testing.T) {
	m := gamestest.Machine(t, "slidingPuzzle-2x2-6")
	r := solved(t, layers.New(layers.Config{}), m, m.Initial(), search.Limits{})
	if r.Values[0] != search.Exact(100) || len(r.Line) == 0 {
		t.Errorf("values %v, line %v; want 100 with a line", r.Values, r.Line)
	}
}

// Positions of these games are single fluents without structure, so few of them fit the guessed packing.
func TestRandomGamesAreSolved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &toys.Tree{Roles: []string{"left", "right"}}
		positions := rapid.IntRange(2, 40).Draw(rt, "positions")
		for at := range positions {
			goal := int32(rapid.IntRange(0, 4).Draw(rt, "goal") * 25)
			node := toys.Node{Goals: []int32{goal, 100 - goal}}
			if at > 0 && (at == positions-1 || rapid.IntRange(0, 3).Draw(rt, "goes on") > 0) {
				node = toys.Node{Moves: []int{rapid.IntRange(1, 3).Draw(rt, "rows"), rapid.IntRange(1, 3).Draw(rt, "columns")}}
				for range node.Moves[0] * node.Moves[1] {
					node.Kids = append(node.Kids, rapid.IntRange(0, at-1).Draw(rt, "child"))
				}
			}
			g.Nodes = append(g.Nodes, node)
		}
		reverse(g)
		m := g.Machine()
		got, want := solved(t, layers.New(layers.Config{}), m, m.Initial(), search.Limits{}), solved(t, induction(t), m, m.Initial(), search.Limits{})
		if math.Abs(got.Values[0].Lower-want.Values[0].Lower) > tolerance || !got.Solved() {
			rt.Fatalf("values %v, want %v", got.Values, want.Values)
		}
	})
}

// reverse numbers the positions from the other end, so that the last one comes first.
func reverse(g *toys.Tree) {
	slices.Reverse(g.Nodes)
	for _, n := range g.Nodes {
		for c := range n.Kids {
			n.Kids[c] = len(g.Nodes) - 1 - n.Kids[c]
		}
	}
}

// tiles is a game whose first position has images, by symmetries of the board and of the tiles, that differ in more than 64 digits.
const tiles = `
	(role player)
	(init (cell y3 x4 blank))
	(init (cell y4 x1 tile5))
	(init (cell y4 x2 tile6))
	(init (cell y4 x3 tile7))
	(init (cell y4 x4 tile8))
	(init (cell y5 x1 tile5))
	(init (cell y5 x4 tile8))
	(direction north)
	(direction east)
	(direction south)
	(direction west)
	(column x1)
	(column x2)
	(column x3)
	(column x4)
	(row y2)
	(row y3)
	(row y4)
	(row y5)
	(right x1 x2)
	(right x2 x3)
	(right x3 x4)
	(below y2 y3)
	(below y3 y4)
	(below y4 y5)
	(<= (beside ?y ?x north ?z ?x) (column ?x) (below ?z ?y))
	(<= (beside ?y ?x south ?z ?x) (column ?x) (below ?y ?z))
	(<= (beside ?y ?x east ?y ?z) (right ?x ?z) (row ?y))
	(<= (beside ?y ?x west ?y ?z) (right ?z ?x) (row ?y))
	(<= (legal player (move ?t ?d)) (true (cell ?y ?x ?t)) (distinct ?t blank) (direction ?d))
	(<= (next (cell ?v ?w ?u)) (does player (move ?t ?d)) (true (cell ?y ?x ?t)) (beside ?y ?x ?d ?v ?w) (true (cell ?y ?x ?u)))
	(goal player 0)
	(<= terminal (true (step 81)))`

func TestGamesWithoutLayersAreRefusedInWords(t *testing.T) {
	circle := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Moves: []int{1, 1}, Kids: []int{0}}, {Goals: []int32{100, 0}},
	}}
	wide := "do not fit into 64 bits"
	for _, c := range []struct {
		name, reason string
		machine      machine.Machine
	}{
		{"a circle", "positions repeat", circle.Machine()},
		{"hex-9x9", wide, gamestest.Machine(t, "hex-9x9")},
		{"tiles", wide, gamestest.Compiled(t, tiles)},
	} {
		r := solved(t, layers.New(layers.Config{}), c.machine, c.machine.Initial(), search.Limits{})
		if r.Unfinished == nil || !strings.Contains(r.Unfinished.Error(), c.reason) || r.Solved() {
			t.Errorf("%s: unfinished: %v, want that %s", c.name, r.Unfinished, c.reason)
		}
	}
	unfair := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{100, 50}}, {Goals: []int32{100, 0}},
	}}
	m := unfair.Machine()
	if _, err := layers.New(layers.Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotZeroSum) {
		t.Errorf("error %v, want %v", err, search.ErrNotZeroSum)
	}
}

// inFolder returns a search that keeps its layers in a folder.
func inFolder(folder string, threads int, resume bool) *layers.Searcher {
	return layers.New(layers.Config{Threads: threads, Folder: folder, Resume: resume, Label: book.Label{Rules: "digest"}})
}

func TestMemoryIsBoundedAndAFolderTakesLess(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-8")
	const most = 1300 << 10
	r := solved(t, layers.New(layers.Config{}), m, m.Initial(), search.Limits{MaxBytes: most})
	if !errors.Is(r.Unfinished, search.ErrMemory) {
		t.Errorf("in memory: unfinished: %v, want %v", r.Unfinished, search.ErrMemory)
	}
	r = solved(t, inFolder(t.TempDir(), 1, false), m, m.Initial(), search.Limits{MaxBytes: most, NoLine: true})
	if !r.Solved() || r.PeakBytes > most || r.PeakBytes < most/8 {
		t.Errorf("in a folder: %v with %d bytes, want a solution with at most %d", r.Values, r.PeakBytes, most)
	}
}

func TestFilesDoNotDependOnTheNumberOfThreads(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-7")
	one, three := t.TempDir(), t.TempDir()
	solved(t, inFolder(one, 1, false), m, m.Initial(), search.Limits{})
	solved(t, inFolder(three, 3, false), m, m.Initial(), search.Limits{})
	for _, file := range files(t, one) {
		if !bytes.Equal(content(t, one, file), content(t, three, file)) {
			t.Errorf("%s differs", file)
		}
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		t.Fatal(len(entries), err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func content(t *testing.T, folder, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(folder, file)))(t)
}

func TestDamagedFilesAreRefusedAndMadeAnew(t *testing.T) {
	m := gamestest.Machine(t, exhaustive.Choose("goofspiel-4", "goofspiel-5"))
	folder := t.TempDir()
	solved(t, inFolder(folder, 1, false), m, m.Initial(), search.Limits{})
	damages := map[string]func(data []byte) []byte{
		"truncated": func(data []byte) []byte { return data[:len(data)/2] },
		"emptied":   func([]byte) []byte { return nil },
		"altered":   func(data []byte) []byte { data[len(data)/2] ^= 4; return data },
	}
	for _, file := range files(t, folder) {
		if file == "layers.json" {
			continue
		}
		for damage, do := range damages {
			damaged := t.TempDir()
			must.OK(t, os.CopyFS(damaged, os.DirFS(folder)))
			must.OK(t, os.WriteFile(filepath.Join(damaged, file), do(content(t, folder, file)), 0o600))
			if s, err := layers.Open(damaged, m, "digest", 0); err == nil {
				c, err := certify.Check(t.Context(), m, m.Initial(), s, certify.Limits{})
				said := err != nil && strings.Contains(err.Error(), "damaged") && strings.Contains(err.Error(), file)
				if !said && !c.Certified() { // nobody needs the values of the first layer, nor the last layer
					t.Errorf("%s %s: error %v, want that %s is damaged", file, damage, err, file)
				}
			}
			if r := solved(t, inFolder(damaged, 1, true), m, m.Initial(), search.Limits{}); !r.Solved() || r.Nodes == 0 {
				t.Errorf("%s %s: %v after %d positions, want a solution that is made anew", file, damage, r.Values, r.Nodes)
			}
			for _, f := range files(t, folder) {
				if !bytes.Equal(content(t, folder, f), content(t, damaged, f)) {
					t.Errorf("%s %s: %s is not what it was", file, damage, f)
				}
			}
		}
	}
}

func TestValuesOfAnotherLayerAreRefusedAndMadeAnew(t *testing.T) {
	m, folder := gamestest.Machine(t, "goofspiel-4"), t.TempDir()
	want := solved(t, inFolder(folder, 1, false), m, m.Initial(), search.Limits{})
	right := content(t, folder, "1.values.0")
	must.OK(t, os.WriteFile(filepath.Join(folder, "1.values.0"), content(t, folder, "2.values.0"), 0o600))
	must.OK(t, os.Remove(filepath.Join(folder, "0.values.0")))
	r := solved(t, inFolder(folder, 1, true), m, m.Initial(), search.Limits{})
	if r.Values[0] != want.Values[0] || !bytes.Equal(content(t, folder, "1.values.0"), right) {
		t.Errorf("values of layer 2 taken for layer 1: %v, want %v", r.Values[0], want.Values[0])
	}
}

func TestASearchThatEndsGoesOnWhereItWas(t *testing.T) {
	m := gamestest.Machine(t, exhaustive.Choose("goofspiel-5", "goofspiel-6"))
	whole := t.TempDir()
	all := solved(t, inFolder(whole, 1, false), m, m.Initial(), search.Limits{})
	for pass := int64(1); ; pass *= 3 {
		folder := t.TempDir()
		before := search.Result{}
		after := toys.PassesAfterEnd(m, pass, func(ctx context.Context, m machine.Machine) {
			var err error
			if before, err = inFolder(folder, 1, false).Search(ctx, m, m.Initial(), search.Limits{}); err != nil {
				t.Error(err)
			}
		})
		if after < 0 {
			return
		}
		if before.Solved() {
			t.Errorf("solved, though it ended with pass %d", pass)
		}
		r := solved(t, inFolder(folder, 1, true), m, m.Initial(), search.Limits{})
		if !r.Solved() || before.Nodes+r.Nodes != all.Nodes {
			t.Errorf("ended with pass %d: %d positions solved before and %d afterwards, want %d in all", pass, before.Nodes, r.Nodes, all.Nodes)
		}
	}
}

// off is a solution that claims a point too much.
type off struct{ search.Solution }

func (s off) At(ctx context.Context, q machine.State) (search.Claim, error) {
	claim, err := s.Solution.At(ctx, q)
	claim.Value++
	return claim, err
}

func TestAFolderIsASolution(t *testing.T) {
	for _, game := range []string{"goofspiel-5", exhaustive.Choose("biddingTicTacToe-1", "biddingTicTacToe-2"), "pig-8-2"} {
		m := gamestest.Machine(t, game)
		folder := t.TempDir()
		solved(t, inFolder(folder, 2, false), m, m.Initial(), search.Limits{})
		s := must.Get(layers.Open(folder, m, "digest", 1<<20))(t)
		c, err := certify.Check(t.Context(), m, m.Initial(), s, certify.Limits{})
		if err != nil || !c.Certified() {
			t.Errorf("%s: not certified: %+v, %v", game, c, err)
		}
		one, err1 := certify.Check(t.Context(), m, m.Initial(), s, certify.Limits{Draws: 3000, Seed: 1})
		three, err3 := certify.Check(t.Context(), m, m.Initial(), s, certify.Limits{Draws: 3000, Seed: 1, Threads: 3})
		if err := errors.Join(err1, err3); err != nil || one.Faults > 0 || one.Positions < 20 || one != three {
			t.Errorf("%s: drawn by one thread %+v, by three %+v, %v", game, one, three, err)
		}
		wrong, err := certify.Check(t.Context(), m, m.Initial(), off{s}, certify.Limits{Draws: 3000, Seed: 1, Threads: 3})
		if err != nil || wrong.Faults == 0 || wrong.First == nil {
			t.Errorf("%s: values that are wrong by a point have no fault: %+v, %v", game, wrong, err)
		}
		if _, err := layers.Open(folder, m, "other digest", 0); err == nil || !strings.Contains(err.Error(), "these rules") {
			t.Errorf("other rules: error %v", err)
		}
		if _, err := inFolder(folder, 1, false).Search(t.Context(), m, m.Initial(), search.Limits{}); err == nil || !strings.Contains(err.Error(), "--resume") {
			t.Errorf("a folder that holds layers is written to: error %v", err)
		}
		older := bytes.Replace(content(t, folder, "layers.json"), []byte(`"version":3`), []byte(`"version":2`), 1)
		must.OK(t, os.WriteFile(filepath.Join(folder, "layers.json"), older, 0o600))
		if _, err := layers.Open(folder, m, "digest", 0); err == nil || !strings.Contains(err.Error(), "version 3 of the format, found 2") {
			t.Errorf("an older folder: error %v", err)
		}
	}
}
