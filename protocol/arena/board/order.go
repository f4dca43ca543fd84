package board

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stackmate/gdl"
)

// A domain is an axis of a board if its values have an order: numbers, single letters, numbers after one
// prefix (c1 c2 c3), or the links of a chain of facts such as (succ one two) (succ two three).

// order sorts values, or reports that they have no order.
func (f *fluents) order(values set) ([]string, bool) {
	list := slices.Sorted(maps.Keys(values))
	if len(list) < 2 {
		return nil, false
	}
	if rank, ok := ranks(list); ok {
		slices.SortFunc(list, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
		return list, true
	}
	for _, after := range f.chains {
		if sorted := along(after, values); len(sorted) == len(list) {
			return sorted, true
		}
	}
	return nil, false
}

// chains returns, ordered by name, the static relations of facts that form chains of constants: each constant
// has at most one predecessor and one successor.
func chains(all []clause) (found []map[string]string) {
	after, before := make(map[string]map[string]string), make(map[string]map[string]string)
	broken := make(set)
	for _, c := range all {
		if c.head.kind != static || c.head.arity != 2 || c.head.name == "goal" {
			continue
		}
		name, a, b := c.head.name, c.args[0], c.args[1]
		if after[name] == nil {
			after[name], before[name] = make(map[string]string), make(map[string]string)
		}
		next, again := after[name][a.Name]
		last, reached := before[name][b.Name]
		if len(c.rule.Body) > 0 || a.Kind != gdl.Symbol || b.Kind != gdl.Symbol || again && next != b.Name || reached && last != a.Name {
			broken[name] = true
		}
		after[name][a.Name], before[name][b.Name] = b.Name, a.Name
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !broken[name] {
			found = append(found, after[name])
		}
	}
	return found
}

// along returns the values on the chain with the most of them, in order. A chain begins with a constant
// without a predecessor, so circles are left out.
func along(after map[string]string, values set) (sorted []string) {
	start := make(set)
	for a := range after {
		start[a] = true
	}
	for _, b := range after {
		delete(start, b)
	}
	for _, v := range slices.Sorted(maps.Keys(start)) {
		var list []string
		for ok := true; ok; v, ok = after[v] {
			if values[v] {
				list = append(list, v)
			}
		}
		if len(list) > len(sorted) {
			sorted = list
		}
	}
	return sorted
}

// ranks numbers values that are numbers, single letters, or numbers after one prefix; numbers come before
// letters.
func ranks(list []string) (map[string]int, bool) {
	rank := make(map[string]int)
	prefix := "?"
	for _, v := range list {
		if len(v) == 1 && isLetter(v[0]) {
			if prefix != "?" && prefix != "" {
				return nil, false
			}
			rank[v] = int(v[0]|0x20) + 1000 // after numbers, if a row mixes both
			continue
		}
		digits := strings.TrimLeft(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
		n, err := strconv.Atoi(digits)
		head := strings.TrimSuffix(v, digits)
		if err != nil || prefix != head && prefix != "?" {
			return nil, false
		}
		rank[v], prefix = n, head
	}
	return rank, true
}

// filled adds the missing numbers between the first and the last value, if they are few.
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

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// split splits the name of a cell with both coordinates: a1, b12, x3.
func split(name string) (letter, digits string, ok bool) {
	if len(name) < 2 || len(name) > 3 || !isLetter(name[0]) {
		return "", "", false
	}
	_, err := strconv.ParseUint(name[1:], 10, 8)
	return name[:1], name[1:], err == nil
}
