package reasoner

import (
	"crypto/sha256"

	"stackmate/gdl"
)

// KeepAll makes a cache keep every circuit.
func (c *Cache) KeepAll() { c.least = 0 }

// SetVersion makes a cache belong to another version of the program.
func (c *Cache) SetVersion(v [sha256.Size]byte, err error) {
	c.version = func() ([sha256.Size]byte, error) { return v, err }
}

// Replace puts data in the place of the circuit of a game.
func (c *Cache) Replace(g *gdl.Game, o Options, data []byte) error {
	version, err := c.version()
	if err != nil {
		return err
	}
	return c.files.PutBytes(cacheKey(version, g, o), data)
}
