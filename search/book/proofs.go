package book

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The proofs of an unfinished search are a gzip stream, too. Its content:
//
//	line      a header like the header of a solution, with the words of a record
//	records   until the end: little-endian words of 8 bytes
//
// Records contain packed positions, so the file is valid only for the same engine.

const (
	proofsName    = "stackmate proofs"
	proofsVersion = 1
	// maxRecord is the maximum number of words of a record: positions of four million fluents.
	maxRecord = 1 << 16
)

// proofsHeader is the first line of a file.
type proofsHeader struct {
	header
	Words int `json:"words"` // of a record; 0 without records
}

// errOpen is the error for engines without stable fluent numbers.
var errOpen = errors.New("cannot save proofs: this engine numbers fluents differently in every run")

// CanSaveProofs returns an error if the engine of m has no stable fluent numbers.
func CanSaveProofs(m machine.Machine) error {
	if m.Names().Open != nil {
		return errOpen
	}
	return nil
}

// SaveProofs writes the proofs of a search to a file atomically.
func SaveProofs(path string, m machine.Machine, label Label, k search.Keeper) error {
	if err := CanSaveProofs(m); err != nil {
		return err
	}
	if err := atomicfile.WriteTo(path, func(w io.Writer) error { return writeProofs(w, m, label, k) }); err != nil {
		return fmt.Errorf("cannot save proofs: %w", err)
	}
	return nil
}

func writeProofs(w io.Writer, m machine.Machine, label Label, k search.Keeper) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(z, 1<<16)
	names := m.Names()
	h := proofsHeader{header: header{
		Format: proofsName, Version: proofsVersion, Label: label, Roles: names.Roles, Moves: names.Moves, Fluents: names.Fluents,
	}}
	var packed []byte
	for record := range k.Kept() {
		if h.Words == 0 {
			h.Words = len(record)
			err = json.NewEncoder(out).Encode(h)
		}
		packed = machine.State(record).AppendBytes(packed[:0])
		if err == nil {
			_, err = out.Write(packed)
		}
		if err != nil {
			return err
		}
	}
	if h.Words == 0 {
		if err = json.NewEncoder(out).Encode(h); err != nil {
			return err
		}
	}
	if err = out.Flush(); err != nil {
		return err
	}
	return z.Close()
}

// LoadProofs resumes a search from a file, for the machine of a game and the method in the label, with at
// most maxBytes of memory.
func LoadProofs(path string, m machine.Machine, label Label, k search.Keeper, maxBytes int64) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot go on with a search: %w", err)
	}
	defer f.Close()
	if err := readProofs(f, m, label, k, maxBytes); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var errProofs = errors.New("expected a search kept by stackmate solve --save, found something else")

func readProofs(from io.Reader, m machine.Machine, label Label, k search.Keeper, maxBytes int64) error {
	in, line, err := open(from)
	var h proofsHeader
	if err != nil || json.Unmarshal(line, &h) != nil || h.Format != proofsName || h.Words < 0 || h.Words > maxRecord {
		return errProofs
	}
	names := m.Names()
	switch {
	case h.Version != proofsVersion:
		return fmt.Errorf("expected version %d of the format, found %d", proofsVersion, h.Version)
	case h.Rules != label.Rules:
		return fmt.Errorf("expected a search of these rules, found one of %s, whose rules are others", h.Game)
	case h.Method != label.Method:
		return fmt.Errorf("expected a search by method %s, found one by %s", label.Method, h.Method)
	case names.Open != nil || !slices.Equal(h.Roles, names.Roles) || !slices.Equal(h.Fluents, names.Fluents) ||
		!slices.EqualFunc(h.Moves, names.Moves, func(a, b []string) bool { return slices.Equal(a, b) }):
		return errors.New("expected a search on the same engine, found one that numbers fluents and moves in another way")
	}
	return k.Keep(m, maxBytes, records(in, h.Words))
}

// records returns the records of the given number of words up to the end.
func records(in io.Reader, words int) iter.Seq2[[]uint64, error] {
	return func(yield func([]uint64, error) bool) {
		packed, record := make([]byte, 8*max(words, 1)), make([]uint64, words)
		for {
			_, err := io.ReadFull(in, packed)
			switch {
			case errors.Is(err, io.EOF):
				return
			case words == 0 && err == nil:
				err = errProofs
			}
			for i := range record {
				record[i] = binary.LittleEndian.Uint64(packed[8*i:])
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}
