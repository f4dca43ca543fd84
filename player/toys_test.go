package player

import (
	"context"
	"fmt"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// subtraction is the game in which two roles in turn take 1 to 3 counters and
// who takes the last one wins. Word 0: counters left, and whose turn.
type subtraction struct{ left, turn int }

func newSubtraction(start int) machine.Machine {
	names := &machine.Names{Roles: []string{"left", "right"}, Fluents: make([]string, 64)}
	for range names.Roles {
		names.Moves = append(names.Moves, []string{"noop", "(take 1)", "(take 2)", "(take 3)"})
	}
	return machine.NewScalar(names, machine.State{uint64(start) << 1}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &subtraction{} })
}

func (g *subtraction) SetState(s machine.State) { g.left, g.turn = int(s[0]>>1), int(s[0]&1) }
func (g *subtraction) Terminal() bool           { return g.left == 0 }
func (g *subtraction) Goal(r machine.Role) int32 {
	if int(r) == g.turn {
		return 0
	}
	return 100
}

func (g *subtraction) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if int(r) != g.turn {
		return append(dst, 0)
	}
	for i := 1; i <= min(3, g.left); i++ {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (g *subtraction) Next(dst machine.State, joint []machine.Move) {
	dst[0] = uint64(g.left-int(joint[g.turn]))<<1 | uint64(1-g.turn)
}

// shot is a game of one joint move with the goals of both roles by their moves.
type shot struct {
	goals [][][2]int32
	over  bool
	i, j  int
}

func newShot(goals [][][2]int32) machine.Machine {
	names := &machine.Names{Roles: []string{"row", "column"}, Fluents: make([]string, 64), Moves: make([][]string, 2)}
	for i := range goals {
		names.Moves[0] = append(names.Moves[0], fmt.Sprint("row", i))
	}
	for j := range goals[0] {
		names.Moves[1] = append(names.Moves[1], fmt.Sprint("column", j))
	}
	return machine.NewScalar(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &shot{goals: goals} })
}

func (g *shot) SetState(s machine.State) {
	g.over, g.i, g.j = s[0]&1 != 0, int(s[0]>>8&0xff), int(s[0]>>16)
}
func (g *shot) Terminal() bool            { return g.over }
func (g *shot) Goal(r machine.Role) int32 { return g.goals[g.i][g.j][r] }
func (g *shot) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	n := len(g.goals)
	if r == 1 {
		n = len(g.goals[0])
	}
	for i := range n {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (g *shot) Next(dst machine.State, joint []machine.Move) {
	dst[0] = 1 | uint64(joint[0])<<8 | uint64(joint[1])<<16
}

// lock is a puzzle: of 3 moves at each of depth steps only one keeps the goal of
// 100 in reach; the first mistake, at step i, leaves i points.
type lock struct{ depth, step, mistake int }

func newLock(depth int) machine.Machine {
	names := &machine.Names{
		Roles: []string{"robot"}, Fluents: make([]string, 64), Moves: [][]string{{"red", "green", "blue"}},
	}
	return machine.NewScalar(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &lock{depth: depth} })
}

func (g *lock) SetState(s machine.State) { g.step, g.mistake = int(s[0]&0xff), int(s[0]>>8) }
func (g *lock) Terminal() bool           { return g.step == g.depth }
func (g *lock) Goal(machine.Role) int32 {
	if g.mistake > 0 {
		return int32(g.mistake)
	}
	return 100
}

func (g *lock) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	return append(dst, 0, 1, 2)
}

func (g *lock) Next(dst machine.State, joint []machine.Move) {
	mistake := g.mistake
	if mistake == 0 && int(joint[0]) != g.step%3 {
		mistake = g.step + 1
	}
	dst[0] = uint64(g.step+1) | uint64(mistake)<<8
}

// arrival is an attempt at compiling that ends some time after it has begun.
type arrival struct {
	after   time.Duration
	attempt reasoner.Attempt
}

// arriving is a compiler whose attempts end as given, deaf to its context.
func arriving(arrivals ...arrival) compiler {
	return func(_ context.Context, _ *gdl.Game, _ reasoner.Options, _ time.Duration, report func(reasoner.Attempt)) compilation {
		p := pending{make(chan struct{})}
		go func() {
			began := time.Now()
			for _, a := range arrivals {
				time.Sleep(a.after - time.Since(began))
				report(a.attempt)
			}
			close(p.done)
		}()
		return p
	}
}

// pending is a compilation that brings a machine.
type pending struct{ done chan struct{} }

func (p pending) Done() <-chan struct{} { return p.done }

func (pending) Err() error { return nil }
