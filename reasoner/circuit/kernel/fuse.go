package kernel

import (
	"slices"
	"time"
)

// The translation for interpreting kernels: straight code becomes runs of gates of one form.
//
// Mispredicted branches limit an interpreting kernel; loads and stores also limit plain Go. So gates are
// list-scheduled, within chunks, into runs of one form, which share their branches. For plain Go, gates are
// first combined into cones of up to four inputs, whose inner values stay in registers (cover.go,
// fusedgates.go).
//
// Invariants: an observed row is written once, after every gate that reads its old value. Other values use
// the other rows that the code writes, and rows after the rows of the image. The row freed last is used first,
// so that few rows are used and stay in the cache. Cost: linear in operands, times the forms in a chunk.

// chunkGates is the number of gates that are scheduled together. Larger chunks give longer runs, smaller
// chunks use fewer rows: 512 gates of 512 lanes are 32 KB, the size of a first-level cache.
const chunkGates = 512

// fuser translates straight code into runs of fused gates.
type fuser struct {
	cover
	words int32
	rows  int32   // number of rows of the image
	most  int32   // greatest number of further rows that a segment uses
	used  int32   // number of further rows that this segment uses
	free  []int32 // rows free for values that are not observed
	taken []bool  // by row of the image: observed, or already in free while that is filled
	code  []int32

	// at: the row of a node's value. left: its remaining uses. readers: for a node that overwrites an input row,
	// the gates that must read the old value first.
	at, left []int32
	readers  [][]int32

	number  []int32   // by node: its number in the chunk, from 1; 0 outside
	waiting []int32   // by number: how many operands and readers must come first
	users   [][]int32 // by number: the gates that must come later
}

// groupRuns translates the programs of an executable into runs of the same gates.
func groupRuns(e *Executable, image *Image) error { return fuse(e, image, 0, []form{}) }

// fuse translates the programs of an executable into gates of known forms with at most the given number of
// leaves, and verifies the result. Wider gates are left whole.
func fuse(e *Executable, image *Image, leaves int8, known []form) error {
	words := int32(e.Words())
	observed := observedRows(e, image)
	f := &fuser{cover: cover{leaves: leaves, known: known}, words: words, rows: int32(e.rows), taken: slices.Clone(observed)}
	for _, program := range e.programs {
		for i := range program {
			f.reset(program[i].Code, observed)
			program[i].Code = f.schedule()
		}
	}
	e.spare = int(f.most)
	v := &verifier{words: int64(words), rows: int64(e.rows) + int64(f.most), fused: true}
	began := time.Now()
	for _, program := range e.programs {
		for i := range program {
			if err := v.segment(&Segment{Code: program[i].Code}); err != nil {
				return err
			}
		}
	}
	e.took += time.Since(began)
	return nil
}

// schedule returns the code of the cover.
func (f *fuser) schedule() []int32 {
	n := len(f.nodes)
	f.at, f.left, f.number = zeros(f.at, n), zeros(f.left, n), zeros(f.number, n)
	f.readers = append(f.readers, make([][]int32, max(0, n-len(f.readers)))...)
	f.code, f.used = nil, 0
	var order []int32
	for i := range f.nodes {
		n := &f.nodes[i]
		f.at[i], f.left[i], f.readers[i] = n.home, n.uses, f.readers[i][:0]
		if n.computed() {
			order = append(order, int32(i))
		}
	}
	f.free = f.free[:0]
	for i := range f.nodes {
		if n := &f.nodes[i]; n.isGate() && n.home >= 0 && !f.taken[n.home] {
			f.free, f.taken[n.home] = append(f.free, n.home), true
		}
	}
	for _, r := range f.free {
		f.taken[r] = false
	}
	f.findReaders(order)
	for chunk := range slices.Chunk(order, chunkGates) {
		f.chunk(chunk)
	}
	return f.code
}

