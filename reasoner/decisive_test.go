package reasoner_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// decisive returns the machine of a built-in game with decisive moves; nil without them.
func decisive(t *testing.T, game string) (m, d machine.Machine) {
	t.Helper()
	m = gamestest.Machine(t, game)
	return m, facts.Decisive(t.Context(), m, false)
}

// misere returns connect four in which a player who makes a line loses.
func misere(t *testing.T) machine.Machine {
	t.Helper()
	_, src := must.Get2(games.Source("connectFour-4x4"))(t)
	rules := strings.NewReplacer("goal ?p 100", "goal ?p 0", "goal ?p 0", "goal ?p 100").Replace(string(src))
	return machineOf(t, rules)
}

// machineOf returns the circuit of rules.
func machineOf(t *testing.T, rules string) machine.Machine {
	t.Helper()
	return newMachine(t, readRules(t, "rules", rules), reasoner.Options{Engine: "circuit"})
}

// outcomes classifies the moves of the only role that has a choice.
type outcomes struct {
	role     machine.Role
	wins     map[machine.Move]bool // the game ends with the best goal
	blunders map[machine.Move]bool // it ends with the best goal of another role, or another role can win next
}

// look finds the outcomes of a position that is not terminal by expanding it and, to look
// ahead, its children.
func look(x *play.Expander, e *play.Expansion, s machine.State, ahead bool) outcomes {
	p := outcomes{wins: map[machine.Move]bool{}, blunders: map[machine.Move]bool{}}
	_ = x.Expand(e, s)
	for r, moves := range e.Moves {
		if len(moves) > 1 {
			p.role = machine.Role(r)
		}
	}
	joint := make([]machine.Move, len(e.Moves))
	var next play.Expansion
	for c := range e.Children {
		e.Joint(joint, c)
		if e.Terminal[c] {
			if e.ChildGoals(c)[p.role] == 100 {
				p.wins[joint[p.role]] = true
			} else if slices.Contains(e.ChildGoals(c), 100) {
				p.blunders[joint[p.role]] = true
			}
		}
		if e.Terminal[c] || !ahead {
			continue
		}
		_ = x.Expand(&next, e.Child(c))
		for k := range next.Children {
			for r, goal := range next.Goals[k*len(e.Moves) : (k+1)*len(e.Moves)] {
				if next.Terminal[k] && machine.Role(r) != p.role && goal == 100 {
					p.blunders[joint[p.role]] = true
				}
			}
		}
	}
	return p
}

// choices returns the moves that a batch chooses at random in s, whose expansion is e.
func choices(m machine.Machine, e *play.Expansion, s machine.State, role machine.Role, rng *machine.Rand) map[machine.Move]bool {
	b := m.NewBatch()
	lanes := b.Lanes()
	moveTo := make(map[string]machine.Move)
	joint := make([]machine.Move, len(e.Moves))
	for c := range e.Children {
		e.Joint(joint, c)
		moveTo[fmt.Sprint(e.Child(c))] = joint[role]
	}
	chosen := make(map[machine.Move]bool)
	next := make([]uint64, lanes*len(m.Initial()))
	for draws := 0; draws < 1000; draws += lanes { // each of a dozen moves is drawn at least once
		b.Fill(s, nil)
		b.Evaluate(lanes)
		b.ChooseRandom(rng, lanes)
		b.Advance(lanes)
		b.Store(next, lanes)
		for lane := range lanes {
			move, ok := moveTo[fmt.Sprint(next[lane*len(m.Initial()):(lane+1)*len(m.Initial())])]
			if !ok {
				move = machine.NoMove
			}
			chosen[move] = true
		}
	}
	return chosen
}

func TestDecisiveMachinesWinAtOnceOrPreventWins(t *testing.T) {
	for _, game := range []string{"ticTacToe", "connectFour-4x4", "nim-2.3.4"} {
		if won, warned, lost := compare(t, game, gamestest.Machine(t, game), true); won == 0 || warned == 0 || lost == 0 {
			t.Errorf("%s: %d positions won, %d with blunders, %d lost: the test shows nothing", game, won, warned, lost)
		}
	}
	if _, warned, lost := compare(t, "misère connect four", misere(t), true); warned == 0 || lost == 0 {
		t.Errorf("misère connect four: %d positions with blunders, %d lost: the test shows nothing", warned, lost)
	}
}

// If lookahead needs too many gates, the policy ignores the next moves of other roles, provided that winning
// at once shortens games enough.
func TestSparingDecisiveMachinesWinAtOnce(t *testing.T) {
	for _, game := range []string{"ticTacHeaven", "nineBoardTicTacToe"} {
		rules := string(corpus.Source(t, game))
		if won, _, _ := compareWith(t, game, machineOf(t, rules), sparing(t, rules), false); won == 0 {
			t.Errorf("%s: no position was won: the test shows nothing", game)
		}
	}
	for game, pays := range map[string]bool{"gomoku_15x15": true, "pentagoSuicide": false} {
		m := machineOf(t, string(corpus.Source(t, game)))
		if d := facts.Decisive(t.Context(), m, false); (d != nil) != pays {
			t.Errorf("%s has decisive moves: %v, want %v", game, d != nil, pays)
		}
	}
}

