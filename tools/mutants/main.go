// Command mutants plants faults, one at a time, and runs the tests that should find each. The faults come from a list
// or, with -draw, changes of single operators, constants and statements of the packages that are its arguments. The
// source stays as it is: go test replaces the faulty file by an overlay.
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
	"time"
)

// runner plants faults in the module at root.
type runner struct {
	root  string
	drawn bool          // faults need not compile or be found
	fast  bool          // without the exhaustive tier
	show  bool          // print the output of the tests that find a fault
	limit time.Duration // of the tests of a fault; tests that exceed the limit find it
	out   io.Writer
}

// outcome is the tier whose tests find a fault, if it compiles and a test finds it.
type outcome int

const (
	lived outcome = iota
	inExhaustive
	inFast
	notCompiled
	outcomes
)

func (o outcome) String() string {
	return [...]string{"LIVED", "found by the exhaustive tier", "found", "does not compile"}[o]
}

func main() {
	list := flag.String("list", "mutants/faults.txt", "list of faults")
	root := flag.String("root", "..", "folder of the module")
	run := flag.String("run", ".", "regular expression for the file and name of the faults that are planted")
	draws := flag.Int("draw", 0, "faults to draw of each package of the arguments, in place of the list")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	tests := flag.String("test", "", "arguments of go test, in place of the tests of each fault")
	limit := flag.Duration("timeout", 20*time.Minute, "limit of the tests of a fault; tests that exceed it find the fault")
	fast := flag.Bool("fast", false, "run the fast tier of the tests alone")
	show := flag.Bool("v", false, "print the output of the tests that find a fault")
	flag.Parse()
	log.SetFlags(0)
	faults, err := read(*list)
	if *draws > 0 {
		faults, err = draw(*root, flag.Args(), *draws, *seed)
	}
	if err != nil {
		log.Fatal(err)
	}
	wanted, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	faults = slices.DeleteFunc(faults, func(f fault) bool { return !wanted.MatchString(f.String()) })
	if *tests != "" {
		for i := range faults {
			faults[i].tests = strings.Fields(*tests)
		}
	}
	if err := (runner{*root, *draws > 0, *fast, *show, *limit, os.Stdout}).testAll(faults); err != nil {
		log.Fatal(err)
	}
}

// testAll plants the faults and prints the outcomes, and the text of faults that live. Its error lists faults that cannot
// be planted and, unless the faults are drawn, faults that do not compile, that lived without being equivalent, or that
// are called equivalent and were found.
func (r runner) testAll(faults []fault) error {
	count, equivalent := make(map[string]*[outcomes]int), make(map[string]int)
	var wrong []string
	for _, f := range faults {
		o, err := r.test(f)
		if err != nil && !(r.drawn && o == notCompiled) {
			wrong = append(wrong, fmt.Sprintf("%s: %v", f, err))
			continue
		}
		fmt.Fprintf(r.out, "%s: %v\n", f, o)
		if o == lived {
			fmt.Fprint(r.out, f.text())
		}
		if !r.drawn && (o == lived) != (f.equivalent != "") {
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
	fmt.Fprintf(r.out, "\n%-32s %6s %12s %6s %10s %6s %10s\n", "package", "faults", "not compiled", "fast", "exhaustive", "lived", "equivalent")
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		c := count[folder]
		fmt.Fprintf(r.out, "%-32s %6d %12d %6d %10d %6d %10d\n", folder, c[lived]+c[inExhaustive]+c[inFast], c[notCompiled], c[inFast], c[inExhaustive], c[lived], equivalent[folder])
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
		cmd := exec.Command("go", append([]string{"test", "-trimpath", "-vet=off", "-failfast", "-timeout", r.limit.String(), "-overlay", overlay}, f.tests...)...)
		cmd.Dir, cmd.Env = r.root, append(os.Environ(), exhaustive)
		output, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case err == nil && r.fast:
			return lived, nil
		case err == nil:
			continue
		case strings.Contains(string(output), "[build failed]"):
			return notCompiled, fmt.Errorf("no test ran: %w\n%s", err, output)
		case !errors.As(err, &exit) || strings.Contains(string(output), "[setup failed]"):
			return lived, fmt.Errorf("no test ran: %w\n%s", err, output)
		case r.show:
			fmt.Fprintf(r.out, "%s", output)
		}
		return tier, nil
	}
	return lived, nil
}
