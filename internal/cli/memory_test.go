package cli

import (
	"runtime/debug"
	"testing"
)

func TestTheRuntimeIsToldOfTheMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	execute(t, "perft", "ticTacToe", "1", "--memory", "100").expect(t, statusFine)
	if limit := debug.SetMemoryLimit(-1); limit != 100*mebibyte {
		t.Errorf("the runtime's limit is %d bytes", limit)
	}
	execute(t, "perft", "ticTacToe", "1").expect(t, statusFine)
	if limit := debug.SetMemoryLimit(-1); limit != int64(usualMemory(machineMemory())) {
		t.Errorf("the runtime's limit is %d bytes", limit)
	}
	for _, wrong := range []string{"1", "-5", "9223372036854775807", "many"} {
		execute(t, "perft", "ticTacToe", "1", "--memory="+wrong).expect(t, statusUsage, "--memory")
	}
}

func TestMemoryIsDividedAndHalfOfItLeft(t *testing.T) {
	m := memory(1000 * mebibyte)
	for n, want := range map[int]int64{0: 500, 1: 500, 4: 125} {
		if got := m.share(n); got != want*mebibyte {
			t.Errorf("the share of %d takers is %d bytes", n, got)
		}
	}
}

func TestASearchAloneHasMostOfALargeMemory(t *testing.T) {
	for given, want := range map[int64]int64{100: 50, 2048: 1024, 3000: 1976, 8000: 6000} {
		if got := (&solveCommand{}).tableBytes(&console{memory: memory(given * mebibyte)}); got != want*mebibyte {
			t.Errorf("of %d MiB a search has %d", given, got/mebibyte)
		}
	}
	certified := &solveCommand{Certify: true}
	if got, want := certified.tableBytes(&console{memory: 8000 * mebibyte}), int64(4000*mebibyte); got != want {
		t.Errorf("one that is certified has %d bytes, want %d", got, want)
	}
}

func TestAContainerIsUsedAlmostWhole(t *testing.T) {
	const gibibyte = 1024 * mebibyte
	for _, c := range []struct{ machine, container, want uint64 }{
		{24 * gibibyte, 24 * gibibyte, 12 * gibibyte}, // none
		{24 * gibibyte, gibibyte, 768 * mebibyte},
		{24 * gibibyte, 20 * gibibyte, 12 * gibibyte},
		{24 * gibibyte, 32 * mebibyte, leastMemory},
	} {
		if got := usualMemory(c.machine, c.container); uint64(got) != c.want {
			t.Errorf("a machine of %d bytes, a container of %d: %d, want %d", c.machine, c.container, got, c.want)
		}
	}
}
