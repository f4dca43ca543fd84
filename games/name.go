package games

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// parse reads the parameters of a game from rest, the part of its name behind
// the family's.
func (f family) parse(name, rest string) (arguments, error) {
	args := make(arguments, len(f.Parameters))
	given := true // the parameter before stands in the name
	for _, p := range f.Parameters {
		after, found := strings.CutPrefix(rest, p.separator)
		switch {
		case found:
			value, length, err := p.read(after)
			if err != nil {
				return nil, fmt.Errorf("game %q (%s): %w", name, f.Pattern, err)
			}
			args[p.Name], rest = value, after[length:]
		case p.separator != "-" && given, rest != "":
			return nil, fmt.Errorf("game %q: expected %s, found %q where %q and %s should stand",
				name, f.Pattern, rest, p.separator, p.Name)
		case p.List:
			args[p.Name] = []int(nil)
		default:
			args[p.Name] = p.Default
		}
		given = found
	}
	if rest != "" {
		return nil, fmt.Errorf("game %q: expected %s, found %q behind it", name, f.Pattern, rest)
	}
	return args, nil
}

// read takes the value of p from the beginning of text and tells its length.
func (p Parameter) read(text string) (value any, length int, err error) {
	var list []int
	for {
		digits := strings.IndexFunc(text[length:]+"|", func(r rune) bool { return r < '0' || r > '9' })
		n, err := strconv.Atoi(text[length : length+digits])
		if err != nil || n < p.Min || n > p.Max {
			found := text[length:]
			if digits > 0 {
				found = found[:digits]
			}
			return nil, 0, fmt.Errorf("%s (%s) must be a number from %d to %d, found %q", p.Name, p.About, p.Min, p.Max, found)
		}
		length += digits
		list = append(list, n)
		if !p.List {
			return n, length, nil
		}
		if !strings.HasPrefix(text[length:], ".") {
			return list, length, nil
		}
		length++
	}
}

// maxMisspelling is the number of edits up to which a name counts as a
// misspelling of another.
const maxMisspelling = 4

// leastPart is the length from which on a part of a name counts as meant for it.
const leastPart = 3

// ErrUnknown is wrapped by the error of a name that begins with no family.
var ErrUnknown = errors.New("unknown game")

// unknownFamily returns an ErrUnknown with the nearest families, if there are any. The name is the part of the whole that names a
// family.
func unknownFamily(name, whole string) error {
	var near []string
	low := plain(name)
	for _, f := range families {
		known := plain(f.Name())
		if low == known || plain(whole) == known {
			return fmt.Errorf("%w %q; did you mean %s?", ErrUnknown, whole, f.Name())
		}
		if strings.Contains(known, low) && len(low) >= leastPart || edits(low, known) <= min(maxMisspelling, len(known)/2) {
			near = append(near, f.Name())
		}
	}
	if len(near) > 0 {
		return fmt.Errorf("%w %q; did you mean %s?", ErrUnknown, name, strings.Join(near, ", "))
	}
	return fmt.Errorf("%w %q", ErrUnknown, whole)
}

// plain returns a name without capitals and hyphens: tic-tac-toe is ticTacToe.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// edits returns the Levenshtein distance of a and b in bytes.
func edits(a, b string) int {
	row := count(0, len(b))
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{replaced, row[j] + 1, diagonal + 1})
		}
	}
	return row[len(b)]
}
