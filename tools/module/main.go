// Command module changes the path of the module: in go.mod, imports, the linter's table of imports and
// documents.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", "..", "folder of the module")
	flag.Parse()
	log.SetFlags(0)
	valid := regexp.MustCompile(`^[a-zA-Z0-9._~-]+(/[a-zA-Z0-9._~-]+)*$`)
	if flag.NArg() != 1 || !valid.MatchString(flag.Arg(0)) {
		log.Fatal("expected the new path, such as example.org/me/stackmate")
	}
	if err := rename(*root, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func rename(root, path string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	former := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(mod)
	if former == nil {
		return fmt.Errorf("no path in go.mod")
	}
	old := string(former[1])
	list := exec.Command("git", "ls-files", "-z")
	list.Dir, list.Stderr = root, os.Stderr
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Split(strings.TrimRight(string(names), "\x00"), "\x00")
	paths := paths(old, files)
	changed := 0
	for _, name := range files {
		file := filepath.Join(root, name)
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.IndexByte(text, 0) >= 0 { // not a text file
			continue
		}
		renamed := paths.ReplaceAll(text, []byte("${1}${3}"+path+"${2}${4}"))
		if bytes.Equal(renamed, text) {
			continue
		}
		if filepath.Ext(name) == ".go" { // sorts the imports
			if renamed, err = format.Source(renamed); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := os.WriteFile(file, renamed, info.Mode().Perm()); err != nil {
			return err
		}
		changed++
	}
	fmt.Printf("%s is %s now, in %d files\n", old, path, changed)
	return nil
}

// paths matches the path of the module in two places: before the name of a folder of the module, and in
// declarations.
func paths(old string, files []string) *regexp.Regexp {
	folders := make(map[string]bool)
	for _, name := range files {
		if folder, _, inside := strings.Cut(name, "/"); inside && !strings.HasPrefix(folder, ".") {
			folders[regexp.QuoteMeta(folder)] = true
		}
	}
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	quoted := regexp.QuoteMeta(old)
	return regexp.MustCompile(`(?m)(^|[^\w./-])` + quoted + `(/(?:` + strings.Join(names, "|") + `)\b)` +
		`|(^module |^      module-path: |\{pkg: )` + quoted + `($|[ ,])`)
}
