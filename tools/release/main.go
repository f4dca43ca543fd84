// Command release builds the published archives: the program for six systems with the manual page, the
// completions of shells and the licences, and SHA256SUMS. The same commit with the same Go gives the same
// bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// systems lists the systems with archives.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// completions maps the argument of the completion command to the file in the archives.
var completions = map[string]string{
	"man": "stackmate.1", "bash": "completions/stackmate.bash", "zsh": "completions/_stackmate", "fish": "completions/stackmate.fish",
}

// licenceFile matches the names of files with licences.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

// entry is a file of an archive.
type entry struct {
	name string
	text []byte
	mode int64
}

func main() {
	root := flag.String("root", "..", "folder of the module")
	out := flag.String("out", "../dist", "folder of the archives, which is made anew")
	version := flag.String("version", "", "version (default: from git describe)")
	only := flag.String("systems", strings.Join(systems, ","), "systems to build for")
	flag.Parse()
	log.SetFlags(0)
	if err := release(*root, *out, *version, strings.Split(*only, ",")); err != nil {
		log.Fatal(err)
	}
}

func release(root, out, version string, systems []string) error {
	stamp, err := run(root, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(stamp)), 10, 64)
	if err != nil {
		return err
	}
	if version == "" {
		described, err := run(root, nil, "git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return err
		}
		version = strings.TrimPrefix(strings.TrimSpace(string(described)), "v")
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	common, err := commonFiles(root, out, version)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, system := range systems {
		name := "stackmate-" + version + "-" + strings.ReplaceAll(system, "/", "-")
		text, err := build(root, filepath.Join(out, "program"), version, system)
		if err != nil {
			return err
		}
		pack, program, suffix := packTar, entry{"stackmate", text, 0o755}, ".tar.gz"
		if strings.HasPrefix(system, "windows") {
			pack, program.name, suffix = packZip, "stackmate.exe", ".zip"
		}
		var archive bytes.Buffer
		if err := pack(&archive, name, append([]entry{program}, common...), time.Unix(seconds, 0).UTC()); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+suffix), archive.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive.Bytes()), name+suffix)
		log.Printf("%s%s: %.1f MB, the program %.1f MB", name, suffix, float64(archive.Len())/1e6, float64(len(program.text))/1e6)
	}
	if err := os.Remove(filepath.Join(out, "program")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// build builds the program for a system, or this system for "", and leaves it in a file.
func build(root, file, version, system string) ([]byte, error) {
	env := []string{"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false"}
	if os, arch, found := strings.Cut(system, "/"); found {
		env = append(env, "GOOS="+os, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0")
	}
	module, err := run(root, env, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	flags := "-s -w -X " + strings.TrimSpace(string(module)) + "/internal/cli.release=" + version
	if _, err := run(root, env, "go", "build", "-trimpath", "-ldflags", flags, "-o", file, "."); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// commonFiles returns the files that every archive contains.
func commonFiles(root, out, version string) ([]entry, error) {
	own := filepath.Join(out, "program")
	if _, err := build(root, own, version, ""); err != nil {
		return nil, err
	}
	var list []entry
	for argument, name := range completions {
		text, err := run(root, nil, own, "completion", argument)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name, text, 0o644})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name, text, 0o644})
	}
	licences, err := licences(root)
	list = append(list, entry{"LICENSES-OF-LIBRARIES", licences, 0o644})
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list, err
}

// licences returns the licences of the modules in the program.
func licences(root string) ([]byte, error) {
	type module struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Dir string }
	}
	text, err := run(root, []string{"CGO_ENABLED=0"}, "go", "list", "-deps", "-json=Module", ".")
	if err != nil {
		return nil, err
	}
	modules := make(map[string]module)
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct{ Module *module }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main && p.Module.Replace == nil {
			modules[p.Module.Path] = *p.Module
		}
	}
	var all bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		files, err := os.ReadDir(m.Dir)
		if err != nil {
			return nil, err
		}
		found := false
		for _, f := range files {
			if !f.Type().IsRegular() || !licenceFile.MatchString(f.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&all, "==== %s %s: %s\n\n%s\n", m.Path, m.Version, f.Name(), text)
			found = true
		}
		if !found {
			return nil, fmt.Errorf("no licence of %s", path)
		}
	}
	return all.Bytes(), nil
}

func packTar(w io.Writer, folder string, files []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func packZip(w io.Writer, folder string, files []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.text); err != nil {
			return err
		}
	}
	return z.Close()
}

// run runs a program in a folder and returns its output.
func run(dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), env...), os.Stderr
	text, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return text, err
}
