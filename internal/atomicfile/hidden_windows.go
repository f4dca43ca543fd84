package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// hidden is a file in a folder that will replace another one there. The library that does so
// elsewhere leaves out Windows, where a rename is no promise if the machine goes down.
type hidden struct {
	*os.File
	path string // of the other one
	done bool
}

// digits are those of the numbers behind the names of hidden files.
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

// keepOwner does nothing: who makes a file there owns it as the folder says.
func keepOwner(*os.File, fs.FileInfo) {}
