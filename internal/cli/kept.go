package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/solve"
)

// keepEvery is the interval at which a running search saves its proofs. A crash loses up to one interval.
const keepEvery = time.Minute

// kept saves the proofs of an unfinished search to a file.
type kept struct {
	path    string // empty if nothing is to be kept
	game    string
	rules   string // digest
	machine machine.Machine
	solver  *solve.Solver
	last    time.Time // of the last attempt to save
	warned  bool
}

// proofsExtension ends the name of the file of proofs, after the name of the solution.
const proofsExtension = ".proofs"

// newKept saves the proofs of a search next to the file of its solution.
func newKept(solution, game string, p problem) *kept {
	k := &kept{game: game, rules: p.rules.ExactDigest(), machine: p.machine, solver: p.solver, last: time.Now()}
	if solution != "" {
		k.path = solution + proofsExtension
	}
	return k
}

// load restores the proofs of the file, if it exists.
func (k *kept) load(s *console) error {
	method, keeper, bytes := k.solver.Keeper(k.machine)
	if keeper == nil {
		return fmt.Errorf("--resume: %w", noProofs(method))
	}
	_, err := await(s.ctx, func() (struct{}, error) {
		return struct{}{}, book.LoadProofs(k.path, k.machine, book.Label{Rules: k.rules, Method: method}, keeper, bytes)
	})
	if errors.Is(err, fs.ErrNotExist) {
		s.log.Warn().Str("file", k.path).Msg("no proofs were saved: the search starts from scratch")
		return nil
	}
	return err
}

// save saves the proofs if the last attempt is at least `every` ago. At the end (every = 0) it prints the path.
func (k *kept) save(s *console, every time.Duration) {
	if k.path == "" || time.Since(k.last) < every {
		return
	}
	began := time.Now()
	if k.last = began; k.warn(s) {
		return
	}
	method, keeper, _ := k.solver.Keeper(k.machine)
	err := book.SaveProofs(k.path, k.machine, book.Label{Game: k.game, Rules: k.rules, Method: method}, keeper)
	k.last = time.Now()
	switch {
	case err != nil && every > 0:
		s.log.Error().Err(err).Msgf("the search goes on, and tries again in %v", every)
	case err != nil:
		s.log.Error().Err(err).Msg("the newest proofs are not saved")
	case every == 0:
		fmt.Fprintf(s.err, "stackmate: proofs saved in %s: --resume continues from them\n", k.path)
	default:
		s.log.Debug().Str("file", k.path).Dur("took", k.last.Sub(began)).Msg("saved the proofs")
	}
}

// warn reports whether the method or the engine cannot save proofs, and warns once if a file is asked for.
func (k *kept) warn(s *console) bool {
	method, keeper, _ := k.solver.Keeper(k.machine)
	reason := noProofs(method)
	if keeper != nil {
		reason = book.CanSaveProofs(k.machine)
	}
	if reason != nil && k.path != "" && !k.warned {
		k.warned = true
		s.log.Warn().Str("file", k.path).Msg(reason.Error())
	}
	return reason != nil
}

// noProofs returns the reason for which a method has no file of proofs.
func noProofs(method string) error {
	return fmt.Errorf("method %s keeps no proofs of an unfinished search; methods %s do", method, strings.Join(solve.KeeperMethods(), " and "))
}

// remove removes the file: there is a solution.
func (k *kept) remove() {
	if k.path != "" {
		_ = os.Remove(k.path) // mostly it is not there
	}
}

// pace follows the speed of a search.
type pace struct {
	nodes int64
	at    time.Duration
	speed float64 // nodes a second since the last look
}

// show returns the progress of a search with bounded memory, as a line.
func (p *pace) show(names *machine.Names, r search.Result, memory int64) string {
	if passed := r.Elapsed - p.at; passed > 100*time.Millisecond {
		p.speed = float64(r.Nodes-p.nodes) / passed.Seconds()
		p.nodes, p.at = r.Nodes, r.Elapsed
	}
	var b strings.Builder
	b.WriteString(provedValue(names, r))
	if r.Depth > 0 {
		fmt.Fprintf(&b, ", depth %d", r.Depth)
	}
	fmt.Fprintf(&b, ", %d nodes", r.Nodes)
	if p.speed > 0 {
		fmt.Fprintf(&b, " (%.2g M/s)", p.speed/1e6)
	}
	if memory > 0 && r.PeakBytes > 0 {
		fmt.Fprintf(&b, ", %.0f %% of the memory", 100*float64(r.PeakBytes)/float64(memory))
	}
	if r.Left > 0 {
		fmt.Fprintf(&b, ", next depth in %s", r.Left.Round(time.Second))
	}
	return b.String()
}

// provedValue returns the proved bounds of the first player's value, as part of a line of progress, or "".
func provedValue(names *machine.Names, r search.Result) string {
	players := names.Players()
	if !r.Proved || len(r.Values) == 0 || len(players) == 0 {
		return ""
	}
	return fmt.Sprintf(", %s %s", names.Roles[players[0]], bounds(r.Values[players[0]]))
}
