package montecarlo

import (
	"math/bits"
	"unsafe"
)

// spans allocates the moves of opened nodes: chunks of equal size, cut into spans of a few sizes. A freed
// span serves the next node of the same size. If memory is full, a smaller node takes a part of it and the
// rest stays free. A node with more moves than a chunk has a chunk of its own.
//
// A span is identified by its first element: the number of the chunk in the upper bits, the index in the
// chunk in the lower bits.
type spans struct {
	shift  uint
	chunks [][]stat
	last   int32         // the chunk that is being cut
	filled int           // elements of the last chunk in use
	free   map[int]int32 // by size: head of the list of free spans, complemented as in links; chained by visits
	unused []int32       // numbers of freed chunks
	bytes  int64
}

const statBytes = int64(unsafe.Sizeof(stat{}))

func newSpans(chunkBytes int64) spans {
	shift := uint(bits.Len64(uint64(max(1, chunkBytes/statBytes))) - 1)
	return spans{shift: shift, filled: 1 << shift, free: map[int]int32{}}
}

// from returns the elements of the chunk from element span on.
func (s *spans) from(span int32) []stat {
	return s.chunks[span>>s.shift][span&(1<<s.shift-1):]
}

// spanSize returns the size of a span for n moves: n rounded up to three significant bits. Less than a
// fifth is lost.
func spanSize(n int) int {
	shift := max(bits.Len(uint(n)), 3) - 3
	return max(1, (n+1<<shift-1)>>shift<<shift)
}

// allocate returns a span for n moves, or none if that needs more than room bytes.
func (s *spans) allocate(n int, room int64) int32 {
	size, whole := spanSize(n), 1<<s.shift
	if size > whole {
		if room < int64(n)*statBytes {
			return none
		}
		return s.chunk(n) << s.shift
	}
	if span := s.pop(size); span != none {
		return span
	}
	if s.filled+size > whole {
		if room < statBytes<<s.shift {
			return s.carve(size)
		}
		s.cut(s.last<<s.shift+int32(s.filled), whole-s.filled)
		s.last, s.filled = s.chunk(whole), 0
	}
	s.filled += size
	return s.last<<s.shift + int32(s.filled-size)
}

// chunk allocates a chunk and returns its number.
func (s *spans) chunk(size int) int32 {
	s.bytes += int64(size) * statBytes
	if k := len(s.unused); k > 0 {
		number := s.unused[k-1]
		s.unused = s.unused[:k-1]
		s.chunks[number] = make([]stat, size)
		return number
	}
	s.chunks = append(s.chunks, make([]stat, size))
	return int32(len(s.chunks) - 1)
}

// giveBack frees the span of n moves.
func (s *spans) giveBack(span int32, n int) {
	size := spanSize(n)
	if size <= 1<<s.shift {
		s.push(span, size)
		return
	}
	number := span >> s.shift
	s.bytes -= int64(len(s.chunks[number])) * statBytes
	s.chunks[number] = nil
	s.unused = append(s.unused, number)
}

// carve cuts a span from a larger free span, or returns none.
func (s *spans) carve(size int) int32 {
	for larger := spanSize(size + 1); larger <= 1<<s.shift; larger = spanSize(larger + 1) {
		if span := s.pop(larger); span != none {
			s.cut(span+int32(size), larger-size)
			return span
		}
	}
	return none
}

// cut frees n elements in spans as large as possible.
func (s *spans) cut(first int32, n int) {
	for n > 0 {
		shift := max(bits.Len(uint(n)), 3) - 3
		size := n >> shift << shift
		s.push(first, size)
		first, n = first+int32(size), n-size
	}
}

func (s *spans) push(span int32, size int) {
	s.from(span)[0].visits, s.free[size] = ^s.free[size], ^span
}

// pop removes and returns a free span of a size, or none.
func (s *spans) pop(size int) int32 {
	span := ^s.free[size]
	if span != none {
		s.free[size] = ^s.from(span)[0].visits
	}
	return span
}
