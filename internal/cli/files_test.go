// Full disks, pipes and modes are tested as Unix has them.

//go:build !windows

package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
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

func TestASolutionThatCannotBeSavedIsShownAllTheSame(t *testing.T) {
	path, inside := onFullDisk(t, 16, filepath.Join(t.TempDir(), "three.solution"))
	if inside {
		execute(t, "solve", "goofspiel-3", "--save", path).
			expect(t, statusBad, "value of red", "cannot save the solution: cannot write "+path, syscall.EFBIG.Error())
		return
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v (%v)", left, err)
	}
}

func TestOutputPathsAreCheckedBeforeTheWork(t *testing.T) {
	nowhere, occupied := filepath.Join(t.TempDir(), "no", "such.svg"), file(t, "file", "")
	for name, args := range map[string][]string{
		"solve":      {"solve", "goofspiel-3", "--save", nowhere},
		"experiment": {"experiment", "tron", "--sizes", "3", "--plot", nowhere},
		"a folder":   {"solve", "goofspiel-3", "--save", t.TempDir()},
		"match":      {"match", "ticTacToe", "--players", "legal,legal", "--record", filepath.Join(occupied, "records")},
		"tournament": {"tournament", "ticTacToe", "--players", "legal,random", "--rounds", "1", "--record", occupied},
	} {
		t.Run(name, func(t *testing.T) {
			o := execute(t, args...)
			o.expect(t, statusUsage, "cannot write ")
			if o.out != "" {
				t.Errorf("the work was done first:\n%s", o.out)
			}
		})
	}
}

func TestTheCacheIsAFolder(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	rules := file(t, "game.kif", "(role r)")
	execute(t, "inspect", "ticTacToe", "--cache", rules).expect(t, statusUsage, "--cache: cannot write "+rules)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	execute(t, "inspect", "ticTacToe", "--cache", dir).expect(t, statusFine, "compiled in")
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// sparse writes a file of a size that takes no room on the disk.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := file(t, "big.kif", "")
	must.OK(t, os.Truncate(path, size))
	return path
}

func TestRulesheetsAreReadWhateverTheFileIs(t *testing.T) {
	exhaustive.NotUnderRace(t, "reads files of many megabytes on one goroutine")
	secret := file(t, "secret.kif", coin)
	must.OK(t, os.Chmod(secret, 0))
	for name, test := range map[string]struct{ path, want string }{
		"an endless device":  {"/dev/zero", "expected at most 64 MiB"},
		"a huge file":        {sparse(t, 1<<30), "expected at most 64 MiB"},
		"a file in a file":   {filepath.Join(secret, "game.kif"), "not a directory"},
		"an unreadable file": {secret, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.path == secret && os.Geteuid() == 0 {
				t.Skip("root may read everything")
			}
			execute(t, "validate", test.path).expect(t, statusUsage, "cannot read the rulesheet", test.want)
			if test.path != "/dev/zero" { // to read so much takes a while
				execute(t, "fmt", test.path).expect(t, statusUsage, "cannot read the rulesheet", test.want)
				execute(t, "inspect", test.path).expect(t, statusUsage, "cannot read the rulesheet", test.want)
			}
		})
	}
	execute(t, "inspect", t.TempDir()).expect(t, statusUsage, "cannot read the rulesheet", "is a directory")
	for _, command := range []string{"validate", "fmt"} {
		execute(t, command, t.TempDir()).expect(t, statusUsage, "expected rulesheets", "found none")
	}
	execute(t, "validate", os.DevNull).expect(t, statusBad, "/dev/null: not valid")
}

func TestAPipeThatNobodyWritesToCanBeLeft(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.OK(t, syscall.Mkfifo(pipe, 0o600))
	rules := file(t, "coin.kif", coin)
	for _, args := range [][]string{
		{"validate", pipe}, {"inspect", pipe}, {"play", "goofspiel-3", "--from", pipe}, {"replay", rules, pipe},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		executeUntil(ctx, args...).expect(t, statusBad, "interrupted")
		cancel()
	}
}

func TestTrainingOnAFullDiskSavesNothingAndSaysSo(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long; other tests of training look at its goroutines")
	path, inside := onFullDisk(t, 16, t.TempDir())
	if !inside {
		return
	}
	o := execute(t, "train", "ticTacToe", "--time", "200ms", "--knowledge", path)
	o.expect(t, statusBad, "cannot save the evaluation", syscall.EFBIG.Error())
	if strings.Contains(o.out, "saved in") {
		t.Errorf("what was not saved is said to be:\n%s", o.out)
	}
}