// sparing returns the machine of rules with the policy that ignores the next moves of other roles.
func sparing(t *testing.T, rules string) machine.Machine {
	t.Helper()
	g := readRules(t, "rules", rules)
	c := must.Get(reasoner.Circuit(t.Context(), g, reasoner.Options{}))(t)
	policy, _ := circuit.WithDecisiveMoves(t.Context(), c, false, nil)
	return must.Get(policy.Compile(t.Context(), circuit.Options{}))(t)
}

// The policy treats wide conditions, such as a full board, as false. So a few blunders pass for sensible
// moves, but its statements about other moves and about winners are true.
func TestDecisiveMachinesOverlookLittleAndClaimNothingWrong(t *testing.T) {
	for _, game := range []string{"nineBoardTicTacToe", "ticTacHeaven", "tictactoex9"} {
		m := machineOf(t, string(corpus.Source(t, game)))
		foresight := facts.Decisive(t.Context(), m, false).NewNarrowBatch()
		x, e, rng := play.NewExpander(m), new(play.Expansion), machine.NewRand(2)
		seen, warned, lost := 0, 0, 0 // positions with blunders; with all blunders known; lost
		for range 30 {
			for s, over := slices.Clone(m.Initial()), false; !over; over, _ = x.Look(s) {
				p := look(x, e, s, true)
				_ = x.Expand(e, s)
				winner, want := p.expected(e.Moves[p.role])
				got, sensible := foreseen(t, foresight, s, p.role)
				if got != winner && got != machine.NoRole || winner == p.role && (got != winner || !maps.Equal(sensible, want)) {
					t.Fatalf("%s: in %v it takes %d for the winner by %v, want %d by %v", game, m.Names().AppendFluents(nil, s), got, sensible, winner, want)
				}
				for move := range want {
					if !sensible[move] && winner != 1-p.role {
						t.Fatalf("%s: in %v it takes %s for a blunder", game, m.Names().AppendFluents(nil, s), m.Names().MoveText(p.role, move))
					}
				}
				if winner != p.role && len(p.blunders) > 0 {
					seen++
					if got == winner && maps.Equal(sensible, want) {
						warned++
						if winner == 1-p.role {
							lost++
						}
					}
				}
				s = slices.Clone(e.Child(rng.Intn(e.Children)))
			}
		}
		if warned*10 < seen*9 || lost == 0 {
			t.Errorf("%s: blunders are known in %d of %d positions, %d of which are lost", game, warned, seen, lost)
		}
	}
}

// compare compares the moves that the decisive machine of a game takes for decisive, in positions of random
// games, with their children. It returns the numbers of positions by kind.
func compare(t *testing.T, game string, m machine.Machine, ahead bool) (won, warned, lost int) {
	t.Helper()
	d := facts.Decisive(t.Context(), m, false)
	if d == nil {
		t.Fatalf("%s has no decisive moves", game)
	}
	return compareWith(t, game, m, d, ahead)
}

// compareWith compares as compare does, with the decisive machine d.
func compareWith(t *testing.T, game string, m, d machine.Machine, ahead bool) (won, warned, lost int) {
	t.Helper()
	rng := machine.NewRand(1)
	x, e := play.NewExpander(m), new(play.Expansion)
	foresight := d.NewNarrowBatch()
	for range 30 {
		s := slices.Clone(m.Initial())
		for over := false; !over; over, _ = x.Look(s) {
			p := look(x, e, s, ahead)
			_ = x.Expand(e, s)
			winner, want := p.expected(e.Moves[p.role])
			switch {
			case winner == p.role:
				won++
			case winner != machine.NoRole:
				lost++
			case len(p.blunders) > 0:
				warned++
			}
			if got := choices(d, e, s, p.role, rng); !maps.Equal(got, want) {
				t.Fatalf("%s: in %v it chooses among %v, want %v", game, m.Names().AppendFluents(nil, s), got, want)
			}
			got, sensible := foreseen(t, foresight, s, p.role)
			if len(e.Moves[p.role]) > 1 && got != winner || !maps.Equal(sensible, want) {
				t.Fatalf("%s: in %v it takes %v for sensible and %d for the winner; want %v, %d", game, m.Names().AppendFluents(nil, s), sensible, got, want, winner)
			}
			s = slices.Clone(e.Child(rng.Intn(e.Children)))
		}
		if winner, _ := foreseen(t, foresight, s, 0); winner != machine.NoRole {
			t.Fatalf("%s: in %v, which is terminal, it takes %d for the winner", game, m.Names().AppendFluents(nil, s), winner)
		}
	}
	return won, warned, lost
}

