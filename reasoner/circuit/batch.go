package circuit

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
)

// batch implements machine.Batch: it simulates one position in each lane.
//
// rows holds a row for every signal, of `words` words. Load and Store convert between rows and packed positions, one for
// each lane, by transposition of 64×64 bits.
type batch struct {
	m           *Machine
	memory      *kernel.Memory
	rows        []uint64 // the rows of memory
	words       int
	terminal    []uint64
	stuck       []uint64
	wins        []uint64
	goalsOK     bool              // the goal rows are valid for the present positions
	chosen      []machine.Move    // by lane, then role: the chosen move, in whose row the lane's bit is set
	chosenStale bool              // ChooseRandom has written the move rows, but not chosen
	filled      machine.State     // the position that Fill last wrote to masked lanes
	filledWords []uint64          // by fluent: its value in filled, in all bits
	legal       []transposedMoves // by role: legal moves
	sensible    []transposedMoves // by role: moves of the policy if the machine has wins, otherwise legal moves
	block       [64]uint64
}

// transposedMoves holds sets of moves of a role, by lane: bit m%64 of word (lane/64*blocks + m/64)*64 + lane%64 is set
// if move m is in the set of the lane. It is computed on demand, for 64 lanes at a time.
type transposedMoves struct {
	table moveTable
	after int      // number of lanes that are read row by row before the rows are transposed
	reads int      // number of lanes read since Evaluate
	valid []bool   // by lane/64: words is valid for the present positions
	words []uint64 // allocated at the first transposition
}

const (
	// transposeAfter is the number of lanes that are read row by row before the rows are transposed. A transposition
	// takes about as long as reading three lanes of a large table of moves.
	transposeAfter = 2
	// leastTransposed is the least size of a transposed table. A transposition takes about 200 steps, as many as
	// reading a few lanes of a smaller table.
	leastTransposed = 24
)

var (
	_ machine.Batch      = (*batch)(nil)
	_ machine.Foreseeing = (*batch)(nil)
	_ machine.Preparing  = (*batch)(nil)
	_ machine.Recording  = (*batch)(nil)
	_ machine.Summing    = (*batch)(nil)
)

// NewBatch implements machine.Machine.
func (m *Machine) NewBatch() machine.Batch { return m.newBatch(m.wide) }

// NewNarrowBatch implements machine.Machine.
func (m *Machine) NewNarrowBatch() machine.Batch { return m.newBatch(m.narrow()) }

func (m *Machine) newBatch(e *kernel.Executable) *batch {
	w := e.Words()
	memory := e.NewMemory()
	b := &batch{
		m:        m,
		memory:   memory,
		rows:     memory.Rows(),
		words:    w,
		terminal: make([]uint64, w),
		stuck:    make([]uint64, w),
		wins:     make([]uint64, w),
		chosen:   make([]machine.Move, e.Lanes()*len(m.moves)),
		legal:    newTransposed(m.moves, w),
	}
	if b.sensible = b.legal; m.wins != nil {
		b.sensible = newTransposed(m.sensible, w)
	}
	for i := range b.chosen {
		b.chosen[i] = machine.NoMove
	}
	b.filled = make(machine.State, len(m.initial))
	b.filledWords = make([]uint64, len(m.names.Fluents))
	b.setFilled(m.initial)
	b.Fill(m.initial, nil)
	return b
}

// newTransposed returns empty sets of the given moves, by role, for `words` words per row.
func newTransposed(moves []moveTable, words int) []transposedMoves {
	list := make([]transposedMoves, len(moves))
	for r, table := range moves {
		list[r] = transposedMoves{table: table, after: transposeAfter, valid: make([]bool, words)}
		if table.size() < leastTransposed || !table.transposes() {
			list[r].after = math.MaxInt
		}
	}
	return list
}

// batchBytes returns the memory of a batch, except a few words.
func (m *Machine) batchBytes(e *kernel.Executable) int64 {
	lanes, roles := int64(e.Lanes()), int64(len(m.moves))
	blocks := int64(0)
	for _, table := range slices.Concat(m.moves, m.sensible) {
		if table.transposes() {
			blocks += int64(table.size()+63) / 64
		}
	}
	return e.MemoryBytes() + 8*int64(len(m.names.Fluents)) + 4*lanes*roles + 8*lanes*blocks
}

// rowRange returns n consecutive rows from row r on.
func (b *batch) rowRange(r int32, n int) []uint64 {
	at := int(r) * b.words
	return b.rows[at : at+n*b.words]
}

// Lanes implements machine.Batch.
func (b *batch) Lanes() int { return 64 * b.words }

// fluents returns the rows of the fluents, which are consecutive.
func (b *batch) fluents() []uint64 { return b.memory.Fluents() }

