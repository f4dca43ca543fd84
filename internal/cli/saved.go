package cli

import (
	"stackmate/gdl"
	"stackmate/player/analysis"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/layers"
)

// savedSolutions returns the solutions at some paths.
func (s *console) savedSolutions(paths ...string) (list []analysis.Saved) {
	for _, path := range paths {
		list = append(list, analysis.Saved{Name: path, Open: func(rules *gdl.Game, m machine.Machine, bytes int64) (search.Solution, error) {
			return s.openSolution(path, rules, m, bytes)
		}})
	}
	return list
}

// openSolution opens a saved solution: a file, or the folder of method layers.
func (s *console) openSolution(path string, rules *gdl.Game, m machine.Machine, bytes int64) (search.Solution, error) {
	return await(s.ctx, func() (search.Solution, error) {
		if layers.Holds(path) {
			return layers.Open(path, m, rules.ExactDigest(), bytes)
		}
		b, err := book.Load(path, m, rules.ExactDigest(), bytes)
		if err == nil && b.Uncertified {
			s.log.Warn().Str("solution", path).Msg("saved without a certificate: positions may be missing")
		}
		return b, err
	})
}
