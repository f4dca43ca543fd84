package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fault is a change of one file that alters the behaviour of the program.
type fault struct {
	file, name string
	hunks      []hunk
	tests      []string // arguments of go test: the package of the file, unless the list says others
	equivalent string   // the reason why no test can find the fault
}

// hunk is a text that occurs once in the file, and the text in its place.
type hunk struct{ before, after []string }

func (f fault) String() string { return f.file + ": " + f.name }

// read reads a list of faults.
func read(path string) ([]fault, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	faults, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return faults, nil
}

// parse parses a list of faults, separated by empty lines:
//
//	file: name
//	-lines of the text before
//	+lines of the text after
//	test: arguments of go test
//	equivalent: reason
//
// The text may be part of a line; - and + may follow each other several times. Lines that begin with # are comments.
func parse(text string) (faults []fault, err error) {
	var f *fault
	for n, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			f = nil
		case f == nil && rest == "":
			return nil, fmt.Errorf("line %d: expected a file and the name of a fault, found %q", n+1, line)
		case f == nil:
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

// text returns the fault in the form of the list.
func (f fault) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, f)
	for _, h := range f.hunks {
		for _, line := range h.before {
			fmt.Fprintf(&b, "-%s\n", line)
		}
		for _, line := range h.after {
			fmt.Fprintf(&b, "+%s\n", line)
		}
	}
	return b.String() + "\n"
}

// plant returns the text of the file with the fault.
func (f fault) plant(root string) (string, error) {
	file, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	text := string(file)
	for _, h := range f.hunks {
		before := strings.Join(h.before, "\n")
		if n := strings.Count(text, before); n != 1 {
			return "", fmt.Errorf("expected this text once, found it %d times:\n%s", n, before)
		}
		text = strings.Replace(text, before, strings.Join(h.after, "\n"), 1)
	}
	if text == string(file) {
		return "", errors.New("the fault changes nothing")
	}
	return text, nil
}

// overlay writes the faulty file and the overlay of go build into a folder, and returns the path of the overlay.
func (f fault) overlay(root, folder string) (string, error) {
	text, err := f.plant(root)
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	faulty, overlay := filepath.Join(folder, "faulty.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: faulty}})
	return overlay, errors.Join(err, os.WriteFile(faulty, []byte(text), 0o600), os.WriteFile(overlay, replace, 0o600))
}
