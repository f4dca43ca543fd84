package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// onFullDisk runs the rest of a test in a process of its own where no file may
// grow beyond limit bytes, which has the effect of a full disk. It returns false
// in the process that began it, after the other one has ended.
func onFullDisk(t *testing.T, limit uint64, file string) (path string, inside bool) {
	t.Helper()
	const variable = "STACKMATE_TEST_FULL_DISK"
	if path := os.Getenv(variable); path != "" {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Skip("no limit on the size of files:", err)
		}
		return path, true
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), variable+"="+file)
	if text, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	return file, false
}

func TestFmtOnAFullDiskLeavesTheRulesheetAsItWas(t *testing.T) {
	const limit = 1 << 12
	// Laid out canonically, the rules are longer than the limit.
	rules := strings.Repeat("(<= (p ?x) (q ?x) (r ?x))", limit/25)
	path, inside := onFullDisk(t, limit, file(t, "game.kif", rules))
	if inside {
		execute(t, "fmt", "-w", path).expect(t, statusBad, "cannot write "+path, syscall.EFBIG.Error())
		return
	}
	if src, err := os.ReadFile(path); err != nil || string(src) != rules {
		t.Errorf("the rulesheet holds %d bytes of %d (%v)", len(src), len(rules), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v (%v)", left, err)
	}
}
