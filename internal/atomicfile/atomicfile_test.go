// Full disks, pipes and modes are tested as Unix has them.

//go:build !windows

package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackmate/internal/must"
)

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// holds fails the test unless a folder holds one file with the content given.
func holds(t *testing.T, path, content string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != content {
		t.Errorf("the file holds %q (%v), want %q", text, err, content)
	}
	if list := names(t, filepath.Dir(path)); !slices.Equal(list, []string{filepath.Base(path)}) {
		t.Errorf("the folder holds %v", list)
	}
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	must.OK(t, errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode)))
}

func TestWriteMakesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	must.OK(t, Write(path, []byte("text")))
	holds(t, path, "text")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o644 != 0 || info.Mode().Perm()&0o600 != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestWriteKeepsTheModeOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old")
	write(t, path, "a longer text", 0o640)
	must.OK(t, Write(path, []byte("text")))
	holds(t, path, "text")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestASecretIsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, before := range []func(){func() {}, func() { must.OK(t, os.Chmod(path, 0o644)) }} {
		before()
		must.OK(t, WriteSecret(path, []byte("secret")))
		holds(t, path, "secret")
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v (%v)", info.Mode(), err)
		}
	}
}

func TestWriteFollowsSymbolicLinks(t *testing.T) {
	for name, exists := range map[string]bool{"to a file": true, "to no file yet": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "real", "file")
			must.OK(t, errors.Join(os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755), os.Mkdir(filepath.Dir(path), 0o755)))
			if exists {
				write(t, path, "old", 0o644)
			}
			// The folder of the second link is behind a link itself: its parent is a.
			link := filepath.Join(dir, "link")
			if err := errors.Join(os.Symlink("shortcut/again", link), os.Symlink("a/b", filepath.Join(dir, "shortcut")),
				os.Symlink("../../real/file", filepath.Join(dir, "a", "b", "again"))); err != nil {
				t.Fatal(err)
			}
			must.OK(t, errors.Join(Check(link), Write(link, []byte("new"))))
			holds(t, path, "new")
			if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
				t.Errorf("the link is now %v (%v)", info.Mode(), err)
			}
		})
	}
}

func TestAFailureLeavesTheFileAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "old", 0o644)
	broken := errors.New("broken")
	err := WriteTo(path, func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	holds(t, path, "old")
}

// The test runs itself again with a limit on the size of files, which has the
// effect of a full disk.
func TestAFullDiskLeavesTheFileAsItWas(t *testing.T) {
	const variable = "ATOMICFILE_FULL_DISK"
	const limit = 1 << 12
	if path := os.Getenv(variable); path != "" {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Skip("no limit on the size of files:", err)
		}
		if err := Write(path, make([]byte, 2*limit)); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("error %v", err)
		} else if strings.Contains(err.Error(), "/.file") || !strings.Contains(err.Error(), path) {
			t.Errorf("the error names the hidden file: %v", err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "old", 0o644)
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), variable+"="+path)
	if text, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	holds(t, path, "old")
}

func TestCheckSaysWhatWriteWouldAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	file, loop := filepath.Join(dir, "file"), filepath.Join(dir, "loop")
	write(t, file, "old", 0o644)
	must.OK(t, errors.Join(os.Symlink("loop", loop), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644)))
	before := names(t, dir)
	for name, test := range map[string]struct {
		path string
		want error
	}{
		"a file":                 {file, nil},
		"a new file":             {filepath.Join(dir, "new"), nil},
		"a device":               {os.DevNull, nil},
		"a folder":               {dir, syscall.EISDIR},
		"a folder to be":         {filepath.Join(dir, "new") + "/", syscall.ENOENT},
		"in no folder":           {filepath.Join(dir, "no", "file"), syscall.ENOENT},
		"in a file":              {filepath.Join(file, "file"), syscall.ENOTDIR},
		"links in a circle":      {loop, syscall.ELOOP},
		"no name":                {"", fs.ErrNotExist},
		"name too long":          {filepath.Join(dir, strings.Repeat("n", 300)), syscall.ENAMETOOLONG},
		"a pipe that none reads": {filepath.Join(dir, "pipe"), syscall.ENXIO},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(test.path)
			if !errors.Is(err, test.want) || err != nil && !strings.Contains(err.Error(), "cannot write "+test.path+": ") {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if now := names(t, dir); !slices.Equal(now, before) {
				t.Errorf("the folder held %v and holds %v", before, now)
			}
			if test.want != nil {
				if err := Write(test.path, []byte("text")); !errors.Is(err, test.want) {
					t.Errorf("Write: error %v, want %v", err, test.want)
				}
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
		t.Errorf("the file holds %q (%v)", text, err)
	}
}

func TestWriteProtectionHolds(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write(t, path, "old", 0o444)
	if err := errors.Join(Check(path), Write(path, []byte("new"))); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that is protected: error %v", err)
	}
	must.OK(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	for _, err := range []error{Check(filepath.Join(dir, "new")), Write(filepath.Join(dir, "new"), nil), CheckDir(dir)} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("a folder that is protected: error %v", err)
		}
	}
	holds(t, path, "old")
}

