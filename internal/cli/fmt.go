package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/search/gambit"
)

// fmtCommand lays rulesheets out.
type fmtCommand struct {
	Files []string `arg:"" name:"file" help:"Rulesheets to format, or folders of them; - is standard input. A Gambit file (.nfg, .efg) is printed as a rulesheet."`
	Write bool     `short:"w" help:"Write the result to the file instead of standard output."`
	List  bool     `short:"l" help:"Print the names of the files that would change."`
	Diff  bool     `short:"d" help:"Print the changes; if there are any, the exit status is 1."`
}

// Run implements the command.
func (c *fmtCommand) Run(s *console) error {
	files, err := rulesheetsIn(c.Files, gdlFiles)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(files, gambit.IsFile); i >= 0 && !c.prints() {
		return usageError{fmt.Errorf("-w, -l, -d: expected rulesheets in GDL, found %s: stackmate fmt %[1]s prints it as a rulesheet", files[i])}
	}
	if c.Write && slices.Contains(files, standardInput) {
		return usageError{errors.New("-w: standard input cannot be written")}
	}
	var faulty []error
	for _, file := range files {
		faulty = append(faulty, c.format(s, file))
	}
	return errors.Join(faulty...)
}

// prints reports whether the command prints the rulesheets.
func (c *fmtCommand) prints() bool { return !c.Write && !c.Diff && !c.List }

func (c *fmtCommand) format(s *console, file string) error {
	src, err := s.readRules(file)
	if err != nil {
		return err
	}
	if _, err := gdl.Parse(file, src); err != nil {
		return err // with the name of the file, which Format does not know
	}
	text, err := gdl.Format(src)
	if err != nil {
		return err
	}
	if c.prints() {
		_, err = s.out.exactly().Write(text)
		return err
	}
	if bytes.Equal(text, src) {
		return nil
	}
	if c.Write {
		err = atomicfile.Write(file, text)
	}
	if c.List {
		_, errWrite := fmt.Fprintln(s.out, file)
		err = errors.Join(err, errWrite)
	}
	if c.Diff {
		_, errWrite := s.out.exactly().Write(diff.Diff(file+".orig", src, file, text))
		err = errors.Join(err, errWrite, errTold)
	}
	return err
}
