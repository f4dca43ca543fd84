// Package gamestest gives tests the rules and the machines of built-in games.
package gamestest

import (
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// Rules reads the game of the given name. The test fails if there is none, or
// something to be said against its rules.
func Rules(t testing.TB, name string) *gdl.Game {
	t.Helper()
	file, src, err := games.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	game, notes, err := gdl.Load(t.Context(), file, src)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		t.Errorf("%v", n)
	}
	return game
}

// Machine returns the machine that a player would use for the game.
func Machine(t testing.TB, name string) machine.Machine {
	t.Helper()
	m, err := reasoner.New(t.Context(), Rules(t, name), reasoner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
