package reasoner

import (
	"bytes"
	"reflect"
	"runtime"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine/play"
)

func builtIn(t *testing.T, name string) *gdl.Game {
	t.Helper()
	_, src := must.Get2(games.Source(name))(t)
	g, _ := must.Get2(gdl.Load(t.Context(), name, src))(t)
	return g
}

// A second grounding that begins early changes no program, whether the first succeeds or exceeds its limit.
func TestGroundingAheadChangesNoProgram(t *testing.T) {
	g, thorough := builtIn(t, "checkers"), datalog.Limits{Thorough: true}
	for _, c := range []struct {
		name  string
		plain datalog.Limits
		want  datalog.Limits
	}{
		{"plain", datalog.Limits{MaxInstances: 300_000}, datalog.Limits{}},
		{"thorough", datalog.Limits{MaxInstances: 100_000}, thorough},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := must.Get(datalog.Ground(t.Context(), g, c.want))(t)
			want.Stages = nil
			for _, ahead := range []bool{false, true} {
				got := must.Get(groundWithin(t.Context(), g, c.plain, thorough, ahead))(t)
				got.Stages = nil
				if !reflect.DeepEqual(got, want) {
					t.Errorf("with a second grounding ahead (%t) the program differs", ahead)
				}
			}
		})
	}
}

// The circuit, the length of its machine code and its random games are the same on one processor and on several.
func TestProcessorsChangeNoCircuit(t *testing.T) {
	for _, name := range exhaustive.Choose([]string{"breakthrough", "connectFour"}, []string{"breakthrough", "connectFour", "checkers", "hex", "reversi"}) {
		t.Run(name, func(t *testing.T) {
			g := builtIn(t, name)
			compile := func(processors int) (encoded []byte, code, states, ended int64) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				game := must.Get(Circuit(t.Context(), g, Options{}))(t)
				m := must.Get(game.Compile(t.Context(), circuit.Options{}))(t)
				p := play.NewPlayouts(m, m.Initial(), 1)
				for range 100 {
					p.Step()
				}
				return game.AppendTo(nil), m.Info().Bytes, p.States, p.Ended
			}
			encoded, code, states, ended := compile(1)
			encoded4, code4, states4, ended4 := compile(4)
			if !bytes.Equal(encoded, encoded4) || code != code4 || states != states4 || ended != ended4 {
				t.Errorf("one processor: %d bytes of code, %d positions, %d matches; four: %d, %d, %d; equal circuits: %t",
					code, states, ended, code4, states4, ended4, bytes.Equal(encoded, encoded4))
			}
		})
	}
}
