package sat

// ref is the place of a clause in the arena; 0 is none.
type ref uint32

// arena holds the clauses of three literals or more, one after the other: the number
// of literals, what is known of the clause, and the literals.
//
//	word 0  number of literals
//	word 1  LBD << 2 | forgotten << 1 | used; 0 for a clause of the problem
type arena struct{ mem []Lit }

const (
	clauseUsed = 1 << iota
	clauseForgotten
	clauseLBD = 2 // shift
)

func (a *arena) add(lits []Lit, lbd uint32) ref {
	c := ref(len(a.mem))
	a.mem = append(a.mem, Lit(len(lits)), Lit(lbd<<clauseLBD|min(lbd, 1)*clauseUsed))
	a.mem = append(a.mem, lits...)
	return c
}

// lits are the literals of a clause, in place.
func (a *arena) lits(c ref) []Lit {
	from := int(c) + 2
	return a.mem[from : from+int(a.mem[c])]
}

func (a *arena) lbd(c ref) uint32 { return uint32(a.mem[c+1]) >> clauseLBD }

func (a *arena) setLBD(c ref, lbd uint32) { a.mem[c+1] = a.mem[c+1]&3 | Lit(lbd<<clauseLBD) }

// use takes note that a learnt clause was of use, and tells whether it is one.
func (a *arena) markUsed(c ref) bool {
	if a.mem[c+1] == 0 {
		return false
	}
	a.mem[c+1] |= clauseUsed
	return true
}

// wasUsed tells whether a clause was of use since the last call.
func (a *arena) clearUsed(c ref) bool {
	used := a.mem[c+1]&clauseUsed != 0
	a.mem[c+1] &^= clauseUsed
	return used
}

func (a *arena) forget(c ref) { a.mem[c+1] |= clauseForgotten }

func (a *arena) isForgotten(c ref) bool { return a.mem[c+1]&clauseForgotten != 0 }
