package endurance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// spread returns the distribution of durations in words.
func spread(d []time.Duration) string {
	if len(d) == 0 {
		return "none"
	}
	s := slices.Sorted(slices.Values(d))
	at := func(share float64) time.Duration {
		return s[int(share*float64(len(s)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d times, median %v, 90 %% within %v, 95 %% within %v, 99 %% within %v, longest %v", len(s), at(0.5), at(0.9), at(0.95), at(0.99), at(1))
}

// listed writes counts by name, the largest first.
func listed(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var lines []string
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%d × %s", counts[name], name))
	}
	return strings.Join(lines, "; ")
}
