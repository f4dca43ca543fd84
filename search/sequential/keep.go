package sequential

import (
	"fmt"
	"iter"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// A record is the logarithm of the work, the position, and the packed entry.

// The most expensive entries are kept. Cost keptCost stands for at least four nodes: cheaper entries are many, and
// quickly recomputed. With at most keptEntries entries a checkpoint every minute takes little time. On connect
// four 5×5, a search resumed with a thousand entries takes 1.08 to 1.28 times the nodes of one with all entries.
const (
	keptCost    = 3
	keptEntries = 1 << 20
)

var _ search.Keeper = (*Solver)(nil)

// Kept implements search.Keeper.
func (v *Solver) Kept() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		if v.table == nil {
			return
		}
		cheapest := keptFrom(v.table.Costs())
		var record []uint64
		v.table.Each(func(s machine.State, value []uint64, cost uint8) bool {
			if int(cost) < cheapest {
				return true
			}
			record = append(append(append(record[:0], uint64(cost)), s...), value...)
			return yield(record)
		})
	}
}

// keptFrom returns the least cost at which at most keptEntries entries are kept.
func keptFrom(entries [65]int64) int {
	kept := int64(0)
	for cost := len(entries) - 1; cost >= keptCost; cost-- {
		if kept += entries[cost]; kept > keptEntries {
			return cost + 1
		}
	}
	return keptCost
}

// Keep implements search.Keeper: it merges records into the table. It stops with an error at a record of another length,
// or with bounds or a role out of range; earlier records stay.
func (v *Solver) Keep(m machine.Machine, maxBytes int64, records iter.Seq2[[]uint64, error]) error {
	if err := v.prepare(m, maxBytes); err != nil {
		return err
	}
	entry, memory := make([]uint64, 2*v.table.ValueWords()), make([]uint64, len(v.machine.Initial()))
	n := 0
	for record, err := range records {
		if err != nil {
			return err
		}
		n++
		words := len(v.machine.Initial())
		if len(record) != 1+words+len(entry)/2 || record[0] >= 64 {
			return fmt.Errorf("record %d: expected %d words, found %d words or a cost out of range", n, 1+words+len(entry)/2, len(record))
		}
		position := record[1 : 1+words]
		copy(entry, record[1+words:])
		e := v.packing.unpack(entry)
		b := e.proved
		if !(0 <= b.Lower && b.Lower <= b.Upper && b.Upper <= machine.MaxGoal) || int(e.role) >= len(v.machine.Names().Roles) || e.role < -1 {
			return fmt.Errorf("record %d: expected bounds of a value, found %v", n, b)
		}
		v.table.Update(entry, v.table.Key(memory, position), 1<<record[0]>>1, v.packing.merge)
	}
	return nil
}
