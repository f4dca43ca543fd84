package reasoner

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/ground"
	"stackmate/reasoner/machine/play"
)

func builtIn(t *testing.T, name string) *gdl.Game {
	t.Helper()
	_, src := must.Get2(games.Source(name))(t)
	g, _ := must.Get2(gdl.Load(t.Context(), name, src))(t)
	return g
}

// The first grounding decides if it stays within its limits, else the second; a second that begins early changes nothing.
func TestGroundingAheadChangesNoProgram(t *testing.T) {
	g := builtIn(t, "checkers")
	few, many := datalog.Limits{MaxInstances: 1000}, datalog.Limits{MaxInstances: 1000}
	want, err := ground.New(t.Context(), g, few)
	for errors.Is(err, datalog.ErrLimit) {
		many.MaxInstances *= 2 // at last the game exceeds the half and not the whole
		want, err = ground.New(t.Context(), g, many)
	}
	if err != nil || many.MaxInstances == few.MaxInstances {
		t.Fatalf("limits of %d and %d instances: %v", few.MaxInstances, many.MaxInstances, err)
	}
	want.Stages = nil
	for _, c := range []struct {
		name          string
		first, second datalog.Limits
		fails         bool
	}{
		{"first", many, few, false},
		{"second", few, many, false},
		{"none", few, few, true},
	} {
		for _, ahead := range []bool{false, true} {
			got, err := groundWithin(t.Context(), g, c.first, c.second, ahead)
			if c.fails {
				if !errors.Is(err, datalog.ErrLimit) {
					t.Errorf("%s, ahead %t: got the error %v, want ErrLimit", c.name, ahead, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s, ahead %t: %v", c.name, ahead, err)
			}
			got.Stages = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, ahead %t: another program", c.name, ahead)
			}
		}
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
