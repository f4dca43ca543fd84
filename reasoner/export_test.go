package reasoner

import "crypto/sha256"

// KeepAll makes a cache keep whatever is compiled, within so many bytes.
func (c *Cache) KeepAll(limit int64) { c.least, c.limit = 0, limit }

// SetVersion makes a cache one of another version of the program.
func (c *Cache) SetVersion(v [sha256.Size]byte, err error) {
	c.version = func() ([sha256.Size]byte, error) { return v, err }
}

// Resum gives the content of a file its checksum.
func Resum(data []byte) []byte {
	sum := sha256.Sum256(data[:len(data)-sha256.Size])
	return append(data[:len(data)-sha256.Size], sum[:]...)
}
