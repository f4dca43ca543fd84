package machine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/reasoner/machine"
)

func TestGoalsAreNumbersFromZeroToAHundred(t *testing.T) {
	for text, want := range map[string]int32{
		"0": 0, "100": 100, "007": 7, "101": machine.NoGoal, "-1": machine.NoGoal, "+5": machine.NoGoal,
		"1.5": machine.NoGoal, "high": machine.NoGoal, "": machine.NoGoal, "99999999999999999999": machine.NoGoal, "4294967297": machine.NoGoal,
	} {
		if got := machine.GoalOf(text); got != want {
			t.Errorf("the goal of %q is %d, want %d", text, got, want)
		}
	}
}

// Callers divide by the number of words of a position.
func TestAPositionHasAWordEvenWithoutFluents(t *testing.T) {
	for fluents, want := range map[int]int{0: 1, 1: 1, 64: 1, 65: 2} {
		if got := len((&machine.Names{Fluents: make([]string, fluents)}).NewState()); got != want {
			t.Errorf("%d words for %d fluents", got, fluents)
		}
	}
}

func TestMovesAreFoundInAnyCaseIfTheMatchIsUnique(t *testing.T) {
	names := &machine.Names{Roles: []string{"r"}, Moves: [][]string{{"a", "A", "(go North)"}}}
	for text, want := range map[string]machine.Move{"a": 0, "A": 1, "(GO NORTH)": 2} {
		if m, ok := names.Move(0, text); !ok || m != want {
			t.Errorf("%s is move %d, %v", text, m, ok)
		}
	}
	if _, ok := names.Move(0, "(go south)"); ok {
		t.Error("an unknown move was found")
	}
}

func TestRolesAreFoundInAnyCaseIfTheMatchIsUnique(t *testing.T) {
	names := &machine.Names{Roles: []string{"Red", "RED", "red", "Blue"}}
	for name, want := range map[string]machine.Role{"Red": 0, "RED": 1, "red": 2, "blue": 3, "rEd": machine.NoRole, "green": machine.NoRole} {
		if r, ok := names.Role(name); r != want || ok != (want != machine.NoRole) {
			t.Errorf("%s is role %d, %t", name, r, ok)
		}
	}
}

func TestJointMovesAreWrittenAsOnTheWire(t *testing.T) {
	names := &machine.Names{Moves: [][]string{{"a", "(go 1)"}, {"noop"}}}
	if got := names.JointString([]machine.Move{1, 0}); got != "((go 1) noop)" {
		t.Errorf("got %s", got)
	}
}

// The figures are published values of splitmix64 and xoshiro256++, column by column.
func TestRandIsTheSameEverywhere(t *testing.T) {
	rng := machine.NewRand(0)
	var rows [3 * 2]uint64
	rng.FillRows(rows[:4], 2)
	rng.FillRows(rows[4:], 1)
	want := [...]uint64{0x53175d61490b23df, 0x6dc6e8fa3d98d369, 0x61da6f3dc380d507, 0xa0e529076a07d5b9, 0x5c0fdf91ec9a7bfc}
	if !cmp.Equal(rows[:5], want[:]) {
		t.Errorf("%#x, want %#x", rows[:5], want)
	}
}

// Without rejection a third of these numbers would come a quarter less often.
func TestRandIntnIsUniformWhereNumbersAreRejected(t *testing.T) {
	rng := machine.NewRand(3)
	const n, thirds = 30_000, 3
	var count [thirds]int
	for range n {
		count[rng.Intn(thirds<<61)%thirds]++
	}
	for i, c := range count {
		if c < n/thirds-350 || c > n/thirds+350 { // four standard deviations
			t.Errorf("remainder %d came %d times of %d", i, c, n)
		}
	}
}

func TestRandIntnIsUniform(t *testing.T) {
	rng := machine.NewRand(3)
	var count [7]int
	const n = 70_000
	for range n {
		count[rng.Intn(7)]++
	}
	for i, c := range count {
		if c < 9_600 || c > 10_400 { // four standard deviations
			t.Errorf("%d came %d times of %d", i, c, n)
		}
	}
}

func TestTheRoleNamedRandomIsChanceAndOtherRolesArePlayers(t *testing.T) {
	for _, test := range []struct {
		roles   []string
		players []machine.Role
		chance  machine.Role
	}{
		{[]string{"a", "random", "b"}, []machine.Role{0, 2}, 1},
		{[]string{"a", "b"}, []machine.Role{0, 1}, machine.NoRole},
		{[]string{"random"}, nil, 0},
	} {
		n := &machine.Names{Roles: test.roles}
		if diff := cmp.Diff(test.players, n.Players()); diff != "" || n.Chance() != test.chance {
			t.Errorf("%v: chance is %d, want %d; players %s", test.roles, n.Chance(), test.chance, diff)
		}
	}
}
