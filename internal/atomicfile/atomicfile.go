// Package atomicfile writes files that appear whole or not at all: whoever opens
// the path finds the old content or the new one, whatever happens to the disk,
// the process or the machine in between. All writers of the program use it, and
// ask it before long work whether they will be able to write.
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

// The modes of what is made, before the umask.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// maxLinks is how many symbolic links are followed to a file, as in Linux.
const maxLinks = 40

// Write replaces the content of a file, or makes one. See WriteTo.
func Write(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteTo replaces the content of a file, or makes one, by what write writes. If
// write fails, or the disk, the file is as it was. When WriteTo returns without
// an error, the new content is on the disk.
//
// The content goes to a hidden file beside the path, which then takes its place:
// the folder must be writable. Mode and, where that is allowed, owner of an
// existing file are kept, and a symbolic link goes on pointing to it. Of a device
// or a pipe nothing can be lost, nor replaced: it is written to as it is.
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

// Check tells whether a file can be written at a path, and leaves everything as
// it was, but for what a writer of that file has left behind that was killed. It
// promises nothing of the space on the disk.
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

// CheckDir tells whether files can be written in a folder, which is made if need
// be. It removes what writers have left behind there that were killed.
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

// abandoned is the time after the last writing at which a hidden file belongs to
// nobody any longer: who lives goes on writing, or has put it in its place.
const abandoned = 10 * time.Minute

// sweep removes the hidden files of writers that were killed before they could put
// them in their place, for names that the pattern matches. The number behind them is
// the one that is drawn: of 19 digits by renameio, nearly always, fewer elsewhere. What cannot be removed
// stays, which is no fault of whoever wants to write.
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
	// CloseAtomicallyReplace puts the file in its place.
	CloseAtomicallyReplace() error
	// Cleanup gives up a file that is not in its place yet.
	Cleanup() error
}

var (
	_ pending = (*replacement)(nil)
	_ pending = device{}
)

// open prepares the writing of a file without touching what is there.
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
		// Not waiting for somebody who reads a named pipe.
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return device{f}, err
	default:
		// A rename would replace a file that is protected from writing.
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

// target follows symbolic links to the file that they point to, which need not
// exist, in a folder that is no link.
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
			// Not cleaned: "link/.." is the parent of the folder behind the link.
			link = folder + string(filepath.Separator) + link
		}
		path = link
	}
	return "", syscall.ELOOP
}

func noFileIn(dir string, err error) error {
	return fmt.Errorf("no file can be made in %s: %w", filepath.Clean(dir), cause(err))
}

// replacement is the hidden file beside the one that it will replace.
type replacement struct {
	*hidden
	dir, name string // of the other one
}

// CloseAtomicallyReplace puts the file in its place, on the disk too: content and
// name.
func (r *replacement) CloseAtomicallyReplace() error {
	if err := r.hidden.CloseAtomicallyReplace(); err != nil {
		return err
	}
	// Some file systems cannot do that to folders. The file is whole all the same.
	if dir, err := os.Open(r.dir); err == nil {
		_ = syncDir(dir)
		_ = dir.Close()
	}
	return nil
}

// syncDir is (*os.File).Sync, but for tests.
var syncDir = (*os.File).Sync

// device is a file that is no place for content but a way.
type device struct{ *os.File }

func (d device) CloseAtomicallyReplace() error { return d.Close() }

func (d device) Cleanup() error {
	if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// explain names the file in an error, and not the hidden one beside it.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", path, cause(err))
}

// cause is the error of an operation without the operation and its file.
func cause(err error) error {
	switch err := err.(type) { //nolint:errorlint // what is wrapped has been explained
	case *fs.PathError:
		return err.Err
	case *os.LinkError:
		return err.Err
	}
	return err
}
