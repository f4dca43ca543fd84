//go:build !windows

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// hidden is a temporary file that will replace another file in its folder.
type hidden = renameio.PendingFile

// digits is the number of random digits after the names of hidden files.
const digits = `\d{15,19}`

func newHidden(dir, name string) (*hidden, error) {
	return renameio.NewPendingFile(filepath.Join(dir, name), renameio.WithTempDir(dir),
		renameio.WithPermissions(fileMode), renameio.WithExistingPermissions())
}

// keepOwner gives the new file to the owner of the old one. Only root can always do so.
func keepOwner(f *os.File, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}
