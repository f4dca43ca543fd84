package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"stackmate/internal/atomicfile"
	"stackmate/internal/guard"
	"stackmate/search/gambit"
)

// maxRules bounds a rulesheet, in bytes. The largest known rulesheets have 70 kB.
const maxRules = 64 << 20

// maxArguments bounds a file of arguments, in bytes.
const maxArguments = 1 << 20

// expandArguments replaces each @FILE by the words of the file; lines that begin with #
// are comments.
func expandArguments(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		name, isFile := strings.CutPrefix(arg, "@")
		if !isFile {
			out = append(out, arg)
			continue
		}
		text, err := readUpTo(name, maxArguments)
		if err != nil {
			return nil, fmt.Errorf("%s: expected a file of arguments: %w", arg, err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "#") {
				out = append(out, strings.Fields(line)...)
			}
		}
	}
	return out, nil
}

// standardInput is the name of standard input on a command line.
const standardInput = "-"

// decodePath decodes a path, or a list of paths, of the command line. It refuses an empty path, which kong replaces by the
// working folder.
func decodePath(ctx *kong.DecodeContext, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		lists := kong.NewRegistry().RegisterDefaults().RegisterName("path", kong.MapperFunc(decodePath))
		known := target.Len()
		err := lists.ForType(target.Type()).Decode(ctx, target)
		if err == nil && target.Len() == known {
			err = errNoPath
		}
		return err
	}
	var path string
	if err := ctx.Scan.PopValueInto("path", &path); err != nil {
		return err
	}
	switch path {
	case "":
		return errNoPath
	case standardInput:
	default:
		path = kong.ExpandPath(path)
	}
	target.SetString(path)
	return nil
}

// errNoPath is the error for an empty path.
var errNoPath = errors.New("expected a path, found an empty one")

// checkReadable returns an error for the name of standard input, for commands that read files alone.
func checkReadable(paths ...string) error {
	if slices.Contains(paths, standardInput) {
		return usageError{errors.New("expected the path of a file to read, found -: this command does not read standard input")}
	}
	return nil
}

// The extensions of rulesheets in GDL, and of all files that commands read as rulesheets.
var (
	gdlFiles  = []string{".kif", ".gdl", ".hrf"}
	gameFiles = append(slices.Clone(gdlFiles), ".nfg", ".efg")
)

// rulesheetsIn returns the rulesheets of a command line, including the files with the given extensions in its folders.
func rulesheetsIn(paths, extensions []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		if info, err := os.Stat(path); path == standardInput || err != nil || !info.IsDir() {
			out = append(out, path)
			continue
		}
		found := len(out)
		err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(name)) {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			return nil, usageError{err}
		}
		if len(out) == found {
			return nil, usageError{fmt.Errorf("expected rulesheets (%s) in %s, found none", strings.Join(extensions, ", "), path)}
		}
	}
	return out, nil
}

// readRules reads a rulesheet of the command line, or a game of Gambit as a rulesheet.
func (s *console) readRules(path string) ([]byte, error) {
	src, err := await(s.ctx, func() ([]byte, error) { return readUpTo(path, maxRules) })
	if err == nil && gambit.IsFile(path) {
		var rules string
		if rules, err = gambit.Rules(string(src)); err != nil {
			return nil, usageError{fmt.Errorf("%s: %w", path, err)}
		}
		src = []byte(rules)
	}
	if err != nil && s.ctx.Err() == nil {
		return nil, usageError{fmt.Errorf("cannot read the rulesheet: %w", err)}
	}
	return src, err
}

// readUpTo reads standard input or a file of any kind, up to limit bytes.
func readUpTo(path string, limit int64) ([]byte, error) {
	f := os.Stdin
	if path != standardInput {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size() // 0 of devices and pipes
	var src []byte
	if size <= limit {
		src, err = io.ReadAll(io.LimitReader(f, limit+1))
		size = int64(len(src))
	}
	if size > limit {
		return nil, fmt.Errorf("expected at most %d MiB, found more in %s", limit>>20, path)
	}
	return src, err
}

// await runs f, which no context ends: to open a pipe that nobody writes to, for
// instance, takes for ever. When ctx ends, f is left behind.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = guard.Do(func() (err error) { o.result, err = f(); return err })
		done <- o
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// checkWritable returns an error unless files can be written at all non-empty paths. Commands call it before
// they work.
func checkWritable(paths ...string) error {
	for _, path := range paths {
		switch path {
		case "":
			continue
		case standardInput:
			return usageError{errors.New("expected the path of a file to write, found -")}
		}
		if err := atomicfile.Check(path); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// checkKnowledge returns an error unless weights can be written in the folder of --knowledge, and warns of an empty folder.
func (s *console) checkKnowledge(dir string) error {
	if err := checkFolder("--knowledge", dir); err != nil || dir == "" {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
		s.log.Warn().Str("folder", dir).Msg("--knowledge: the folder has no weights yet")
	}
	return nil
}

// checkFolder returns an error unless files can be written in the folder of a flag. It creates the folder if
// necessary; "" means no folder. Commands call it before they work.
func checkFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	if err := atomicfile.CheckDir(dir); err != nil {
		return usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return nil
}
