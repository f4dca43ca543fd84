package kernel

import (
	"slices"
	"testing"
)

func TestEveryARM64HasKernelsOfBothWidths(t *testing.T) {
	var names []string
	for _, k := range All() {
		names = append(names, k.Name())
	}
	for _, name := range []string{"neon", "neon/128"} {
		if !slices.Contains(names, name) {
			t.Errorf("there is no %s among %v", name, names)
		}
	}
}
