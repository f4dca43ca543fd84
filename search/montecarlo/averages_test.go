package montecarlo

import (
	"slices"
	"testing"

	"stackmate/reasoner/machine"
)

// noting is a batch of 64 lanes that has noted what it is told to.
type noting struct {
	machine.Batch
	roles  []machine.Role
	made   []uint64 // by feature
	ranks  []uint8
	draws  int
	noting bool
}

func (b *noting) Terminal() []uint64              { return make([]uint64, 1) }
func (b *noting) Features() []machine.Role        { return b.roles }
func (b *noting) Prefer(ranks []uint8, draws int) { b.ranks, b.draws = slices.Clone(ranks), draws }
func (b *noting) Note(lanes []uint64)             { b.noting = lanes != nil }
func (b *noting) Forget()                         {}

func (b *noting) Count(counts []int32, lanes [][]uint64) {
	for i, r := range b.roles {
		counts[i] = int32(popcount(b.made[i] & lanes[r][0]))
	}
}

func popcount(x uint64) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// Role 0 wins in the lanes below 32, and the moves of each role are ranked by how often it
// has won with them; what was hardly ever made stays in the middle.
func TestMovesThatWonArePreferred(t *testing.T) {
	low, high := uint64(1<<32-1), ^uint64(1<<32-1)
	b := &noting{roles: []machine.Role{0, 0, 0, 1, 1, 1}, made: []uint64{low, 1 << 40, high, low, 0, high}, noting: true}
	a := newAverages(b, 2)
	rng := machine.NewRand(1)
	for range averageRounds + 1 {
		a.begin()
		for lane := range 64 {
			goals := []int32{100, 0}
			if lane >= 32 {
				goals = []int32{0, 100}
			}
			a.take(rng, lane, goals)
		}
		a.end()
	}
	r := b.ranks
	if b.draws != averageDraws || b.noting || r[0] <= r[1] || r[1] < r[2] || r[5] <= r[4] || r[4] < r[3] {
		t.Errorf("ranks %v of %d draws", r, b.draws)
	}
}
