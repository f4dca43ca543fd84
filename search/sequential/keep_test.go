package sequential

import "testing"

func TestTheDearestEntriesAreKept(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries map[int]int64 // by cost
		from    int
	}{
		{"few", map[int]int64{1: keptEntries, 3: 7, 20: 1}, keptCost},
		{"as many as are kept", map[int]int64{2: 1, 3: keptEntries - 1, 20: 1}, keptCost},
		{"too many cheap ones", map[int]int64{3: keptEntries, 4: 5, 20: 1}, 4},
		{"too many of several costs", map[int]int64{5: keptEntries / 2, 6: keptEntries / 2, 7: 1}, 6},
	} {
		var entries [65]int64
		for cost, n := range c.entries {
			entries[cost] = n
		}
		if from := keptFrom(entries); from != c.from {
			t.Errorf("%s: kept from cost %d, want %d", c.name, from, c.from)
		}
	}
}
