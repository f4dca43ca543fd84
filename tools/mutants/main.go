// Command mutants plants the faults of a list, one at a time, and runs the tests that should find each. The source
// stays as it is: go test replaces the faulty file by an overlay.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// runner plants faults in the module at root.
type runner struct {
	root string
	fast bool // without the exhaustive tier
	show bool // print the output of the tests that find a fault
	out  io.Writer
}

// outcome is the tier whose tests find a fault, or neither.
type outcome int

const (
	lived outcome = iota
	inExhaustive
	inFast
	outcomes
)

func (o outcome) String() string {
	return [...]string{"LIVED", "found by the exhaustive tier", "found"}[o]
}

func main() {
	list := flag.String("list", "mutants/faults.txt", "list of faults")
	root := flag.String("root", "..", "folder of the module")
	run := flag.String("run", ".", "regular expression for the file and name of the faults that are planted")
	fast := flag.Bool("fast", false, "run the fast tier of the tests alone")
	show := flag.Bool("v", false, "print the output of the tests that find a fault")
	check := flag.Bool("check", false, "only check that the text of each fault is found in its file")
	flag.Parse()
	log.SetFlags(0)
	text, err := os.ReadFile(*list)
	if err != nil {
		log.Fatal(err)
	}
	faults, err := parse(string(text))
	if err != nil {
		log.Fatalf("%s: %v", *list, err)
	}
	wanted, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	faults = slices.DeleteFunc(faults, func(f fault) bool { return !wanted.MatchString(f.file + ": " + f.name) })
	r := runner{*root, *fast, *show, os.Stdout}
	if *check {
		err = r.check(faults)
	} else {
		err = r.all(faults)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// check returns an error for each fault that cannot be planted.
func (r runner) check(faults []fault) error {
	var all []error
	for _, f := range faults {
		if _, err := f.plant(r.root); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// all plants the faults and prints the outcomes. Its error tells of faults that lived, unless they are equivalent, and of
// faults that are called equivalent and were found.
func (r runner) all(faults []fault) error {
	count, equivalent := make(map[string]*[outcomes]int), make(map[string]int)
	var wrong []string
	for _, f := range faults {
		o, err := r.test(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%s: %s: %v\n", f.file, f.name, o)
		folder := filepath.Dir(f.file)
		if count[folder] == nil {
			count[folder] = new([outcomes]int)
		}
		if f.equivalent == "" {
			count[folder][o]++
		} else {
			equivalent[folder]++
		}
		if (o == lived) != (f.equivalent != "") {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %v", f.file, f.name, o))
		}
	}
	fmt.Fprintf(r.out, "\n%-32s %6s %6s %10s %6s %10s\n", "package", "faults", "fast", "exhaustive", "lived", "equivalent")
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		c := count[folder]
		fmt.Fprintf(r.out, "%-32s %6d %6d %10d %6d %10d\n", folder, c[lived]+c[inExhaustive]+c[inFast], c[inFast], c[inExhaustive], c[lived], equivalent[folder])
	}
	if len(wrong) > 0 {
		return fmt.Errorf("\nfaults that lived, or are called equivalent and were found:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// test plants a fault, and runs its tests in the fast tier, then in the exhaustive one.
func (r runner) test(f fault) (outcome, error) {
	faulty, err := f.plant(r.root)
	if err != nil {
		return lived, err
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return lived, err
	}
	defer os.RemoveAll(folder)
	original, err := filepath.Abs(filepath.Join(r.root, f.file))
	if err != nil {
		return lived, err
	}
	replacement, overlay := filepath.Join(folder, "faulty.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return lived, err
	}
	if err := errors.Join(os.WriteFile(replacement, []byte(faulty), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return lived, err
	}
	for _, tier := range []outcome{inFast, inExhaustive} {
		if tier == inExhaustive && r.fast {
			break
		}
		args := append([]string{"test", "-trimpath", "-vet=off", "-failfast", "-timeout=20m", "-overlay", overlay}, f.tests...)
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = r.root, append(os.Environ(), "STACKMATE_EXHAUSTIVE="+map[outcome]string{inExhaustive: "1"}[tier])
		output, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case strings.Contains(string(output), "[build failed]"), strings.Contains(string(output), "[setup failed]"), err != nil && !errors.As(err, &exit):
			return lived, fmt.Errorf("%s: %s: no test ran: %w\n%s", f.file, f.name, err, output)
		case err != nil:
			if r.show {
				fmt.Fprintf(r.out, "%s", output)
			}
			return tier, nil
		}
	}
	return lived, nil
}
