package gdl

import (
	_ "embed"
	"strings"
	"sync"
)

//go:generate go test -run TestDiagnosticsPageIsCurrent -update

// codesText describes all codes of findings: the source of DIAGNOSTICS.md, of hints,
// and of tests.
//
//go:embed codes.txt
var codesText string

// hints are the suggested repairs, by code.
var hints = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	for _, section := range strings.Split(codesText, "\n# ")[1:] {
		code, rest, _ := strings.Cut(section, " ")
		_, rest, _ = strings.Cut(rest, "\n-- repair: ")
		m[code], _, _ = strings.Cut(rest, "\n")
	}
	return m
})
