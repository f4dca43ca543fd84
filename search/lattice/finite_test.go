package lattice

import "fmt"

// Finite is a set of values 0 … n-1 given by the tables of its operations.
type Finite struct {
	kind        Kind
	meet, join  [][]int
	bottom, top int
}

var _ Values[int] = (*Finite)(nil)

// NewFinite makes values of two tables of n×n numbers each, and finds out which kind
// they are of. The error tells which entry is no value. Where no value is below, or
// above, all others, Bottom or Top is value 0: such values are None.
func NewFinite(meet, join [][]int) (*Finite, error) {
	n := len(meet)
	for name, table := range map[string][][]int{"meet": meet, "join": join} {
		if len(table) != n {
			return nil, fmt.Errorf("expected tables of %d rows, found %d in the %s", n, len(table), name)
		}
		for a, row := range table {
			if len(row) != n {
				return nil, fmt.Errorf("expected %d numbers in row %d of the %s, found %d", n, a, name, len(row))
			}
			for b, v := range row {
				if v < 0 || v >= n {
					return nil, fmt.Errorf("expected a value from 0 to %d, found %s(%d, %d) = %d", n-1, name, a, b, v)
				}
			}
		}
	}
	f := &Finite{meet: meet, join: join}
	for v := range n {
		below, above := true, true
		for w := range n {
			below, above = below && f.LessEq(v, w), above && f.LessEq(w, v)
		}
		if below {
			f.bottom = v
		}
		if above {
			f.top = v
		}
	}
	f.kind, _ = Check[int](f, f.All()) // nothing is declared yet
	return f, nil
}

// All lists the values.
func (f *Finite) All() []int {
	all := make([]int, len(f.meet))
	for i := range all {
		all[i] = i
	}
	return all
}

// Kind implements Values.
func (f *Finite) Kind() Kind { return f.kind }

// Meet implements Values.
func (f *Finite) Meet(a, b int) int { return f.meet[a][b] }

// Join implements Values.
func (f *Finite) Join(a, b int) int { return f.join[a][b] }

// LessEq implements Values.
func (f *Finite) LessEq(a, b int) bool { return f.join[a][b] == b }

// Bottom implements Values.
func (f *Finite) Bottom() int { return f.bottom }

// Top implements Values.
func (f *Finite) Top() int { return f.top }