// expected returns the role that wins for sure within two joint moves, or NoRole, and the moves to choose
// among.
func (p outcomes) expected(legal []machine.Move) (winner machine.Role, moves map[machine.Move]bool) {
	if len(p.wins) > 0 {
		return p.role, p.wins
	}
	all, safe := make(map[machine.Move]bool), make(map[machine.Move]bool)
	for _, move := range legal {
		all[move] = true
		if !p.blunders[move] {
			safe[move] = true
		}
	}
	if len(safe) == 0 {
		return 1 - p.role, all
	}
	return machine.NoRole, safe
}

// foreseen returns the same from a batch, in position s where role chooses.
func foreseen(t *testing.T, b machine.Batch, s machine.State, role machine.Role) (winner machine.Role, moves map[machine.Move]bool) {
	t.Helper()
	b.Load(s, 1)
	b.Evaluate(1)
	moves = make(map[machine.Move]bool)
	for _, move := range machine.AppendSensible(b, nil, 0, role) {
		moves[move] = true
	}
	winner = machine.NoRole
	for r := range machine.Role(2) {
		if goal, lanes := machine.Wins(b, r); goal != 100 {
			t.Fatalf("the best goal of role %d is %d, want 100", r, goal)
		} else if lanes[0]&1 != 0 {
			winner = r
		}
	}
	return winner, moves
}

// Random moves are legal in every game.
func TestDecisiveMachinesMakeLegalMoves(t *testing.T) {
	for _, game := range []string{"breakthrough-4x5", "biddingTicTacToe-2", "goofspiel-4", "pursuit-3x3-4", "pig-10-6", "slidingPuzzle-2x2-6"} {
		m, d := decisive(t, game)
		if d == nil {
			t.Logf("%s has no decisive moves", game)
			continue
		}
		rng := machine.NewRand(2)
		x, e := play.NewExpander(m), new(play.Expansion)
		for range 5 {
			s := slices.Clone(m.Initial())
			for over := false; !over; over, _ = x.Look(s) {
				must.OK(t, x.Expand(e, s))
				if got := choices(d, e, s, 0, rng); got[machine.NoMove] {
					t.Fatalf("%s: in %v it makes a move that is not legal", game, m.Names().AppendFluents(nil, s))
				}
				s = slices.Clone(e.Child(rng.Intn(e.Children)))
			}
		}
	}
}

func TestGamesWithRecursionHaveNoDecisiveMoves(t *testing.T) {
	if _, d := decisive(t, "hex-4x4"); d != nil {
		t.Error("hex has decisive moves: the copies of its loops are not expected to be right")
	}
}

// After a move that ends the game no role can win, even if winning moves would be legal then, and even if the
// end is a long condition.
func TestAMoveThatEndsTheGameIsNoBlunder(t *testing.T) {
	const rules = `
(role a) (role b)
(init (step 1))
(<= (legal a (go left)) (true (step 1)))
(<= (legal a (go right)) (true (step 1)))
(<= (legal a noop) (not (true (step 1))))
(<= (legal b noop) (true (step 1)))
(<= (legal b take) (not (true (step 1))))
(<= (legal b leave) (not (true (step 1))))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next (won b)) (does b take))
(<= terminal (true (step 3)))
(<= (next (won a)) (does b leave))
(<= open (not (true (won a))) (not (true (won b))))
(<= (goal a 50) open)
(<= (goal b 50) open)
(<= (goal ?r 100) (true (won ?r)))
(<= (goal a 0) (true (won b)))
(<= (goal b 0) (true (won a)))
`
	stones := ""
	for i := range 20 {
		stones += fmt.Sprintf("(init (stone %[1]d)) (<= (next (stone %[1]d)) (true (stone %[1]d)) (not (does a (go right))))\n(<= (next (stone %[1]d)) (true (mark %[1]d)))\n(<= (next (mark %[1]d)) (does a (mark %[1]d)))\n(<= (legal a (mark %[1]d)) (true (step 2)) (true (step 1)))\n", i)
	}
	stones += "(<= stones (true (stone ?i)))\n(<= terminal (not stones))\n"
	for name, end := range map[string]string{
		"short": "(<= (next over) (does a (go right)))\n(<= terminal (true over))\n",
		"long":  stones,
	} {
		m := machineOf(t, rules+end)
		d := facts.Decisive(t.Context(), m, false)
		if d == nil {
			t.Fatal("no decisive moves")
		}
		b := d.NewNarrowBatch()
		b.Fill(m.Initial(), nil)
		b.Evaluate(1)
		_, wins := machine.Wins(b, 1)
		sensible := machine.AppendSensible(b, nil, 0, 0)
		if wins[0]&1 != 0 || len(sensible) != 1 || m.Names().Moves[0][sensible[0]] != "(go right)" {
			t.Errorf("%s: b wins %v; sensible moves of a are %v of %v, want the one that ends the game", name, wins[0]&1 != 0, sensible, m.Names().Moves[0])
		}
	}
}
