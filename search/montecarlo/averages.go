package montecarlo

import (
	"cmp"
	"slices"

	"stackmate/reasoner/machine"
)

// Playouts that learn: moves that were made in games that their role won are preferred in
// later ones, whatever the position (the move-average sampling technique of Finnsson and
// Björnsson, "Simulation-based approach to general game playing", 2008). Preferring is a
// choice among averageDraws random moves (machine.Selective), so all lanes stay in step.
//
// Cost: as much again as random moves take, 5 to 60 % of a playout.

const (
	// averageDraws: 3 are better in reversi and worse in breakthrough (README.md).
	averageDraws = 2
	// averageDecay is what a round counts when the next one is over: those of the last 200
	// count most.
	averageDecay = 0.995
	// averagePrior is the number of games of average outcome that each feature begins with.
	averagePrior = 30
	// averageRounds: moves are ranked anew after so many rounds.
	averageRounds = 4
)

// averages are what the playouts of a worker have learnt.
type averages struct {
	batch  machine.Selective
	roles  []machine.Role // by feature
	ended  [][]uint64     // by role: the lanes whose game has ended, of one mask
	won    [][]uint64     // by role: those of them that it has won
	counts []int32
	made   []float64 // by feature: games in which it was made
	wins   []float64 // and those that its role has won
	value  []float64 // share of games won, with the prior
	ranks  []uint8
	order  []int // features by role, then value
	rounds int
}

// newAverages is nil where random moves are what they are.
func newAverages(b machine.Batch, roles int) *averages {
	s, ok := b.(machine.Selective)
	if !ok {
		return nil
	}
	a := &averages{batch: s, roles: s.Features()}
	lanes := make([]uint64, len(b.Terminal()))
	for range roles {
		a.ended, a.won = append(a.ended, lanes), append(a.won, make([]uint64, len(lanes)))
	}
	n := len(a.roles)
	a.counts, a.ranks, a.order = make([]int32, n), make([]uint8, n), make([]int, n)
	a.made, a.wins, a.value = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range a.order {
		a.order[i] = i
	}
	return a
}

// begin is called before a round.
func (a *averages) begin() {
	clear(a.ended[0])
	for _, lanes := range a.won {
		clear(lanes)
	}
	a.batch.Forget()
}

// take takes note of a game that has ended. Goals between 0 and 100 are won at random, as
// often as they say.
func (a *averages) take(rng *machine.Rand, lane int, goals []int32) {
	bit := uint64(1) << uint(lane&63)
	a.ended[0][lane>>6] |= bit
	for r, g := range goals {
		if rng.Intn(machine.MaxGoal) < int(g) {
			a.won[r][lane>>6] |= bit
		}
	}
}

// end learns from a round.
func (a *averages) end() {
	a.batch.Note(nil)
	a.add(a.made, a.ended)
	a.add(a.wins, a.won)
	if a.rounds++; a.rounds%averageRounds == 1 {
		a.rank()
		a.batch.Prefer(a.ranks, averageDraws)
	}
}

// add adds, for each feature, the number of lanes of a mask in which it was made.
func (a *averages) add(sums []float64, lanes [][]uint64) {
	a.batch.Count(a.counts, lanes)
	for i, n := range a.counts {
		sums[i] = averageDecay*sums[i] + float64(n)
	}
}

// rank gives the features of a role that are made equally often ranks of equal number.
func (a *averages) rank() {
	made, wins := make([]float64, len(a.won)), make([]float64, len(a.won)) // by role
	for i, r := range a.roles {
		made[r], wins[r] = made[r]+a.made[i]+1, wins[r]+a.wins[i]
	}
	for i, r := range a.roles {
		a.value[i] = (a.wins[i] + averagePrior*wins[r]/made[r]) / (a.made[i] + averagePrior)
	}
	slices.SortFunc(a.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.roles[i], a.roles[j]), cmp.Compare(a.value[i], a.value[j]), cmp.Compare(i, j))
	})
	below := make([]float64, len(a.won))
	for _, i := range a.order {
		r := a.roles[i]
		a.ranks[i] = uint8((machine.MaxRank + 1) * below[r] / made[r])
		below[r] += a.made[i] + 1
	}
}
