// Command mutants plants the faults of a list, one at a time, and runs the tests that should find each. The source
// stays as it is: go test replaces the faulty file by an overlay.
package main

import (
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
	flag.Parse()
	log.SetFlags(0)
	faults, err := read(*list)
	if err != nil {
		log.Fatal(err)
	}
	wanted, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	faults = slices.DeleteFunc(faults, func(f fault) bool { return !wanted.MatchString(f.String()) })
	if err := (runner{*root, *fast, *show, os.Stdout}).testAll(faults); err != nil {
		log.Fatal(err)
	}
}

// testAll plants the faults and prints the outcomes. Its error lists three kinds of faults: faults that cannot be
// planted, faults that lived without being equivalent, and equivalent faults that were found.
func (r runner) testAll(faults []fault) error {
	count, equivalent := make(map[string]*[outcomes]int), make(map[string]int)
	var wrong []string
	for _, f := range faults {
		o, err := r.test(f)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", f, err))
			continue
		}
		fmt.Fprintf(r.out, "%s: %v\n", f, o)
		if (o == lived) != (f.equivalent != "") {
			wrong = append(wrong, fmt.Sprintf("%s: %v", f, o))
		}
		folder := filepath.Dir(f.file)
		if count[folder] == nil {
			count[folder] = new([outcomes]int)
		}
		if f.equivalent == "" {
			count[folder][o]++
		} else {
			equivalent[folder]++
		}
	}
	fmt.Fprintf(r.out, "\n%-32s %6s %6s %10s %6s %10s\n", "package", "faults", "fast", "exhaustive", "lived", "equivalent")
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		c := count[folder]
		fmt.Fprintf(r.out, "%-32s %6d %6d %10d %6d %10d\n", folder, c[lived]+c[inExhaustive]+c[inFast], c[inFast], c[inExhaustive], c[lived], equivalent[folder])
	}
	if len(wrong) > 0 {
		return fmt.Errorf("\nfaults that cannot be planted, lived, or are called equivalent and were found:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// test plants a fault, and runs its tests in the fast tier, then in the exhaustive tier.
func (r runner) test(f fault) (outcome, error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return lived, err
	}
	defer os.RemoveAll(folder)
	overlay, err := f.overlay(r.root, folder)
	if err != nil {
		return lived, err
	}
	for _, tier := range []outcome{inFast, inExhaustive} {
		exhaustive := "STACKMATE_EXHAUSTIVE="
		if tier == inExhaustive {
			exhaustive += "1"
		}
		cmd := exec.Command("go", append([]string{"test", "-trimpath", "-vet=off", "-failfast", "-timeout=20m", "-overlay", overlay}, f.tests...)...)
		cmd.Dir, cmd.Env = r.root, append(os.Environ(), exhaustive)
		output, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) || strings.Contains(string(output), "[build failed]") || strings.Contains(string(output), "[setup failed]") {
			return lived, fmt.Errorf("no test ran: %w\n%s", err, output)
		}
		if err != nil {
			if r.show {
				fmt.Fprintf(r.out, "%s", output)
			}
			return tier, nil
		}
		if r.fast {
			break
		}
	}
	return lived, nil
}
