package kernel

import (
	"slices"
	"strings"
	"testing"
)

func TestKernelsAreChosenByNameOrFamily(t *testing.T) {
	all := All()
	for name, first := range map[string]*Kernel{"": all[0], Auto: all[0], familyPortable: portableWide, Portable64: portable64} {
		list, err := From(name)
		if err != nil || list[0].Name() != first.Name() || list[len(list)-1].Name() != Portable64 {
			t.Errorf("%q: %v, error %v", name, list, err)
		}
	}
	for _, k := range all {
		if list, err := From(k.Name()); err != nil || list[0].Name() != k.Name() {
			t.Errorf("%s: %v, error %v", k.Name(), list, err)
		}
	}
	if _, err := From("steam"); err == nil || !strings.Contains(err.Error(), familyPortable) {
		t.Errorf("error %v for a kernel that there is nowhere", err)
	}
}

// Every family of the table is available, or is refused with its requirement; and every available kernel
// belongs to a family of the table.
func TestTheTableOfKernelsIsComplete(t *testing.T) {
	for _, f := range Families {
		list, err := From(f.Name)
		switch {
		case err == nil && list[0].familyName() != f.Name:
			t.Errorf("%s: begins with %s", f.Name, list[0].Name())
		case err != nil && !strings.Contains(err.Error(), f.Needs):
			t.Errorf("%s: %v, want what it needs: %s", f.Name, err, f.Needs)
		}
	}
	for _, k := range All() {
		if !slices.ContainsFunc(Families, func(f Family) bool { return f.Name == k.familyName() }) {
			t.Errorf("%s is of no family", k.Name())
		}
	}
}

// Each function of a cone is computed by an existing gate, of leaves on which it depends.
func TestFusedFormsComputeTheirFunctions(t *testing.T) {
	known := 0
	for table, f := range fusedForms() {
		if !f.ok {
			continue
		}
		known++
		i := slices.IndexFunc(fusedGates, func(g fusedGate) bool { return g.header == f.header })
		if i < 0 {
			t.Fatalf("%016b: there is no gate %v", table, f.header)
		}
		var leaves [mostLeaves]uint16
		for k, at := range f.leaf {
			leaves[k] = leafTables[at]
		}
		if got := compose(fusedGates[i].table, leaves); got != uint16(table) {
			t.Errorf("gate %v of leaves %v computes %016b, want %016b", f.header, f.leaf, got, table)
		}
	}
	if known < len(fusedGates) {
		t.Errorf("%d functions by %d gates", known, len(fusedGates))
	}
}

// Each fused gate computes the function of its table, in every word of a row.
func TestFusedGatesComputeTheirTables(t *testing.T) {
	for _, g := range fusedGates {
		operands := int(g.pos + g.neg)
		rows := aligned((1 + operands) * wideWords)
		code := []int32{int32(g.op), g.pos, g.neg, 1, 0}
		for k := range operands {
			code = append(code, int32(1+k)*wideWords)
			for w := range wideWords {
				rows[(1+k)*wideWords+w] = uint64(leafTables[k])
			}
		}
		runWide(rows, code)
		for w, got := range rows[:wideWords] {
			if uint16(got) != g.table {
				t.Errorf("gate %v: word %d is %016b, want %016b", g.header, w, uint16(got), g.table)
			}
		}
	}
}
