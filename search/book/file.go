package book

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The file of a solution is a gzip stream (RFC 1952), whose checksum detects damage. Its content:
//
//	line      the header, one JSON object: format, version, game, rules, method,
//	          positions, roles, moves (by role), fluents
//	positions one after the other:
//	  uvarint   number of true fluents of the preceding position to drop from its end
//	  uvarint   number of true fluents after the common ones
//	  uvarint…  each of them: distance from its predecessor (initially from -1)
//	  8 bytes   value, IEEE 754, little-endian, in goal points of the first player
//	  for each role:
//	    uvarint   number of moves with positive probability
//	    each:     uvarint move, 8 bytes probability
//
// Fluents and moves are indices into the lists of the header, so a file does not depend on the engine.
// Positions are sorted, so neighbours share long prefixes (front coding).

const (
	formatName    = "stackmate solution"
	formatVersion = 2
	// maxHeader is the maximum size of the header in bytes. The headers of the largest known games have a
	// few megabytes.
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

// Save writes the book to a file atomically.
func (b *Book) Save(path string) error {
	if err := atomicfile.WriteTo(path, b.write); err != nil {
		return fmt.Errorf("cannot save the solution: %w", err)
	}
	return nil
}

// write writes the positions in the order of their first fluents, so equal books give equal files.
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

// byFirstBit compares the keys of positions by their first different bit; the position in which it is set
// is less.
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

// CanReplace returns an error if a file at the path would be lost: it has content and is no solution.
func CanReplace(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (info.Size() == 0 || !info.Mode().IsRegular()) {
		return nil
	} else if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var h header
	if _, line, err := open(f); err != nil || json.Unmarshal(line, &h) != nil || h.Format != formatName {
		return fmt.Errorf("%s is not replaced: %w", path, errFormat)
	}
	return nil
}

// Load reads a book for the machine of a game with the given digest of its rules. It returns an error for
// damaged files and for solutions of other rules. It uses at most maxBytes of memory; zero means no limit.
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

// errFormat is the error for a file that is not a solution.
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

// open opens a gzip stream and reads its first line, a header of bounded length. It returns the rest of
// the stream and the line.
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
