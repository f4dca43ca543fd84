package goals

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Forget has a searcher begin a search of m without any facts.
func Forget(s *Searcher, m machine.Machine) {
	s.machine, s.learned, s.facts = m, true, Facts{}
	s.watch = newWatch(m, s.facts)
	s.divide()
}

// ForgetKeeper has a keeper begin a search of m without any facts.
func ForgetKeeper(k search.Keeper, m machine.Machine) { Forget(k.(keeper).Searcher, m) }