// findReaders determines, for each node that overwrites an input row, the gates that read the old value.
func (f *fuser) findReaders(order []int32) {
	last := make(map[int32]int32) // by row
	for _, i := range order {
		if n := &f.nodes[i]; n.kept {
			last[n.home] = i
		}
	}
	for _, i := range order {
		for _, o := range f.operands(&f.nodes[i]) {
			if held := &f.nodes[o]; !held.isGate() {
				if by, ok := last[held.home]; ok && by != i {
					f.readers[by] = append(f.readers[by], i)
				}
			}
		}
	}
}

func zeros(s []int32, n int) []int32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// chunk schedules gates, given in order: it repeatedly appends the ready gates of the most frequent form as
// one run.
func (f *fuser) chunk(order []int32) {
	f.waiting = zeros(f.waiting, len(order)+1)
	f.users = append(f.users, make([][]int32, max(0, len(order)+1-len(f.users)))...)
	for k, i := range order {
		f.number[i], f.users[k+1] = int32(k+1), f.users[k+1][:0]
	}
	ready := make(map[header][]int32)
	for _, i := range order {
		for _, list := range [][]int32{f.operands(&f.nodes[i]), f.readers[i]} {
			for _, o := range list {
				if k := f.number[o]; k > 0 {
					f.users[k] = append(f.users[k], i)
					f.waiting[f.number[i]]++
				}
			}
		}
		if f.waiting[f.number[i]] == 0 {
			ready[f.header(i)] = append(ready[f.header(i)], i)
		}
	}
	for len(ready) > 0 {
		h := largest(ready)
		gates := ready[h]
		delete(ready, h)
		f.appendRun(h, gates)
		for _, i := range gates {
			for _, u := range f.users[f.number[i]] {
				if f.waiting[f.number[u]]--; f.waiting[f.number[u]] == 0 {
					ready[f.header(u)] = append(ready[f.header(u)], u)
				}
			}
		}
	}
	for _, i := range order {
		f.number[i] = 0
	}
}

// header is the form of a run's gates.
type header struct {
	op       Op
	pos, neg int32
}

// header returns the header of the runs that can contain node i.
func (f *fuser) header(i int32) header {
	n := &f.nodes[i]
	if n.list >= 0 {
		l := &f.lists[n.list]
		return header{l.op, int32(l.pos), int32(len(l.nodes) - l.pos)}
	}
	return f.known[n.table].header
}

// largest returns the form with the most gates; ties are broken deterministically.
func largest(ready map[header][]int32) (best header) {
	most := 0
	for h, gates := range ready {
		if n := len(gates); n > most || n == most && h.less(best) {
			best, most = h, n
		}
	}
	return best
}

func (h header) less(g header) bool {
	return h.op < g.op || h.op == g.op && (h.pos < g.pos || h.pos == g.pos && h.neg < g.neg)
}

// appendRun appends a run of gates of one form.
func (f *fuser) appendRun(h header, gates []int32) {
	f.code = append(f.code, int32(h.op), h.pos, h.neg, int32(len(gates)))
	for _, i := range gates {
		n := &f.nodes[i]
		operands := f.operands(n)
		target := len(f.code)
		f.code = append(f.code, 0)
		for k := range h.pos + h.neg {
			at := k
			if n.list < 0 {
				at = int32(f.known[n.table].leaf[k])
			}
			f.code = append(f.code, f.at[operands[at]]*f.words)
		}
		for _, o := range operands {
			if f.left[o]--; f.left[o] == 0 && f.nodes[o].isGate() && !f.nodes[o].kept {
				f.free = append(f.free, f.at[o])
			}
		}
		if !n.kept {
			f.at[i] = f.row()
		}
		f.code[target] = f.at[i] * f.words
	}
}

// row returns a free row for an internal value of the code.
func (f *fuser) row() int32 {
	if n := len(f.free); n > 0 {
		r := f.free[n-1]
		f.free = f.free[:n-1]
		return r
	}
	f.used++
	f.most = max(f.most, f.used)
	return f.rows + f.used - 1
}
