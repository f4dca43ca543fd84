// Package recent keeps the values that were used last, where they are costly to make. It
// knows nothing of the project.
package recent

import (
	"cmp"
	"slices"
	"sync"
)

// usual is the size of a Cache that has none.
const usual = 8

// Cache has up to Size values by key. Each is made once, whoever asks for it meanwhile; one that
// cannot be made is not kept. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	Size int // 0 means a few

	mu      sync.Mutex
	entries []*entry[K, V] // the ones used last at the end
}

type entry[K comparable, V any] struct {
	key  K
	make func() (V, error)
}

// Get returns the value of a key, which is made if need be.
func (c *Cache[K, V]) Get(key K, make func() (V, error)) (V, error) {
	c.mu.Lock()
	e := &entry[K, V]{key, sync.OnceValues(make)}
	if i := slices.IndexFunc(c.entries, func(e *entry[K, V]) bool { return e.key == key }); i >= 0 {
		e = c.entries[i]
		c.entries = slices.Delete(c.entries, i, i+1)
	}
	c.entries = append(c.entries, e)
	c.entries = slices.Delete(c.entries, 0, max(0, len(c.entries)-cmp.Or(c.Size, usual)))
	c.mu.Unlock()
	v, err := e.make()
	if err != nil { // another time it may work
		c.mu.Lock()
		defer c.mu.Unlock()
		c.entries = slices.DeleteFunc(c.entries, func(other *entry[K, V]) bool { return other == e })
	}
	return v, err
}
