package machine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A wrapper that embeds a machine or a batch passes its abilities on by Unwrap, or implements each; a wrapper with
// neither would hide lost positions. No code but machine.As asserts a machine to be a richer type. The test lists the
// methods that each wrapper implements itself.
func TestWrappersPassOnUnchangedMethods(t *testing.T) {
	want := map[string][]string{
		"goals.batch":             {"AppendSensible", "Goals", "Lost", "Prepare", "Wins"},
		"goals.view":              {"Decisive", "GoalValues", "NewBatch", "NewNarrowBatch", "ProvedGoalSum", "ProvedLength", "Subgames", "Symmetries", "Unwrap"},
		"facts.Subgame":           {"Project", "Unwrap"},
		"reasoner.described":      {"Info", "Unwrap"},
		"reasoner.circuitMachine": {"Decisive", "Plan", "ProvedGoalSum", "ProvedLength", "Signals", "Subgames", "Unwrap"},
		"sequential.fixedRoles":   {"Symmetries", "Unwrap"},
		"solve.plain":             {"Decisive", "Subgames", "Symmetries", "Unwrap"},
		"toys.counted":            {"NewBatch", "NewNarrowBatch", "Unwrap"},
		"toys.countedBatch":       {"Advance", "Evaluate", "Prepare", "Unwrap"},
	}
	got, methods := make(map[string][]string), make(map[string][]string)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				if name := sharedName(file, n.Type); name != "" && name != "T" { // T: in machine.As
					t.Errorf("%s: expected no machine that can do more than others, found an assertion that it is a %s", path, name)
				}
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				for i := 0; ok && i < len(s.Fields.List); i++ {
					name := sharedName(file, s.Fields.List[i].Type)
					if len(s.Fields.List[i].Names) == 0 && (name == "Machine" || name == "Batch") {
						got[file.Name.Name+"."+n.Name.Name] = nil
					}
				}
			case *ast.FuncDecl:
				if n.Recv != nil && n.Name.IsExported() {
					of := n.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if id, ok := of.(*ast.Ident); ok {
						methods[file.Name.Name+"."+id.Name] = append(methods[file.Name.Name+"."+id.Name], n.Name.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for wrapper := range got {
		got[wrapper] = methods[wrapper]
		slices.Sort(got[wrapper])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("wrappers, -want +got:\n%s", d)
	}
}

// sharedName returns the name, in a file, of a type of package machine; "" for other types.
func sharedName(file *ast.File, x ast.Expr) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if p, ok := x.X.(*ast.Ident); ok && p.Name == "machine" {
			return x.Sel.Name
		}
	case *ast.Ident:
		if file.Name.Name == "machine" && x.IsExported() {
			return x.Name
		}
	}
	return ""
}
