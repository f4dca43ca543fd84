// Package atomicfile writes files atomically: a reader of the path finds the old or the new content, even after a
// failure of the disk, the process or the machine. All writers of whole files use it, and check before long work that
// they can write.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// The modes of new files and folders, before the umask.
const (
	fileMode   = 0o644
	secretMode = 0o600
	dirMode    = 0o755
)

// maxLinks limits the symbolic links followed to a file, as in Linux.
const maxLinks = 40

// Write replaces or creates a file. See WriteTo.
func Write(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteSecret is Write for a file that only its owner may read and write, also if the old file has another mode.
func WriteSecret(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		if r, ok := w.(*replacement); ok {
			if err := r.Chmod(secretMode); err != nil {
				return err
			}
		}
		_, err := w.Write(data)
		return err
	})
}

// WriteTo replaces or creates a file with the output of write. If write or the disk fails, the file is unchanged.
// When WriteTo returns without an error, the new content is on the disk.
//
// It writes to a hidden file in the same folder and renames it: the folder must be writable. It keeps the mode and,
// where permitted, the owner of an existing file, and symbolic links. It writes directly to devices and pipes.
func WriteTo(path string, write func(io.Writer) error) error {
	f, err := open(path)
	if err != nil {
		return explain(path, err)
	}
	defer func() { _ = f.Cleanup() }()
	if err = write(f); err == nil {
		err = f.CloseAtomicallyReplace()
	}
	return explain(path, err)
}

// Check returns an error if a file cannot be written at a path. It changes nothing, except that it removes hidden
// files of killed writers. It does not check the space on the disk.
func Check(path string) error {
	f, err := open(path)
	if err == nil {
		err = f.Cleanup()
	}
	if r, ok := f.(*replacement); ok {
		sweep(r.dir, regexp.QuoteMeta(r.name))
	}
	return explain(path, err)
}

// CheckDir returns an error if files cannot be written in a folder, which it creates if missing. It removes hidden
// files of killed writers.
func CheckDir(dir string) error {
	err := os.MkdirAll(dir, dirMode)
	if err != nil {
		return explain(dir, err)
	}
	f, err := newHidden(dir, "check")
	if err == nil {
		err = f.Cleanup()
		sweep(dir, ".+")
	}
	return explain(dir, err)
}

// abandoned is the time after the last write at which a hidden file belongs to a killed writer: living writers go on
// writing, or have renamed it.
const abandoned = 10 * time.Minute

// sweep removes the hidden files of killed writers, for names that match the pattern. A random number follows the
// name, of 19 digits by renameio in most cases, else of fewer. Failures are ignored.
func sweep(dir, pattern string) {
	hidden := regexp.MustCompile(`^\.` + pattern + digits + `$`)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.Type().IsRegular() || !hidden.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// pending is a file that is being written.
type pending interface {
	io.Writer
	// CloseAtomicallyReplace renames the file to its path.
	CloseAtomicallyReplace() error
	// Cleanup removes a file that has not been renamed.
	Cleanup() error
}

var (
	_ pending = (*replacement)(nil)
	_ pending = device{}
)

// open prepares a write without changing existing files.
func open(path string) (pending, error) {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return nil, fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, syscall.EISDIR
	case !info.Mode().IsRegular():
		// Do not block on a named pipe without a reader.
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return device{f}, err
	default:
		// A rename would replace a write-protected file.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		_ = f.Close()
	}
	if path, err = target(path); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	f, err := newHidden(dir, filepath.Base(path))
	if err != nil {
		return nil, noFileIn(dir, err)
	}
	if info != nil {
		keepOwner(f.File, info)
	}
	return &replacement{f, dir, filepath.Base(path)}, nil
}

// target follows symbolic links to their file, which need not exist, in a folder that is no link.
func target(path string) (string, error) {
	for range maxLinks {
		dir, name := filepath.Split(path)
		if dir == "" {
			dir = "."
		}
		folder, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", noFileIn(dir, err)
		}
		path = filepath.Join(folder, name)
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(link) {
			// Not cleaned: "link/.." is the parent of the link's target.
			link = folder + string(filepath.Separator) + link
		}
		path = link
	}
	return "", syscall.ELOOP
}

func noFileIn(dir string, err error) error {
	return fmt.Errorf("cannot create a file in %s: %w", filepath.Clean(dir), cause(err))
}

// replacement is a hidden file that will replace another in its folder.
type replacement struct {
	*hidden
	dir, name string // of the replaced file
}

// CloseAtomicallyReplace renames the file and syncs its content and name to the disk.
func (r *replacement) CloseAtomicallyReplace() error {
	if err := r.hidden.CloseAtomicallyReplace(); err != nil {
		return err
	}
	// Some file systems cannot sync folders. The file is complete in any case.
	if dir, err := os.Open(r.dir); err == nil {
		_ = syncDir(dir)
		_ = dir.Close()
	}
	return nil
}

// syncDir is (*os.File).Sync; tests replace it.
var syncDir = (*os.File).Sync

// device is a device or pipe, written to directly.
type device struct{ *os.File }

func (d device) CloseAtomicallyReplace() error { return d.Close() }

func (d device) Cleanup() error {
	if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// explain returns an error with the name of the file instead of the hidden file.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", path, cause(err))
}

// cause returns the error of an operation without the operation and its file.
func cause(err error) error {
	switch err := err.(type) { //nolint:errorlint // the wrapped errors have been explained
	case *fs.PathError:
		return err.Err
	case *os.LinkError:
		return err.Err
	}
	return err
}