// Fill implements machine.Batch. Playouts restart lanes again and again from the same position, so the words of this
// position are kept.
func (b *batch) Fill(s machine.State, mask []uint64) {
	b.goalsOK = false
	if mask == nil {
		b.broadcast(b.fluents(), s)
		return
	}
	if !b.filled.Equal(s) {
		b.setFilled(s)
	}
	b.memory.Restore(b.filledWords, mask)
}

func (b *batch) setFilled(s machine.State) {
	copy(b.filled, s)
	for f := range b.filledWords {
		b.filledWords[f] = -(s[f>>6] >> (f & 63) & 1)
	}
}

// constantRows contains the first two words of a constant row, by its value.
var constantRows = [2][2]uint64{{}, {^uint64(0), ^uint64(0)}}

// broadcast writes a position to all lanes.
func (b *batch) broadcast(rows []uint64, s machine.State) {
	fluents := len(b.m.names.Fluents)
	for i, word := range s {
		for range min(64, fluents-64*i) {
			if b.words == 2 {
				// Each node of a search needs this case. It stores 16 bytes at once, because the following loads of
				// 16 bytes would wait for two stores of 8.
				*(*[2]uint64)(rows) = constantRows[word&1]
			} else {
				for w := range b.words {
					rows[w] = constantRows[word&1][0]
				}
			}
			rows, word = rows[b.words:], word>>1
		}
	}
}

// Load implements machine.Batch.
func (b *batch) Load(states []uint64, n int) {
	b.goalsOK = false
	if n == 1 {
		b.Fill(states, nil)
		return
	}
	stride := len(b.m.Initial())
	rows := b.fluents()
	fluents := len(b.m.names.Fluents)
	for lane := 0; lane < n; lane += 64 {
		count := min(64, n-lane)
		for first := 0; first < fluents; first += 64 {
			for i := range count {
				b.block[i] = states[(lane+i)*stride+first>>6]
			}
			clear(b.block[count:])
			transpose(&b.block, count, transposePrefix)
			for i := range min(64, fluents-first) {
				rows[(first+i)*b.words+lane>>6] = b.block[i]
			}
		}
	}
}

// Store implements machine.Batch.
func (b *batch) Store(dst []uint64, n int) {
	stride := len(b.m.Initial())
	rows := b.fluents()
	fluents := len(b.m.names.Fluents)
	if n == 1 {
		b.storeFirst(dst[:stride], rows, fluents)
		return
	}
	for lane := 0; lane < n; lane += 64 {
		for word := range stride {
			count := max(0, min(64, fluents-word*64))
			for i := range count {
				b.block[i] = rows[(word*64+i)*b.words+lane>>6]
			}
			clear(b.block[count:])
			transpose(&b.block, min(64, n-lane), transposeFirst)
			for i := range min(64, n-lane) {
				dst[(lane+i)*stride+word] = b.block[i]
			}
		}
	}
}

// storeFirst stores the position of the first lane.
func (b *batch) storeFirst(dst, rows []uint64, fluents int) {
	for i := range dst {
		word := uint64(0)
		for bit := range min(64, fluents-64*i) {
			word |= rows[0] & 1 << bit
			rows = rows[b.words:]
		}
		dst[i] = word
	}
}

// Evaluate implements machine.Batch.
func (b *batch) Evaluate(int) {
	b.memory.Run(evaluate)
	b.goalsOK = false
	for r := range b.legal {
		b.legal[r].invalidate()
		b.sensible[r].invalidate()
	}
	b.read(b.terminal, b.m.terminal)
	b.read(b.stuck, b.m.stuck)
}

// Prepare implements machine.Preparing.
func (b *batch) Prepare(int) { b.memory.Run(b.m.prepareProgram) }

func (b *batch) read(dst []uint64, o output) {
	for w, word := range b.rowRange(o.row, 1) {
		dst[w] = word ^ o.complement
	}
}

// bit returns the value of an output in a lane.
func (b *batch) bit(o output, lane int) bool {
	word := b.rows[int(o.row)*b.words+lane>>6] ^ o.complement
	return word>>(uint(lane)&63)&1 != 0
}

// Terminal implements machine.Batch.
func (b *batch) Terminal() []uint64 { return b.terminal }

// Stuck implements machine.Batch.
func (b *batch) Stuck() []uint64 { return b.stuck }

// Wins implements machine.Foreseeing.
func (b *batch) Wins(r machine.Role) (goal int32, lanes []uint64) {
	if b.m.wins != nil {
		b.read(b.wins, b.m.wins[r])
		for w, terminal := range b.terminal {
			b.wins[w] &^= terminal // regressed conditions are undefined in terminal positions
		}
	}
	return b.m.bestGoals[r], b.wins
}

