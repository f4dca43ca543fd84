package toys

import "runtime"

// Heap runs f and returns the memory, in bytes, that is in use after it and was not
// before: what f leaves behind in what it returns, which is kept until then.
func Heap(f func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}