func TestDevicesAndPipesAreWrittenToAsTheyAre(t *testing.T) {
	if err := Write(os.DevNull, []byte("text")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().Type()&fs.ModeDevice == 0 {
		t.Fatalf("the device is now %v (%v)", info.Mode(), err)
	}
	if err := Write("/dev/full", []byte("text")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full device: error %v", err)
	}
	path := filepath.Join(t.TempDir(), "pipe")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	reader := must.Get(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	defer reader.Close()
	must.OK(t, errors.Join(Check(path), Write(path, []byte("text"))))
	if text, err := io.ReadAll(reader); err != nil || !bytes.Equal(text, []byte("text")) {
		t.Errorf("read %q (%v)", text, err)
	}
}

func TestCheckDirMakesTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	must.OK(t, CheckDir(dir))
	if list := names(t, dir); len(list) > 0 {
		t.Errorf("the folder holds %v", list)
	}
	file := filepath.Join(dir, "file")
	write(t, file, "old", 0o644)
	if err := CheckDir(file); !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}

// leaveBehind begins to write a file and goes no further, as if killed some time ago.
// It returns the path of the hidden file.
func leaveBehind(t *testing.T, path string, ago time.Duration) string {
	t.Helper()
	f := must.Get(open(path))(t)
	_, err := f.Write([]byte("half"))
	hidden, then := f.(*replacement).Name(), time.Now().Add(-ago)
	must.OK(t, errors.Join(err, f.(*replacement).File.Close(), os.Chtimes(hidden, then, then)))
	return filepath.Base(hidden)
}

func TestWhatKilledWritersLeaveBehindIsSwept(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "m.1.json"), filepath.Join(dir, "m.2.json")
	young := leaveBehind(t, one, abandoned/2)
	dead, foreign := leaveBehind(t, one, 2*abandoned), leaveBehind(t, other, 2*abandoned)
	kept := []string{young, ".config.json", ".cache-20240131", "m.1.json1234567890123456789", ".1234567890123456789.json"}
	old := time.Now().Add(-24 * time.Hour)
	for _, name := range kept[1:] {
		path := filepath.Join(dir, name)
		write(t, path, "of somebody else", 0o644)
		must.OK(t, os.Chtimes(path, old, old))
	}
	for _, check := range []struct {
		do   func() error
		left []string
	}{
		{func() error { return nil }, append([]string{dead, foreign}, kept...)},
		{func() error { return Check(one) }, append([]string{foreign}, kept...)},
		{func() error { return CheckDir(dir) }, kept},
	} {
		must.OK(t, check.do())
		slices.Sort(check.left)
		if now := names(t, dir); !slices.Equal(now, check.left) {
			t.Errorf("the folder holds %v, want %v", now, check.left)
		}
	}
}

func TestTheNameOfAFileIsOnTheDisk(t *testing.T) {
	before := syncDir
	t.Cleanup(func() { syncDir = before })
	var synced []string
	syncDir = func(f *os.File) error {
		if _, err := os.Stat(filepath.Join(f.Name(), "new")); err != nil {
			t.Errorf("the folder is synced before the file is in its place: %v", err)
		}
		synced = append(synced, f.Name())
		return before(f)
	}
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	must.OK(t, Write(filepath.Join(dir, "new"), []byte("text")))
	if len(synced) != 1 || synced[0] != dir {
		t.Errorf("synced: %q, want the folder %s", synced, dir)
	}
}