// AppendLegal implements machine.Batch.
func (b *batch) AppendLegal(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	return b.appendMoves(dst, lane, &b.legal[r])
}

// AppendSensible implements machine.Foreseeing.
func (b *batch) AppendSensible(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	return b.appendMoves(dst, lane, &b.sensible[r])
}

// invalidate discards the transposed moves, after a change of the positions.
func (t *transposedMoves) invalidate() {
	if t.reads > 0 {
		t.reads = 0
		clear(t.valid)
	}
}

func (b *batch) appendMoves(dst []machine.Move, lane int, t *transposedMoves) []machine.Move {
	if t.reads++; t.reads <= t.after {
		if whole, ok := t.table.(*wholeTable); ok {
			return whole.appendLegal(b, dst, lane) // a direct call: 4 % of a list of moves
		}
		return t.table.appendLegal(b, dst, lane)
	}
	return b.appendTransposed(dst, lane, t)
}

// appendTransposed appends the moves of a lane from the transposed rows, which it computes if they are invalid.
func (b *batch) appendTransposed(dst []machine.Move, lane int, t *transposedMoves) []machine.Move {
	word, blocks := lane>>6, (t.table.size()+63)/64
	if !t.valid[word] {
		b.transposeMoves(t, word)
	}
	for i := range blocks {
		first := machine.Move(64 * i)
		for w := t.words[(word*blocks+i)*64+lane&63]; w != 0; w &= w - 1 {
			dst = append(dst, first+machine.Move(bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// transposeMoves transposes the rows of moves for the 64 lanes of a word.
func (b *batch) transposeMoves(t *transposedMoves, word int) {
	moves := t.table.size()
	blocks := (moves + 63) / 64
	if t.words == nil {
		t.words = make([]uint64, 64*blocks*b.words)
	}
	for i := range blocks {
		block := (*[64]uint64)(t.words[(word*blocks+i)*64:])
		count := min(64, moves-64*i)
		t.table.readLegal(b, block[:count], 64*i, word)
		clear(block[count:])
		transpose(block, 64, transposeFirst)
	}
	t.valid[word] = true
}

// Goals implements machine.Batch.
func (b *batch) Goals(dst []int32, lane int) {
	b.evaluateGoals()
	for r, goals := range b.m.goals {
		dst[r] = machine.NoGoal
		found := 0
		for _, g := range goals {
			if b.bit(g.when, lane) {
				dst[r] = g.value
				found++
			}
		}
		if found > 1 {
			dst[r] = machine.NoGoal
		}
	}
}

func (b *batch) evaluateGoals() {
	if !b.goalsOK {
		b.memory.Run(goal)
		b.goalsOK = true
	}
}

// Choose implements machine.Batch.
func (b *batch) Choose(lane int, r machine.Role, m machine.Move) {
	if b.chosenStale {
		b.clearMoves()
	}
	last := &b.chosen[lane*len(b.m.moves)+int(r)]
	if *last == m {
		return // as often as the role has a single legal move
	}
	if whole, ok := b.m.moves[r].(*wholeTable); ok {
		whole.replace(b, lane, *last, m) // a direct call: 3 % of an expansion
	} else {
		b.m.moves[r].replace(b, lane, *last, m)
	}
	*last = m
}

// clearMoves clears the move rows of all lanes.
func (b *batch) clearMoves() {
	for _, table := range b.m.moves {
		for _, rows := range table.inputs() {
			clear(b.rowRange(rows[0], int(rows[1])))
		}
	}
	for i := range b.chosen {
		b.chosen[i] = machine.NoMove
	}
	b.chosenStale = false
}

// ChooseRandom implements machine.Batch.
func (b *batch) ChooseRandom(rng *machine.Rand, _ int) {
	b.memory.ChooseRandom(rng)
	b.chosenStale = true
}

// Chosen implements machine.Recording.
func (b *batch) Chosen(r machine.Role) []uint64 {
	whole, ok := b.m.moves[r].(*wholeTable)
	if !ok {
		return nil
	}
	return b.rowRange(whole.does, len(whole.legal))
}

// Advance implements machine.Batch.
func (b *batch) Advance(int) {
	b.memory.Run(advance)
	b.goalsOK = false
}

// AddGoals implements machine.Summing. It counts the lanes of each goal value.
func (b *batch) AddGoals(totals []int64, mask []uint64) {
	b.evaluateGoals()
	for r, goals := range b.m.goals {
		for _, g := range goals {
			if g.value == machine.NoGoal {
				continue
			}
			count := 0
			for w, word := range b.rowRange(g.when.row, 1) {
				count += bits.OnesCount64((word ^ g.when.complement) & mask[w])
			}
			totals[r] += int64(g.value) * int64(count)
		}
	}
}
