package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// hidden is a temporary file that will replace another file in its folder. The library used on other systems excludes
// Windows, where a rename does not survive every failure of the machine.
type hidden struct {
	*os.File
	path string // of the replaced file
	done bool
}

// digits is the number of random digits after the names of hidden files.
const digits = `\d{6,19}`

func newHidden(dir, name string) (*hidden, error) {
	f, err := os.CreateTemp(dir, "."+name+"*")
	if err != nil {
		return nil, err
	}
	return &hidden{File: f, path: filepath.Join(dir, name)}, nil
}

func (h *hidden) CloseAtomicallyReplace() error {
	if err := h.Sync(); err != nil {
		return err
	}
	if err := h.Close(); err != nil {
		return err
	}
	h.done = true
	return os.Rename(h.Name(), h.path)
}

func (h *hidden) Cleanup() error {
	if h.done {
		return nil
	}
	h.done = true
	_ = h.Close()
	return os.Remove(h.Name())
}

// keepOwner does nothing: the folder determines the owner of a new file.
func keepOwner(*os.File, fs.FileInfo) {}
