// Package games owns the rulesheets that come with Stackmate: single games and generated families of games. families.go is the table of families, with
// their parameters and limits. The rules are templates in the folder rules, one file each. The package produces text and must not know its readers.
package games

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Family describes the games that share one rulesheet.
type Family struct {
	Pattern    string // the form of the names: "connectFour-WxH"
	Parameters []Parameter
	Summary    string // one line
}

// Name returns the family's own name, which alone denotes the member with default parameters.
func (f Family) Name() string {
	name, _, _ := strings.Cut(f.Pattern, "-")
	return name
}

// Parameter is one number, or one list of numbers, in the name of a game.
type Parameter struct {
	Name     string // as in the pattern
	About    string // meaning, with its unit
	Min, Max int    // limits, inclusive; of each element if List
	Default  int    // without meaning if List
	List     bool   // numbers joined by dots; empty by default

	// separator stands before the parameter in a name. A parameter that follows
	// "-" may be left out with all that follow; one that follows "x" may not.
	separator string
}

// arguments are the values of the parameters of one game by name (int, or []int if List), and further values for the family's template.
type arguments map[string]any

// family is a Family with the generator of its members.
type family struct {
	Family
	rules string // the template's name, without ending; the family's own by default
	// prepare, if not nil, checks the arguments against each other and adds the
	// derived ones.
	prepare func(arguments) error
}

// game returns a family whose rules are in the template of its name.
func game(pattern, summary string, parameters ...Parameter) family {
	return family{Family: Family{Pattern: pattern, Summary: summary, Parameters: parameters}}
}

// by returns the family with the rules of another template.
func (f family) by(rules string) family {
	f.rules = rules
	return f
}

// prepared returns the family with a function that prepares the arguments.
func (f family) prepared(prepare func(arguments) error) family {
	f.prepare = prepare
	return f
}

// Families describes all games, sorted by name.
func Families() []Family {
	all := make([]Family, len(families))
	for i, f := range families {
		all[i] = f.Family
		all[i].Parameters = slices.Clone(f.Parameters)
	}
	return all
}

// Page returns the page of a game for people, in the form of game.page.json: nil if it has none.
func Page(name string) []byte {
	family, _, _ := strings.Cut(name, "-")
	text, err := rules.ReadFile("rules/" + family + ".page.json")
	if err != nil {
		return nil
	}
	return text
}

// Source returns the rulesheet of a game given by name, such as "ticTacToe" or "connectFour-5x4", and a file name for messages about it. The error
// names the fault: an unknown family (ErrUnknown, with the nearest ones), a malformed or missing parameter, or a parameter outside its limits.
func Source(name string) (file string, src []byte, err error) {
	first, rest, _ := strings.Cut(name, "-")
	i := slices.IndexFunc(families, func(f family) bool { return f.Name() == first })
	if i < 0 {
		return "", nil, unknownFamily(cmp.Or(first, name), name)
	}
	f := families[i]
	args, err := f.parse(name, strings.TrimPrefix(name, first))
	if err == nil && rest == "" && name != first {
		err = fmt.Errorf("game %q: expected %s, found nothing after the hyphen", name, f.Pattern)
	}
	if err == nil && f.prepare != nil {
		if err = f.prepare(args); err != nil {
			err = fmt.Errorf("game %q: %w", name, err)
		}
	}
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, cmp.Or(f.rules, f.Name())+".kif", args); err != nil {
		return "", nil, fmt.Errorf("game %q: %w", name, err)
	}
	return name + ".kif", b.Bytes(), nil
}
