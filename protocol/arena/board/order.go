package board

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stackmate/gdl"
)

// A domain is an axis of a board if its values have an order: numbers, single letters,
// numbers after one prefix (c1 c2 c3), or the links of a chain such as
// (succ one two) (succ two three).

// chains are the static relations of two arguments that are chains: each constant with
// at most one before and at most one after it, and no circle.
type chains []map[string]string

func findChains(all []clause) chains {
	after := make(map[string]map[string]string)
	broken := make(map[string]bool)
	for i := range all {
		c := &all[i]
		if c.head.kind != static || c.head.arity != 2 || c.head.name == "goal" {
			continue
		}
		a, b := c.args[0], c.args[1]
		if len(c.rule.Body) > 0 || a.Kind != gdl.Symbol || b.Kind != gdl.Symbol {
			broken[c.head.name] = true
			continue
		}
		if after[c.head.name] == nil {
			after[c.head.name] = make(map[string]string)
		}
		if next, ok := after[c.head.name][a.Name]; ok && next != b.Name {
			broken[c.head.name] = true
		}
		after[c.head.name][a.Name] = b.Name
	}
	var found chains
	for _, name := range sortedKeys(after) {
		if !broken[name] && isChain(after[name]) {
			found = append(found, after[name])
		}
	}
	return found
}

// isChain tells whether successors are unique both ways and lead in no circle.
func isChain(after map[string]string) bool {
	before := make(set)
	for _, b := range after {
		if before[b] {
			return false
		}
		before[b] = true
	}
	starts := 0
	reached := 0
	for a := range after {
		if !before[a] {
			starts++
			for b, ok := after[a]; ok; b, ok = after[b] {
				reached++
			}
		}
	}
	return starts > 0 && reached == len(after)
}

// order sorts values, or tells that they have no order.
func (cs chains) order(values set) ([]string, bool) {
	list := sortedKeys(values)
	if len(list) < 2 {
		return nil, false
	}
	if rank, ok := ranks(list); ok {
		slices.SortFunc(list, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
		return list, true
	}
	for _, after := range cs {
		if sorted, ok := along(after, values); ok {
			return sorted, true
		}
	}
	return nil, false
}

// ranks numbers values that are numbers, single letters, or numbers after one prefix; numbers
// come before letters.
func ranks(list []string) (map[string]int, bool) {
	rank := make(map[string]int)
	prefix := "?"
	for _, v := range list {
		if len(v) == 1 && isLetter(v[0]) {
			if prefix != "?" && prefix != "" {
				return nil, false
			}
			rank[v] = int(v[0]|0x20) + 1000 // after numbers, where rows name their cells in turns
			continue
		}
		digits := strings.TrimLeft(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
		n, err := strconv.Atoi(digits)
		head := strings.TrimSuffix(v, digits)
		if head == "-" {
			n, head = -n, ""
		}
		if err != nil || prefix != head && prefix != "?" {
			return nil, false
		}
		rank[v], prefix = n, head
	}
	return rank, true
}

// has tells whether one of the chains has all the values.
func (cs chains) has(values set) bool {
	return slices.ContainsFunc(cs, func(after map[string]string) bool {
		_, ok := along(after, values)
		return ok
	})
}

// filled adds numbers that are missing between the first and the last value, if they are few.
func filled(list []string) []string {
	first, err := strconv.Atoi(list[0])
	last, err2 := strconv.Atoi(list[len(list)-1])
	if err != nil || err2 != nil || last-first >= 2*len(list) {
		return list
	}
	var all []string
	for n := first; n <= last; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// along lists values in the order of a chain that has all of them.
func along(after map[string]string, values set) ([]string, bool) {
	start := make(set)
	for a := range after {
		start[a] = true
	}
	for _, b := range after {
		delete(start, b)
	}
	for _, a := range sortedKeys(start) {
		var sorted []string
		for v, ok := a, true; ok; v, ok = after[v] {
			if values[v] {
				sorted = append(sorted, v)
			}
		}
		if len(sorted) == len(values) {
			return sorted, true
		}
	}
	return nil, false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// split takes apart the name of a cell that has both its coordinates: a1, b12, x3.
func split(name string) (letter, digits string, ok bool) {
	if len(name) < 2 || len(name) > 3 || !isLetter(name[0]) {
		return "", "", false
	}
	_, err := strconv.ParseUint(name[1:], 10, 8)
	return name[:1], name[1:], err == nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
