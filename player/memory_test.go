package player

import "testing"

func TestTheMemoryOfAMatchIsShared(t *testing.T) {
	const mib = 1 << 20
	closed := make(chan struct{})
	close(closed)
	for name, c := range map[string]struct {
		memory    *memory
		compiling int64 // in MiB, as are all
		proving   int64
		share     int64
		floor     int64
	}{
		"before machines":      {&memory{total: 1000 * mib}, 750, 64, 50, 3},
		"after compilation":    {&memory{total: 2000 * mib, compiled: closed, machines: 860 * mib}, 1500, 100, 260, 3},
		"beside lost searches": {&memory{total: 2000 * mib, compiled: closed, machines: 860 * mib, lost: 1000 * mib}, 1500, 100, 10, 3},
		"no share is left":     {&memory{total: 100 * mib, compiled: closed, machines: 72 * mib}, 75, 25, 0, 3},
		"least share":          {&memory{total: 60 * mib}, 45, 15, 3, 3},
		"no search fits":       {&memory{total: 100 * mib, compiled: closed, machines: 73 * mib}, 75, 25, 0, 0},
	} {
		m := c.memory
		if m.forCompiling() != c.compiling*mib || m.forProving() != c.proving*mib || m.share() != c.share*mib || m.floor() != c.floor*mib {
			t.Errorf("%s: %d for compiling, %d for proving, %d a search, at least %d", name, m.forCompiling(), m.forProving(), m.share(), m.floor())
		}
	}
}
