package board

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A domain is an axis of a board if its values have an order: numbers, single letters, or numbers after one
// prefix (c1 c2 c3).

// order sorts values, or tells that they have no order.
func order(values set) ([]string, bool) {
	list := slices.Sorted(maps.Keys(values))
	if len(list) < 2 {
		return nil, false
	}
	rank, ok := ranks(list)
	if !ok {
		return nil, false
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	return list, true
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
		if err != nil || prefix != head && prefix != "?" {
			return nil, false
		}
		rank[v], prefix = n, head
	}
	return rank, true
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

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// split takes apart the name of a cell that has both its coordinates: a1, b12, x3.
func split(name string) (letter, digits string, ok bool) {
	if len(name) < 2 || len(name) > 3 || !isLetter(name[0]) {
		return "", "", false
	}
	_, err := strconv.ParseUint(name[1:], 10, 8)
	return name[:1], name[1:], err == nil
}
