// Package recent provides an LRU cache that computes a missing value once. It is independent of the project.
package recent

import (
	"cmp"
	"slices"
	"sync"
)

// usual is the default size of a Cache.
const usual = 8

// Cache is an LRU cache of up to Size values by key. Concurrent calls for a key compute its value once; failures are
// not cached. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	Size int // 0 means a few

	mu      sync.Mutex
	entries []*entry[K, V] // least recently used first
}

type entry[K comparable, V any] struct {
	key  K
	make func() (V, error)
}

// Get returns the value of a key, and calls make if it is not cached.
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
	if err != nil { // do not cache the failure
		c.mu.Lock()
		defer c.mu.Unlock()
		c.entries = slices.DeleteFunc(c.entries, func(other *entry[K, V]) bool { return other == e })
	}
	return v, err
}
