package reasoner

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/internal/guard"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine"
)

// Cache is a folder of circuits, so that a large game is grounded and optimised once. It may
// be shared by any number of goroutines and processes.
//
// A file is named after the rules, in their normal form, and the options that decide what
// becomes of them, and holds the optimised circuit, or why there is none. It counts only if
// it was written by this very program: the hash of the executable is the version of the
// compiler. A checksum tells whether it is whole; what is decoded is checked, and the
// programs made of it are verified like any others. Whatever is wrong with a file or with
// the folder, the game is compiled as if there were none, and a warning tells why.
type Cache struct {
	dir   string
	warn  func(error)
	limit int64         // bytes of all files
	least time.Duration // what compiled more quickly is not kept
	// version identifies the program.
	version func() ([sha256.Size]byte, error)
}

const (
	cacheMagic  = "stackmate circuit\n"
	cacheSuffix = ".circuit"
	// cacheHeader is the length of what comes before the circuit: the magic, the version
	// and the key. A checksum of all that comes last.
	cacheHeader = len(cacheMagic) + 2*sha256.Size
	// cacheLimit bounds the bytes of a folder. A game takes some 10 bytes a gate.
	cacheLimit = 1 << 30
	// cacheLeast is the time that grounding and optimising must take to be worth a file.
	cacheLeast = 100 * time.Millisecond
)

// OpenCache opens a cache in a folder, which is made if need be. Warnings are told to warn,
// from any goroutine.
func OpenCache(dir string, warn func(error)) (*Cache, error) {
	if err := atomicfile.CheckDir(dir); err != nil {
		return nil, err
	}
	return &Cache{dir: dir, warn: warn, limit: cacheLimit, least: cacheLeast, version: programVersion}, nil
}

// programVersion is the hash of the executable that runs.
var programVersion = sync.OnceValues(func() (sum [sha256.Size]byte, err error) {
	path, err := os.Executable()
	if err != nil {
		return sum, fmt.Errorf("this program cannot be found: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return sum, fmt.Errorf("this program cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, fmt.Errorf("this program cannot be read: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
})

// circuit is the optimised circuit of a game: the one that is kept, or else what compile
// makes, which is kept then. The function compile also tells whether it was asked if the
// circuit is worth it.
func (c *Cache) circuit(g *gdl.Game, o Options,
	compile func() (*circuit.Game, machine.Stages, bool, error),
) (*circuit.Game, machine.Stages, error) {
	clock := machine.NewStopwatch()
	key := cacheKey(g, o)
	path := filepath.Join(c.dir, hex.EncodeToString(key[:])+cacheSuffix)
	e, err := c.read(path, key, o)
	clock.Done("cache")
	switch {
	case err != nil:
		c.warn(fmt.Errorf("%s is left aside: %w", path, err))
	case e != nil && e.Refusal != "":
		return nil, nil, refused{e.Refusal}
	case e != nil:
		return e.game, clock.Stages, nil
	}
	began := time.Now()
	game, stages, asked, err := compile()
	if time.Since(began) < c.least || err != nil && (asked || !errors.Is(err, datalog.ErrLimit)) {
		return game, stages, err
	}
	clock = machine.NewStopwatch()
	made := entry{Memory: o.Memory, Anyway: asked && !o.weigh}
	if err != nil {
		made.Refusal = err.Error()
	} else {
		made.Circuit = game.AppendTo(nil)
	}
	if failed := c.write(path, key, &made); failed != nil {
		c.warn(failed)
	}
	clock.Done("keep")
	return game, append(stages, clock.Stages...), err
}

// entry is the content of a file: a circuit, or why there is none.
type entry struct {
	Circuit []byte // as circuit.Decode reads it
	Anyway  bool   // it was made without asking whether it is worth it
	Refusal string // why there is none
	Memory  int64  // that there was; a refusal is one for less, too

	game *circuit.Game
}

// fits tells whether an entry is an answer to what the options ask for.
func (e *entry) fits(o Options) bool {
	if e.Refusal != "" {
		return o.Memory <= e.Memory
	}
	return !e.Anyway || !o.weigh
}

// cacheKey identifies rules and what is to be made of them.
func cacheKey(g *gdl.Game, o Options) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s%q", g.ExactDigest(), o.Without))
}

// refused is what a file says where there is no circuit.
type refused struct{ reason string }

func (r refused) Error() string { return r.reason }

// Is implements errors.Is.
func (refused) Is(err error) bool { return err == datalog.ErrLimit } //nolint:errorlint // asked by errors.Is

// read reads a file. The entry is nil where there is none that fits the options.
func (c *Cache) read(path string, key [sha256.Size]byte, o Options) (*entry, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, c.limit))
	if err != nil {
		return nil, err
	}
	version, err := c.version()
	if err != nil {
		return nil, err
	}
	end := len(data) - sha256.Size
	if end <= cacheHeader || !bytes.HasPrefix(data, []byte(cacheMagic)) {
		return nil, errors.New("it is no circuit, or not whole")
	}
	head := data[len(cacheMagic):]
	switch {
	case sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]):
		return nil, errors.New("it is damaged")
	case !bytes.Equal(head[:sha256.Size], version[:]):
		return nil, errors.New("another version of the program has written it")
	case !bytes.Equal(head[sha256.Size:2*sha256.Size], key[:]):
		return nil, errors.New("it belongs to other rules")
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // so the one that was not used for the longest time goes first
	e := &entry{}
	if err := guard.Do(func() error { return e.decode(data[cacheHeader:end]) }); err != nil || !e.fits(o) {
		return nil, err
	}
	return e, nil
}

// decode reads the bytes of a file behind its header.
func (e *entry) decode(data []byte) (err error) {
	if err = gob.NewDecoder(bytes.NewReader(data)).Decode(e); err == nil && e.Refusal == "" {
		e.game, err = circuit.Decode(e.Circuit)
	}
	return err
}

// write keeps an entry.
func (c *Cache) write(path string, key [sha256.Size]byte, e *entry) error {
	version, err := c.version()
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(slices.Concat([]byte(cacheMagic), version[:], key[:]))
	if err := gob.NewEncoder(out).Encode(e); err != nil {
		return err
	}
	sum := sha256.Sum256(out.Bytes())
	data := append(out.Bytes(), sum[:]...)
	if int64(len(data)) > c.limit/4 {
		return nil
	}
	if err := c.makeRoom(filepath.Base(path), int64(len(data))); err != nil {
		return err
	}
	return atomicfile.Write(path, data)
}

// makeRoom removes circuits, those first that were not used for the longest time, until
// there is room for one more of that name.
func (c *Cache) makeRoom(name string, size int64) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != cacheSuffix || e.Name() == name {
			continue
		}
		kept = append(kept, info)
		size += info.Size()
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if size <= c.limit {
			break
		}
		if err := os.Remove(filepath.Join(c.dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("making room for a circuit: %w", err)
		}
		size -= info.Size()
	}
	return nil
}
