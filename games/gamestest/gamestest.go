// Package gamestest gives tests the rules and the machines of built-in games.
package gamestest

import (
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// Rules reads the game of the given name. The test fails if there is none, or
// something to be said against its rules.
func Rules(t testing.TB, name string) *gdl.Game {
	t.Helper()
	file, src := must.Get2(games.Source(name))(t)
	game, notes := must.Get2(gdl.Load(t.Context(), file, src))(t)
	for _, n := range notes {
		t.Errorf("%v", n)
	}
	return game
}

// Machine returns the machine that a player would use for the game.
func Machine(t testing.TB, name string) machine.Machine {
	t.Helper()
	m := must.Get(reasoner.New(t.Context(), Rules(t, name), reasoner.Options{}))(t)
	return m
}
