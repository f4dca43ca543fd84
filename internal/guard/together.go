package guard

import "sync"

// Together calls f with each number below n at the same time, and returns when all calls have returned. If calls
// panic, it panics with the *Panic of the call with the smallest number.
func Together(n int, f func(i int)) {
	panics := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			panics[i] = Do(func() error { f(i); return nil })
		})
	}
	all.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}
