package reasoner

import (
	"bytes"
	"runtime"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine/play"
)

func builtIn(t *testing.T, name string) *gdl.Game {
	t.Helper()
	_, src := must.Get2(games.Source(name))(t)
	g, _ := must.Get2(gdl.Load(t.Context(), name, src))(t)
	return g
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
