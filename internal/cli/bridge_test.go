package cli

import (
	"testing"

	"stackmate/internal/exhaustive"
)

const finesse = "N:AQ...2 S:32..5. EW:KJ4.2..AK"

func TestBridgeFindsTheFinesse(t *testing.T) {
	execute(t, "bridge", finesse+" tricks:3").expect(t, statusFine, "10       50.0 %", "N SQ", "plan for 3 tricks")
	pbn := file(t, "ending.pbn", "[Deal \"N:AQ...2 KJ...K 32..5. 4.2..A\"]\n[Declarer \"S\"]\n")
	execute(t, "bridge", pbn).expect(t, statusFine, "KJ...K (hidden)", "layouts  20")
}

func TestBridgeAsJSON(t *testing.T) {
	o := execute(t, "bridge", finesse, "--tricks", "3", "--json")
	o.expect(t, statusFine, `"plan":[{"seat":"S","cards":["`)
	got := o.objects(t)[0]
	goal := got["goals"].([]any)[0].(map[string]any)
	if got["layouts"] != 20.0 || goal["won"] != 10.0 || goal["exact"] != true {
		t.Errorf("found %s", o.out)
	}
}

func TestBridgeDrawsLayouts(t *testing.T) {
	execute(t, "bridge", finesse, "--layouts", "7").expect(t, statusFine, "7 of 20")
}

func TestBadDealsAndFlagsAreRefused(t *testing.T) {
	execute(t, "bridge", "N:AQ...2 S:A2..5. EW:KJ4.2..AK").expect(t, statusBad, "deal:1:12: expected each card once, found SA with N and S")
	execute(t, "bridge", file(t, "bad.txt", "\nN:A1...2")).expect(t, statusBad, "bad.txt:2:4: expected one of the ranks")
	execute(t, "bridge", "nowhere.pbn").expect(t, statusUsage, "cannot read the deal")
	execute(t, "bridge", finesse, "--tricks", "4").expect(t, statusUsage, "at most 3")
	execute(t, "bridge", finesse, "--layouts=-1").expect(t, statusUsage, "expected numbers")
	execute(t, "bridge", finesse+" W?:KJ4... void:W=S").expect(t, statusBad, "a layout without cards in a void suit")
	execute(t, "bridge", finesse+" void:W=SHDC").expect(t, statusBad, "no layout of the hidden cards is possible")
}

func TestSolveFindsUndominatedOutcomes(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	execute(t, "solve", "trio-3x3", "--method", "lattice").expect(t, statusFine, "outcomes", "x 33, o 33, z 33", "x 100, o 0, z 0", "in 9 moves")
	execute(t, "solve", "trio-3x3", "--method", "maxn").expect(t, statusFine, "payoff of z    33")
	execute(t, "solve", "trio-3x3", "--method", "paranoid").expect(t, statusFine, "guarantee of z  33")
	execute(t, "solve", "trio-3x3").expect(t, statusFine, "paranoid", "guarantees: ", "guarantee of z  33")
	execute(t, "solve", "prisonersDilemma", "--method", "lattice").expect(t, statusFine, "outcomes")
	execute(t, "solve", "pig-2-1", "--method", "lattice").expect(t, statusBad, "without chance")
	o := execute(t, "solve", "ticTacToe", "--method", "lattice", "--json")
	o.expect(t, statusFine, `"outcomes":{"complete":true`, `"rational":true`, `"x":[50,50]`)
}
