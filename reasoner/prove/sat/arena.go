package sat

// ref is the index of a clause in the arena; 0 is no clause.
type ref uint32

// arena holds the clauses of three or more literals in one slice: two header words and the literals.
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

// lits returns the literals of a clause, without a copy.
func (a *arena) lits(c ref) []Lit {
	from := int(c) + 2
	return a.mem[from : from+int(a.mem[c])]
}

func (a *arena) lbd(c ref) uint32 { return uint32(a.mem[c+1]) >> clauseLBD }

func (a *arena) setLBD(c ref, lbd uint32) { a.mem[c+1] = a.mem[c+1]&3 | Lit(lbd<<clauseLBD) }

// markUsed marks a learnt clause as used, and reports whether the clause is learnt.
func (a *arena) markUsed(c ref) bool {
	if a.mem[c+1] == 0 {
		return false
	}
	a.mem[c+1] |= clauseUsed
	return true
}

// clearUsed clears the mark of a clause, and reports whether it was set.
func (a *arena) clearUsed(c ref) bool {
	used := a.mem[c+1]&clauseUsed != 0
	a.mem[c+1] &^= clauseUsed
	return used
}

func (a *arena) forget(c ref) { a.mem[c+1] |= clauseForgotten }

func (a *arena) isForgotten(c ref) bool { return a.mem[c+1]&clauseForgotten != 0 }
