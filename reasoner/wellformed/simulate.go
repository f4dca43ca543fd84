package wellformed

import (
	"context"
	"fmt"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// Options say how much is played.
type Options struct {
	Matches  int    // how many
	MaxSteps int    // joint moves after which a match is endless; 0 means machine.MaxSteps
	Seed     uint64 // of the random moves
}

// simulation is the work of one report.
type simulation struct {
	prover   *prover.Prover
	names    *machine.Names
	batch    machine.Batch // a match at a time, in lane 0
	rng      *machine.Rand
	limit    int
	report   Report
	seen     map[key]*Fault
	kinds    map[key]int // by kind and role: how many different faults
	declared declarations

	state   machine.State
	fluents []int32 // of state
	legal   []machine.Move
	joint   []machine.Move
	goals   []int32
	path    []machine.Move // joint moves so far, one after the other
}

// Simulate plays random matches of g, whose machine is m, and reports the faults
// that show. The error is that of ctx, or says that `base` or `input` lists too much;
// the report holds what was found before.
func Simulate(ctx context.Context, g *gdl.Game, m machine.Machine, o Options) (*Report, error) {
	names := m.Names()
	s := &simulation{
		prover: prover.New(g), names: names, batch: m.NewBatch(), rng: machine.NewRand(o.Seed), limit: o.MaxSteps,
		report: Report{Faults: []*Fault{}},
		seen:   make(map[key]*Fault),
		kinds:  make(map[key]int),
		state:  make(machine.State, m.Words()),
		joint:  make([]machine.Move, len(names.Roles)), goals: make([]int32, len(names.Roles)),
	}
	if s.limit == 0 {
		s.limit = machine.MaxSteps
	}
	if err := s.readDeclarations(ctx); err != nil {
		return &s.report, err
	}
	for range o.Matches {
		if err := s.match(ctx, m.Initial()); err != nil {
			return &s.report, err
		}
		s.report.Matches++
	}
	return &s.report, nil
}

// match plays one match to its end, a fault, or the limit. Every position is looked
// at in full before the next joint move, which is most of the work, and a fault is
// reported with the path that leads to it: neither is what machine.Lockstep, which
// plays many matches at once and stops at machine.MaxPlayout, is for.
func (s *simulation) match(ctx context.Context, initial machine.State) error {
	s.path = s.path[:0]
	s.batch.Fill(initial, nil)
	for step := 0; ; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.batch.Store(s.state, 1)
		s.checkFluents()
		s.batch.Evaluate(1)
		if err := machine.Unknown(s.batch, 0); err != nil {
			return fmt.Errorf("after %d joint moves: %w", step, err)
		}
		if s.batch.Terminal()[0]&1 != 0 {
			return s.checkGoals(ctx)
		}
		if !s.chooseJointMove() {
			return nil
		}
		if step == s.limit {
			s.add(kindEndless, "", "", fmt.Sprintf("expected the match to end, found no end after %d joint moves", step))
			return nil
		}
		s.path = append(s.path, s.joint...)
		s.batch.Advance(1)
	}
}

// choose chooses a random legal move for every role; it returns false if a role
// has none.
func (s *simulation) chooseJointMove() bool {
	alive := true
	for r, name := range s.names.Roles {
		role := machine.Role(r)
		if s.legal = s.batch.AppendLegal(s.legal[:0], 0, role); len(s.legal) == 0 {
			s.add(kindStuck, name, "", fmt.Sprintf("expected a legal move for %s, found none in a position that is not terminal", name))
			alive = false
			continue
		}
		s.checkMoves(role)
		s.joint[r] = s.legal[s.rng.Intn(len(s.legal))]
		s.batch.Choose(0, role, s.joint[r])
	}
	return alive
}

// checkGoals asks for one goal of each role, from 0 to 100. What a machine calls
// no goal the interpreter explains.
func (s *simulation) checkGoals(ctx context.Context) error {
	s.batch.Goals(s.goals, 0)
	if err := machine.Unknown(s.batch, 0); err != nil {
		return err
	}
	for r, goal := range s.goals {
		if goal != machine.NoGoal || machine.Role(r) == s.names.Chance() {
			continue
		}
		facts, err := s.prover.Facts(ctx, s.names.AppendFluents(nil, s.state), "goal", 2)
		if err != nil {
			return err
		}
		var found []string
		for _, f := range facts {
			if f[0] == s.names.Roles[r] {
				found = append(found, f[1])
			}
		}
		what := "none"
		if len(found) > 0 {
			what = strings.Join(clipAll(found[:min(len(found), maxDetails)]), " and ")
		}
		s.add(kindGoal, s.names.Roles[r], what, fmt.Sprintf(
			"expected one goal for %s from 0 to 100 in a terminal position, found %s", s.names.Roles[r], what))
	}
	return nil
}
