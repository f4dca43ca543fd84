// Command tiers prints the arguments of "go test" that run the tests that differ between the tiers: all that reach
// internal/exhaustive, by name. Every other test does the same in both tiers.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tiers is the path of the package that divides the tests into tiers.
const tiers = "stackmate/internal/exhaustive"

func main() {
	root := flag.String("root", "..", "folder of the module")
	flag.Parse()
	log.SetFlags(0)
	files, err := parse(*root)
	if err != nil {
		log.Fatal(err)
	}
	tests, folders := differing(files)
	fmt.Printf("-run ^(%s)$ %s\n", strings.Join(tests, "|"), strings.Join(folders, " "))
}

// parse parses the Go files of a module, by their paths from root.
func parse(root string) (map[string]*ast.File, error) {
	files := make(map[string]*ast.File)
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		below, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (below == "tools" || below != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		files[filepath.ToSlash(below)], err = parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		return err
	})
	return files, err
}

// differing returns the names of the tests that reach package tiers, and the folders that hold them.
func differing(files map[string]*ast.File) (tests, folders []string) {
	reaching := map[string]bool{tiers: true} // packages other than tests
	for name, f := range files {
		if !strings.HasSuffix(name, "_test.go") && imports(f, reaching) {
			reaching["stackmate/"+path.Dir(name)] = true
		}
	}
	uses := make(map[string]map[string][]string) // names by folder and declaration
	for name, f := range files {
		if strings.HasSuffix(name, "_test.go") {
			dir := path.Dir(name)
			if uses[dir] == nil {
				uses[dir] = make(map[string][]string)
			}
			declarations(f, reaching, uses[dir])
		}
	}
	all := make(map[string]bool)
	for _, dir := range slices.Sorted(maps.Keys(uses)) {
		if found := reach(uses[dir]); len(found) > 0 {
			folders = append(folders, "./"+dir)
			for _, test := range found {
				all[test] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), folders
}

// imports reports whether a file imports one of some packages.
func imports(f *ast.File, packages map[string]bool) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		p, _ := strconv.Unquote(i.Path.Value)
		return packages[p]
	})
}

// declarations adds the names that each function and variable of a file uses. Names of reaching packages become the
// path of package tiers.
func declarations(f *ast.File, reaching map[string]bool, uses map[string][]string) {
	qualifiers := make(map[string]bool)
	for _, i := range f.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); reaching[p] {
			qualifiers[path.Base(p)] = true
		}
	}
	add := func(name string, node ast.Node) {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && qualifiers[id.Name] {
					if n.Sel.Name != "NotUnderRace" { // the same in both tiers
						uses[name] = append(uses[name], tiers)
					}
					return false
				}
			case *ast.Ident:
				uses[name] = append(uses[name], n.Name)
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						add(name.Name, v)
					}
				}
			}
		}
	}
}

var test = regexp.MustCompile(`^(Test|Fuzz|Example)`)

// reach returns the tests that reach package tiers: all of a package if its TestMain or a function init does.
func reach(uses map[string][]string) (tests []string) {
	found := map[string]bool{tiers: true}
	for grown := true; grown; {
		grown = false
		for name, used := range uses {
			if !found[name] && slices.ContainsFunc(used, func(u string) bool { return found[u] }) {
				found[name], grown = true, true
			}
		}
	}
	for name := range uses {
		if test.MatchString(name) && (found[name] || found["TestMain"] || found["init"]) && name != "TestMain" {
			tests = append(tests, name)
		}
	}
	return tests
}
