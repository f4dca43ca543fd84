package book

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The file of a solution is a gzip stream (RFC 1952), which guards it against
// damage. Within it:
//
//	line      the header, one JSON object: format, version, game, rules, method,
//	          positions, roles, moves (by role), fluents
//	positions one after the other:
//	  uvarint   how many of the fluents of the position before, the last ones, are not true
//	  uvarint   number of fluents that are true and come after the others
//	  uvarint…  each of them: the distance from the one before (at first from -1)
//	  8 bytes   value, IEEE 754, little-endian, in goal points of the first player
//	  for each role:
//	    uvarint   number of moves with positive probability
//	    each:     uvarint move, 8 bytes probability
//
// Fluents and moves are numbers of the header's lists, so a file does not depend
// on the engine that wrote it. Positions are sorted, so that one has much in common with the one before (front coding).

const (
	formatName    = "stackmate solution"
	formatVersion = 2
	// maxHeader bounds the header, in bytes. That of the largest known games is
	// a few megabytes long.
	maxHeader = 1 << 26
)

// header is the first line of a file.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Label
	Positions int        `json:"positions"`
	Roles     []string   `json:"roles"`
	Moves     [][]string `json:"moves"`
	Fluents   []string   `json:"fluents"`
}

// Save writes the book to a file, which appears complete or not at all.
func (b *Book) Save(path string) error {
	if err := atomicfile.WriteTo(path, b.write); err != nil {
		return fmt.Errorf("cannot save the solution: %w", err)
	}
	return nil
}

// write writes the positions in the order of their first fluents, so that equal books
// make equal files.
func (b *Book) write(w io.Writer) error {
	z := gzip.NewWriter(w)
	names := b.machine.Names()
	h := header{
		Format: formatName, Version: formatVersion, Label: b.Label, Positions: len(b.claims),
		Roles: names.Roles, Fluents: names.FluentTexts(),
	}
	for r := range names.Roles {
		h.Moves = append(h.Moves, names.MoveTexts(machine.Role(r)))
	}
	err := json.NewEncoder(z).Encode(h)
	var record []byte
	var q machine.State
	var held, before []int32
	for _, key := range slices.SortedFunc(maps.Keys(b.claims), byFirstBit) {
		if err != nil {
			return err
		}
		q = machine.AppendState(q[:0], key)
		held = names.Unpack(held[:0], q)
		record = appendPosition(record[:0], held, before)
		record = appendClaim(record, len(names.Roles), b.claims[key])
		held, before = before, held
		_, err = z.Write(record)
	}
	if err != nil {
		return err
	}
	return z.Close()
}

// byFirstBit compares the keys of positions: less is the one in which the first bit is set that is not the same in both.
func byFirstBit(a, b string) int {
	for i := range len(a) {
		if differ := a[i] ^ b[i]; differ != 0 {
			return int(b[i]&-differ&differ) - int(a[i]&-differ&differ)
		}
	}
	return 0
}

func appendPosition(dst []byte, held, before []int32) []byte {
	same, last := 0, int32(-1)
	for same < min(len(held), len(before)) && held[same] == before[same] {
		last = held[same]
		same++
	}
	dst = binary.AppendUvarint(dst, uint64(len(before)-same))
	dst = binary.AppendUvarint(dst, uint64(len(held)-same))
	for _, f := range held[same:] {
		dst = binary.AppendUvarint(dst, uint64(f-last))
		last = f
	}
	return dst
}

func appendClaim(dst []byte, roles int, claim search.Claim) []byte {
	dst = appendFloat(dst, claim.Value)
	for r := range roles {
		var strategy []search.Weighted
		if r < len(claim.Strategies) {
			strategy = claim.Strategies[r]
		}
		dst = binary.AppendUvarint(dst, uint64(len(strategy)))
		for _, w := range strategy {
			dst = binary.AppendUvarint(dst, uint64(w.Move))
			dst = appendFloat(dst, w.Probability)
		}
	}
	return dst
}

func appendFloat(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// Load reads a book for the machine of a game whose rules have the digest given.
// It refuses files that are damaged or hold the solution of other rules, and
// says which. It takes up to maxBytes of memory; zero means no bound.
func Load(path string, m machine.Machine, rules string, maxBytes int64) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the solution: %w", err)
	}
	defer f.Close()
	b, err := read(f, m, rules, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// errFormat is the error of a file that is no solution at all.
var errFormat = errors.New("expected a solution saved by stackmate, found something else")

func read(from io.Reader, m machine.Machine, rules string, maxBytes int64) (*Book, error) {
	in, line, err := open(from)
	var h header
	switch {
	case err != nil || json.Unmarshal(line, &h) != nil || h.Format != formatName:
		return nil, errFormat
	case h.Version != formatVersion:
		return nil, fmt.Errorf("expected version %d of the format, found %d", formatVersion, h.Version)
	case h.Rules != rules:
		return nil, fmt.Errorf("expected a solution of these rules, found one of %s, whose rules are others", h.Game)
	}
	r, err := newReader(in, h, m.Names())
	if err != nil {
		return nil, err
	}
	b := New(m, h.Label, maxBytes)
	for i := range h.Positions {
		q, claim, err := r.record()
		if err == nil {
			err = b.add(q, claim)
		}
		if err != nil {
			return nil, fmt.Errorf("position %d of %d: %w", i+1, h.Positions, err)
		}
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("after %d positions: expected the end, found more, or damage", h.Positions)
	}
	return b, nil
}

// open begins to read a gzip stream. It returns what follows the first line, a header of a bounded length, and that line.
func open(from io.Reader) (in *bufio.Reader, line []byte, err error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, nil, err
	}
	in = bufio.NewReaderSize(z, 1<<16)
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return in, line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxHeader {
			return nil, nil, err
		}
	}
}
