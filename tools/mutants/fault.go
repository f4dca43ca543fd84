package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fault is a change of one file that alters the behaviour of the program.
type fault struct {
	file, name string
	hunks      []hunk
	tests      []string // arguments of go test: the package of the file, or the ones of the list
	equivalent string   // the reason why no test can find the fault
}

// hunk is a text that occurs once in the file, and the text in its place.
type hunk struct{ before, after []string }

// parse reads a list of faults, separated by empty lines:
//
//	file: name
//	- lines of the text before
//	+ lines of the text after
//	test: arguments of go test
//	equivalent: reason
//
// Text may be part of a line; - and + may follow each other several times. Lines that begin with # are comments.
func parse(text string) (faults []fault, err error) {
	var f *fault
	for n, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			f = nil
		case f == nil:
			if rest == "" {
				return nil, fmt.Errorf("line %d: expected a file and the name of a fault, found %q", n+1, line)
			}
			faults = append(faults, fault{file: kind, name: rest, tests: []string{"./" + filepath.Dir(kind)}})
			f = &faults[len(faults)-1]
		case line[0] == '-':
			if last := len(f.hunks) - 1; last < 0 || f.hunks[last].after != nil {
				f.hunks = append(f.hunks, hunk{})
			}
			h := &f.hunks[len(f.hunks)-1]
			h.before = append(h.before, line[1:])
		case line[0] == '+' && len(f.hunks) > 0:
			h := &f.hunks[len(f.hunks)-1]
			h.after = append(h.after, line[1:])
		case kind == "test":
			f.tests = strings.Fields(rest)
		case kind == "equivalent":
			f.equivalent = rest
		default:
			return nil, fmt.Errorf("line %d: expected -, +, test or equivalent, found %q", n+1, line)
		}
	}
	return faults, nil
}

// plant returns the text of the file with the fault.
func (f *fault) plant(root string) (string, error) {
	file, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	text := string(file)
	for _, h := range f.hunks {
		before := strings.Join(h.before, "\n")
		if n := strings.Count(text, before); n != 1 {
			return "", fmt.Errorf("%s: %s: expected this text once, found it %d times:\n%s", f.file, f.name, n, before)
		}
		text = strings.Replace(text, before, strings.Join(h.after, "\n"), 1)
	}
	if text == string(file) {
		return "", fmt.Errorf("%s: %s: the fault changes nothing", f.file, f.name)
	}
	return text, nil
}
