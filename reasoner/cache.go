package reasoner

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/cache"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/internal/guard"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// Cache is a folder of optimised circuits. Goroutines and processes may share it.
//
// The key of a circuit is a hash of the executable, the rules in their normal form and the options. A circuit from the
// cache is checked when it is decoded, and its programs are verified like all programs. Without a usable entry the game
// is compiled, and a warning reports the failure. Entries that were not used for some days are removed.
type Cache struct {
	files *cache.Cache
	warn  func(error)
	least time.Duration // shortest compilation whose circuit is kept
	// version identifies the program.
	version func() ([sha256.Size]byte, error)
}

// cacheLeast is the time that grounding and optimising must take to be worth a file.
const cacheLeast = 100 * time.Millisecond

// OpenCache opens the cache in a folder, and makes the folder if it is missing. It reports failures of the cache to
// warn, from any goroutine.
func OpenCache(dir string, warn func(error)) (*Cache, error) {
	if err := atomicfile.CheckDir(dir); err != nil {
		return nil, err
	}
	files, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Cache{files: files, warn: warn, least: cacheLeast, version: programVersion}, nil
}

// programVersion returns the hash of the running executable.
var programVersion = sync.OnceValues(func() (sum [sha256.Size]byte, err error) {
	path, err := os.Executable()
	if err != nil {
		return sum, fmt.Errorf("cannot find the executable: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return sum, fmt.Errorf("cannot read the executable: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, fmt.Errorf("cannot read the executable: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
})

// cacheKey returns the key of the circuit of a game.
func cacheKey(version [sha256.Size]byte, g *gdl.Game, o Options) cache.ActionID {
	return sha256.Sum256(fmt.Appendf(nil, "%x%s%q", version, g.ExactDigest(), o.Without))
}

// circuit returns the optimised circuit of a game from the cache, or else compiles it and adds it to the cache.
func (c *Cache) circuit(g *gdl.Game, o Options, compile func() (*circuit.Optimised, machine.Stages, error)) (*circuit.Optimised, machine.Stages, error) {
	version, err := c.version()
	if err != nil {
		c.warn(err)
		return compile()
	}
	key := cacheKey(version, g, o)
	clock := machine.NewStopwatch()
	if game := c.read(key); game != nil {
		clock.Done("cache")
		return game, clock.Stages, nil
	}
	began := time.Now()
	game, stages, err := compile()
	if err != nil || time.Since(began) < c.least {
		return game, stages, err
	}
	clock = machine.NewStopwatch()
	_, _, err = c.files.PutNoVerify(key, bytes.NewReader(game.AppendTo(nil)))
	if err == nil {
		err = c.files.Trim()
	}
	if err != nil {
		c.warn(fmt.Errorf("cannot store a circuit in the cache: %w", err))
	}
	clock.Done("keep")
	return game, append(stages, clock.Stages...), nil
}

// read returns the circuit with a key, or nil.
func (c *Cache) read(key cache.ActionID) (game *circuit.Optimised) {
	data, _, err := c.files.GetBytes(key)
	if err != nil {
		return nil
	}
	if err := guard.Do(func() (err error) { game, err = circuit.Decode(data); return err }); err != nil {
		c.warn(fmt.Errorf("a circuit of the cache is ignored: %w", err))
		return nil
	}
	return game
}
