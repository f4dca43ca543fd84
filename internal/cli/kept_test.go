package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/search/solve"
)

func TestAMethodThatKeepsNoProofsIsNamed(t *testing.T) {
	const warning = "method smab keeps no proofs of an unfinished search; methods bab and dfs do"
	path := filepath.Join(t.TempDir(), "ten")
	o := execute(t, "solve", "goofspiel-10", "--save", path, "--time", "50ms")
	if o.expect(t, statusBad, path+".proofs", warning); strings.Count(o.err, warning) != 1 {
		t.Errorf("not one warning: %s", o.err)
	}
	execute(t, "solve", "goofspiel-3", "--save", path, "--resume").expect(t, statusBad, "--resume: "+warning)
	o = execute(t, "solve", "connectFour", "--save", path, "--time", "50ms")
	if o.expect(t, statusBad, "proofs saved in "+path+".proofs"); strings.Contains(o.err, "keeps no proofs") {
		t.Errorf("a warning: %s", o.err)
	}
	if o = execute(t, "solve", "goofspiel-3"); o.err != "" {
		t.Errorf("without --save: %s", o.err)
	}
}

func TestASearchGoesOnWithWhatWasKeptWhateverItsMemory(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for whole, symmetries := range map[memory]solve.Switch{leastMemory: solve.On, 1000 * 1000 * 1000: solve.Off, 9<<30 + 12345: solve.On} {
		s := &console{ctx: t.Context(), err: newPrinter(io.Discard, nil), log: zerolog.Nop(), memory: whole}
		c := &solveCommand{Save: filepath.Join(t.TempDir(), "four")}
		c.Game, c.Engine, c.Method, c.Threads = "connectFour-5x4", "auto", solve.BoundedAlphaBeta, 1
		c.LP, c.Order, c.MoveOrder, c.Table, c.Symmetries = "native", "l", "legal", solve.On, symmetries
		nodes := make([]int64, 2)
		for i := range nodes {
			p, end := must.Get2(c.problem(s))(t)
			k := newKept(c.Save, c.Game, p)
			must.OK(t, k.load(s))
			solution, err := p.solver.Solve(t.Context(), p.machine, nil)
			if err != nil || !solution.Solved {
				t.Fatalf("search %d of %d bytes: solved %t, error %v", i, whole, solution.Solved, err)
			}
			nodes[i] = solution.Nodes
			k.save(s, 0)
			end()
		}
		if nodes[1] > nodes[0]/2 {
			t.Errorf("of %d bytes: %d nodes, with what was kept of them %d", whole, nodes[0], nodes[1])
		}
	}
}

func TestProofsOfAnEarlierSearchAreNotLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved")
	const earlier = "of an earlier search"
	must.OK(t, os.WriteFile(path+".proofs", []byte(earlier), 0o644))
	for _, game := range []string{"connectFour", "ticTacToe"} {
		o := execute(t, "solve", game, "--save", path, "--time", "50ms")
		o.expect(t, statusUsage, "--save: "+path+".proofs has the proofs of an unfinished search: --resume continues it; or remove the file")
		if o.out != "" {
			t.Errorf("a search was begun: %s", o.out)
		}
	}
	if text := must.Get(os.ReadFile(path + ".proofs"))(t); string(text) != earlier {
		t.Errorf("the file holds %q", text)
	}
}

func TestTheFileOfProofsIsCheckedBeforeTheSearch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved")
	must.OK(t, os.Mkdir(path+".proofs", 0o755))
	for _, more := range [][]string{nil, {"--resume"}} {
		o := execute(t, append([]string{"solve", "connectFour", "--save", path, "--time", "50ms"}, more...)...)
		if o.expect(t, statusUsage, path+".proofs"); o.out != "" {
			t.Errorf("a search was begun: %s", o.out)
		}
	}
}

func TestProofsAreSavedAgainAfterAFailure(t *testing.T) {
	var log bytes.Buffer
	s := &console{ctx: t.Context(), err: newPrinter(&log, nil), log: zerolog.New(&log), memory: leastMemory}
	c := &solveCommand{}
	c.Game, c.Engine, c.Method, c.Threads = "ticTacToe", "auto", solve.BoundedAlphaBeta, 1
	c.LP, c.Order, c.MoveOrder, c.Table, c.Symmetries = "native", "best", "dynamic", solve.On, solve.On
	p, end := must.Get2(c.problem(s))(t)
	defer end()
	path := filepath.Join(t.TempDir(), "saved")
	k := newKept(path, c.Game, p)
	must.OK(t, os.Mkdir(k.path, 0o755))
	began := time.Now()
	for _, want := range []string{"the search goes on", "the search goes on", "the newest proofs are not saved"} {
		log.Reset()
		k.last = time.Time{}
		k.save(s, map[bool]time.Duration{true: 0, false: keepEvery}[want == "the newest proofs are not saved"])
		if !strings.Contains(log.String(), want) || strings.Count(log.String(), "\n") != 1 || k.last.Before(began) {
			t.Errorf("%q, want %q; last attempt at %v", log.String(), want, k.last)
		}
	}
	must.OK(t, os.Remove(k.path))
	if k.save(s, 0); !strings.Contains(log.String(), "proofs saved in "+k.path) {
		t.Error(log.String())
	}
}

func TestSaveReplacesSolutionsAlone(t *testing.T) {
	for name, text := range map[string]string{"rules.kif": coin, "other.gz": "\x1f\x8b\x08 no solution", "empty": "", "new": "-"} {
		t.Run(name, func(t *testing.T) {
			path := file(t, name, text)
			if name == "new" {
				must.OK(t, os.Remove(path))
			}
			if name == "new" || name == "empty" {
				for range 2 { // the second one replaces a solution
					execute(t, "solve", "matchingPennies", "--save", path).expect(t, statusFine, "solved")
				}
				return
			}
			o := execute(t, "solve", "matchingPennies", "--save", path)
			if o.expect(t, statusUsage, "--save: ", path, "is not replaced"); o.out != "" {
				t.Errorf("a search was begun: %s", o.out)
			}
			if now := must.Get(os.ReadFile(path))(t); string(now) != text {
				t.Errorf("the file holds %q", now)
			}
		})
	}
}
