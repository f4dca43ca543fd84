package solve

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

// capabilities are the interfaces of the package machine that a Machine may implement beside its
// own; nil stands for one that is no matter of machines.
var capabilities = map[string]reflect.Type{
	"Decider":   reflect.TypeFor[machine.Decider](),
	"Factored":  reflect.TypeFor[machine.Factored](),
	"Planner":   reflect.TypeFor[machine.Planner](),
	"Signaller": reflect.TypeFor[machine.Signaller](),

	"Machine": reflect.TypeFor[machine.Machine](),
	"Batch":   nil, "Foresight": nil, "Preparer": nil, "Chronicle": nil, // batches are not wrapped
	"Signals": nil, "Sensor": nil, "Stepper": nil,
}

func TestAMachineWithoutSymmetriesForwardsEveryCapability(t *testing.T) {
	files, err := filepath.Glob("../../reasoner/machine/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of the package machine, %v", len(files), err)
	}
	declared := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); !ok {
				return true
			}
			declared++
			capability, known := capabilities[spec.Name.Name]
			if !known {
				t.Errorf("machine.%s is a new interface: expected it in the list of this test", spec.Name.Name)
			}
			if capability != nil && !reflect.TypeFor[plain]().Implements(capability) {
				t.Errorf("a machine without symmetries has no machine.%s, whatever it wraps", spec.Name.Name)
			}
			return true
		})
	}
	if declared != len(capabilities) {
		t.Errorf("%d interfaces, %d in the list", declared, len(capabilities))
	}
}

func TestPlansAreFoundWithoutSymmetries(t *testing.T) {
	m := gamestest.Machine(t, "slidingPuzzle-3x2")
	for _, symmetries := range []Switch{On, Off} {
		solver, err := New(Options{Method: Plans, LP: "native", Table: On, Symmetries: symmetries, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		s, err := solver.Solve(t.Context(), m, nil)
		if err != nil || !s.Solved {
			t.Errorf("symmetries %v: %v, error %v", symmetries, s.Value, err)
		}
	}
}
