package arena

import (
	"cmp"
	"slices"
)

// In formats with stages, earlier results decide the pairings. A stage consists of encounters of two players. The
// ledger pairs a stage once all matches of earlier stages are counted, from their results alone: a resumed tournament
// has the same pairs.

// The formats with stages. An encounter of a Swiss tournament plays every game twice, with seats swapped; Rounds is
// the number of stages. In a knockout this is repeated Rounds times. The higher score advances; at equal scores, the
// player earlier in the list does.
const (
	Swiss    = "swiss"
	Knockout = "knockout"
)

// staged reports whether the tournament has stages.
func (t *Tournament) staged() bool { return t.Format == Swiss || t.Format == Knockout }

// stages returns the number of encounters of each stage.
func (t *Tournament) stages() []int {
	n := len(t.Players)
	if t.Format == Swiss {
		return slices.Repeat([]int{n / 2}, t.Rounds)
	}
	size := len(bracket(n))
	sizes := []int{n - size/2}
	for half := size / 4; half > 0; half /= 2 {
		sizes = append(sizes, half)
	}
	return sizes
}

// perEncounter returns the number of matches of an encounter.
func (t *Tournament) perEncounter() int {
	if t.Format == Swiss {
		return 2 * len(t.Games)
	}
	return 2 * len(t.Games) * t.Rounds
}

// stagedFixtures lists the matches of all stages, without their players: see Ledger.Seat.
func (t *Tournament) stagedFixtures(yield func(Fixture) bool) {
	number := 0
	for _, encounters := range t.stages() {
		for range encounters * t.perEncounter() {
			group := number / 2
			if !yield(Fixture{
				Number: number, Group: group, Game: group % len(t.Games), Seed: t.Seed + uint64(number), OpeningSeed: t.Seed + uint64(group),
			}) {
				return
			}
			number++
		}
	}
}

// bracket returns the seeding of a knockout of n players: the first player meets the last, and the best two can only
// meet in the final. Places from n on are empty.
func bracket(n int) []int {
	places := []int{0}
	for len(places) < n {
		var next []int
		for _, p := range places {
			next = append(next, p, 2*len(places)-1-p)
		}
		places = next
	}
	return places
}

// encounterOf is a pair of players, the first seat first.
type encounterOf [2]int

// Seat returns an open fixture with its players.
func (l *Ledger) Seat(f Fixture) Fixture {
	if l.plan.staged() {
		pair := l.encounters[f.Number/l.plan.perEncounter()]
		f.Players = Rotated(pair[:], f.Number%2)
	}
	return f
}

// pairUp pairs the players of all open stages.
func (l *Ledger) pairUp() {
	if !l.plan.staged() {
		return
	}
	for sizes := l.plan.stages(); l.stage < len(sizes); l.stage++ {
		for n := range len(l.encounters) * l.plan.perEncounter() {
			if !l.Has(n) {
				return
			}
		}
		pairs := l.knockout
		if l.plan.Format == Swiss {
			pairs = l.swiss
		}
		l.encounters = append(l.encounters, pairs()...)
	}
}

// points returns the scores of both players of an encounter.
func (l *Ledger) points(encounter int) (first, second float64) {
	each := l.plan.perEncounter()
	for n := encounter * each; n < (encounter+1)*each; n++ {
		if goals := l.results[n].playerGoals(); len(goals) == 2 { // completed
			score := matchScore(goals[n%2], goals[1-n%2])
			first, second = first+score, second+1-score
		}
	}
	return first, second
}

// knockout pairs the remaining players: neighbours in the bracket.
func (l *Ledger) knockout() (pairs []encounterOf) {
	_, pairs = l.left()
	return pairs
}

// left returns the remaining players of a knockout in bracket order, -1 for empty places, and their open encounters.
func (l *Ledger) left() (places []int, pairs []encounterOf) {
	n := len(l.plan.Players)
	for _, p := range bracket(n) {
		if p >= n {
			p = -1
		}
		places = append(places, p)
	}
	for held := 0; len(places) > 1; {
		var winners []int
		for k := 0; k < len(places); k += 2 {
			a, b := places[k], places[k+1]
			switch {
			case a < 0 || b < 0:
				winners = append(winners, max(a, b))
			case held < len(l.encounters):
				first, second := l.points(held)
				if held++; second > first || second == first && b < a {
					a = b
				}
				winners = append(winners, a)
			default:
				pairs = append(pairs, encounterOf{a, b})
			}
		}
		if len(pairs) > 0 {
			return places, pairs
		}
		places = winners
	}
	return places, nil
}

// swiss pairs players of similar scores who have not met. With an odd number of players, the lowest-ranked player
// without a bye gets a bye, which scores as a won encounter.
func (l *Ledger) swiss() []encounterOf {
	n := len(l.plan.Players)
	score, paused, order := make([]float64, n), make([]int, n), make([]int, n)
	met := make(map[encounterOf]bool)
	for e, pair := range l.encounters {
		a, b := l.points(e)
		score[pair[0]], score[pair[1]] = score[pair[0]]+a, score[pair[1]]+b
		met[pair], met[encounterOf{pair[1], pair[0]}] = true, true
		paused[pair[0]]--
		paused[pair[1]]--
	}
	for i := range order {
		order[i] = i
		paused[i] += l.stage // stages without an opponent
		score[i] += float64(paused[i] * l.plan.perEncounter())
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	if n%2 == 1 {
		rest := 0
		for i, p := range order {
			if paused[p] <= paused[order[rest]] {
				rest = i
			}
		}
		order = slices.Delete(order, rest, rest+1)
	}
	steps := 0
	if pairs := pairApart(order, met, &steps); pairs != nil || len(order) == 0 {
		return pairs
	}
	return pairApart(order, nil, &steps) // rematches are unavoidable
}

// maxSteps limits the search for pairings without rematches.
const maxSteps = 100_000

// pairApart pairs each player with the next one in order whom it has not met. It returns nil if it finds no such
// pairing within maxSteps.
func pairApart(order []int, met map[encounterOf]bool, steps *int) []encounterOf {
	if len(order) == 0 {
		return []encounterOf{}
	}
	for i := 1; i < len(order); i++ {
		if *steps++; met != nil && *steps > maxSteps {
			return nil
		}
		pair := encounterOf{order[0], order[i]}
		if met[pair] {
			continue
		}
		rest := slices.Concat(order[1:i], order[i+1:])
		if others := pairApart(rest, met, steps); others != nil {
			return append([]encounterOf{pair}, others...)
		}
	}
	return nil
}
