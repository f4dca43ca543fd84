package evaluate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate/vector"
)

// mobility sees the moves of a game in which a fluent says whose turn it is, one position
// after the other.
type mobility struct {
	machine.Machine
	turn []int // by role: that fluent
	list []facts.Signal
}

func newMobility(m machine.Machine) *mobility {
	s, names := &mobility{Machine: m}, m.Names()
	for r, role := range names.Roles {
		turn, _ := names.AddFluent("(control " + role + ")")
		s.turn = append(s.turn, turn)
		for move, name := range names.Moves[r] {
			if name != "noop" {
				s.list = append(s.list, facts.Signal{Role: machine.Role(r), Move: machine.Move(move)})
			}
		}
	}
	return s
}

func (s *mobility) List() []facts.Signal    { return s.list }
func (s *mobility) NewSensor() facts.Sensor { return s }

func (s *mobility) Sense(dst, states []uint64) {
	b, words, wide := s.NewNarrowBatch(), len(s.Initial()), (len(s.list)+63)/64
	clear(dst[:len(states)/words*wide])
	for ; len(states) > 0; states, dst = states[words:], dst[wide:] {
		for r, turn := range s.turn {
			q := slices.Clone(machine.State(states[:words]))
			for _, f := range s.turn {
				q[f>>6] &^= 1 << uint(f&63)
			}
			q.Set(turn)
			b.Load(q, 1)
			b.Evaluate(1)
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			for i, signal := range s.list {
				if signal.Role == machine.Role(r) && slices.Contains(legal, signal.Move) {
					machine.State(dst).Set(i)
				}
			}
		}
	}
}

// mobile returns an untrained learner with the legal moves as signals.
func mobile(t testing.TB) *Learner {
	t.Helper()
	m := gamestest.Machine(t, "breakthrough-4x4")
	l := learner(t, m, Config{Seed: 1, ConstantSum: true, Signals: newMobility(m)})
	return l
}

// worth returns the values of positions of random games.
func worth(l *Learner) []float64 {
	m := l.games.machine
	states := toys.Positions(m, 20, 9)
	values := make([]float64, len(states)/len(m.Initial())*len(m.Names().Roles))
	l.Evaluation().Values(values, states)
	return values
}

func TestMovesAreLearntAndFoundAgainInFiles(t *testing.T) {
	l := mobile(t)
	l.Learn(t.Context(), 1000)
	if l.survey != nil {
		t.Error("games are played to see what blocks threats, and there are none")
	}
	path, m := filepath.Join(t.TempDir(), "learnt"), l.games.machine
	if err := l.Save(path, named("rules")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil || !strings.Contains(unpacked(t, file), `"move":"~`) {
		t.Errorf("moves are not in canonical names, %v", err)
	}
	again := loaded(t, path, named("rules"), m, Config{Seed: 2, ConstantSum: true, Signals: l.view.source})
	before := worth(l)
	if !slices.Equal(worth(again), before) {
		t.Error("positions are worth something else when loaded")
	}
	for k := range l.view.signals {
		l.trainer.fits[0].mean.in[l.view.input(k)] = vector.Floats{}
	}
	if slices.Equal(worth(l), before) {
		t.Error("moves make no difference")
	}
	if _, err := Load(path, named("rules"), m, Config{ConstantSum: true}); err == nil || !strings.Contains(err.Error(), "expected 0 signals") {
		t.Errorf("an evaluation that sees moves is loaded by one that does not: %v", err)
	}
}
