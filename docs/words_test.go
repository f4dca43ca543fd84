package docs

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"stackmate/internal/must"
)

// sources parses the project's Go files, except generated ones, by folder.
var sources = sync.OnceValues(func() (map[string][]*ast.File, error) {
	rooms := make(map[string][]*ast.File)
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(f) {
			room := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
			rooms[room] = append(rooms[room], f)
		}
		return err
	})
	return rooms, err
})

// A mark is a word that stands in place of a noun, or an equation ("x is …") in place of a verb. One of `per` comment lines may
// have it, or none if per is 0; for equations, one of `per` comments of functions.
type mark struct {
	name    string
	pattern *regexp.Regexp
	per     int
}

var marks = []mark{
	{"what", regexp.MustCompile(`\b[Ww]hat\b`), 150},
	{"that of", regexp.MustCompile(`\b([Tt]hat|[Tt]hose) of\b`), 500},
	{"those", regexp.MustCompile(`\b[Tt]hose\b`), 150},
	{"tells whether", regexp.MustCompile(`\b[Tt]ells? whether\b`), 0},
	{"x is", regexp.MustCompile(`^\w+ (is|are)\b`), 10},
}

// excess returns the number of each mark in a room's comments, 0 for a mark within its limit.
func excess(files []*ast.File) []int {
	counts := make([]int, len(marks))
	lines, functions := 0, 0
	equation := len(marks) - 1
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				lines += strings.Count(c.Text, "\n") + 1
				for i, m := range marks[:equation] {
					counts[i] += len(m.pattern.FindAllString(c.Text, -1))
				}
			}
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
				functions++
				if text := d.Doc.Text(); strings.HasPrefix(text, d.Name.Name+" ") && marks[equation].pattern.MatchString(text) {
					counts[equation]++
				}
			}
		}
	}
	for i, m := range marks {
		of := lines
		if i == equation {
			of = functions
		}
		if m.per > 0 && counts[i] <= (of+m.per-1)/m.per {
			counts[i] = 0
		}
	}
	return counts
}

func TestCommentsNameTheirObjects(t *testing.T) {
	rooms := must.Get(sources())(t)
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		for i, n := range excess(rooms[room]) {
			if n > 0 {
				t.Errorf("%s: %d comments with %q, above the limit; name the object, begin with a verb (CONTRIBUTING.md)", room, n, marks[i].name)
			}
		}
	}
}

// documentMarks is the most lines of a document with a mark of each kind: prose about questions and people needs some.
const documentMarks = 3

func TestDocumentsNameTheirObjects(t *testing.T) {
	documents := []string{"../README.md", "../ARCHITECTURE.md", "../CHANGELOG.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "lab/*.md"} {
		documents = append(documents, must.Get(filepath.Glob(pattern))(t)...)
	}
	for _, name := range documents {
		text := read(t, name)
		for _, m := range marks[:len(marks)-1] {
			if n := len(m.pattern.FindAllString(text, -1)); n > documentMarks {
				t.Errorf("%s: %q %d times, at most %d are allowed; name the object (CONTRIBUTING.md)", name, m.name, n, documentMarks)
			}
		}
	}
}

// declared returns the names that files declare, with methods and fields as Type.Name.
func declared(files []*ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						names[s.Name.Name] = true
						for _, field := range members(s.Type) {
							names[s.Name.Name+"."+field] = true
						}
					}
				}
			}
		}
	}
	return names
}

// receiver returns the type of a method and a dot, or "" for a function.
func receiver(d *ast.FuncDecl) string {
	name := ""
	if d.Recv != nil {
		ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				name = cmp.Or(name, id.Name+".")
			}
			return true
		})
	}
	return name
}

// members returns the fields of a struct or the methods of an interface.
func members(t ast.Expr) (names []string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

func TestTheGlossaryNamesIdentifiers(t *testing.T) {
	rooms := must.Get(sources())(t)
	packages := make(map[string][]*ast.File)
	for _, files := range rooms {
		for _, f := range files {
			packages[f.Name.Name] = append(packages[f.Name.Name], f)
		}
	}
	row := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|$`)
	name := regexp.MustCompile("`(\\w+)\\.([\\w.]+)`")
	rows := row.FindAllStringSubmatch(read(t, "glossary.md"), -1)
	if len(rows) < 30 {
		t.Fatalf("the glossary has %d terms", len(rows))
	}
	for _, cells := range rows[1:] {
		found := name.FindAllStringSubmatch(cells[3], -1)
		if len(found) == 0 {
			t.Errorf("%s: no identifier carries the term", cells[1])
		}
		for _, id := range found {
			if !declared(packages[id[1]])[id[2]] {
				t.Errorf("%s: there is no %s in package %s", cells[1], id[2], id[1])
			}
		}
	}
}
