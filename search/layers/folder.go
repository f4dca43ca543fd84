package layers

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search/book"
)

// A folder stores the layers of a game. Each file appears atomically:
//
//	layers.json    the game
//	N.positions    layer N: a line of JSON with the packing, then the keys
//	N.values.K     the values of its positions from K on, in the same order
//	N.positions.K  children found by a task, until they are merged
//
// Keys and values are little-endian words of 8 bytes. The last 4 bytes of a file are the CRC-32
// (Castagnoli) of its name, of the checksum of the layer's positions if the file has values, and of the
// preceding bytes. Bits of positions are fluent numbers, so a folder is valid only for the same engine.

const (
	folderName    = "stackmate layers"
	folderVersion = 3
	headFile      = "layers.json"
	sumBytes      = 4
)

// head is the content of layers.json.
type head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	book.Label
	Roles      []string      `json:"roles"`
	Fluents    []string      `json:"fluents"`
	Root       machine.State `json:"root"`
	Symmetries int           `json:"symmetries"` // number of symmetries in use: all symmetries of the machine, or none
}

// layerHeader is the first line of N.positions: the packing.
type layerHeader struct {
	Sum       int64         `json:"sum"` // sum of the goals of both players, plus 1; 0 before the first terminal position
	Positions int           `json:"positions"`
	Constant  machine.State `json:"constant"`
	Value     machine.State `json:"value"`
	Digits    [][]int       `json:"digits"`
	Check     uint32        `json:"check"` // checksum of the line with Check = 0: the line is read without the keys
}

// sumUp returns the correct value of Check.
func (h layerHeader) sumUp() uint32 {
	h.Check = 0
	text, _ := json.Marshal(h) // cannot fail
	return crc32.Checksum(text, checksums)
}

var (
	errOpen   = errors.New("cannot store layers: the fluent numbers of this engine differ in every run")
	errDamage = errors.New("the file is damaged")
	errHolds  = errors.New("the folder contains layers: --resume continues them")
	checksums = crc32.MakeTable(crc32.Castagnoli)
)

// Holds reports whether path is a folder of layers.
func Holds(path string) bool {
	return exists(filepath.Join(path, headFile))
}

// prepare creates the folder of a game, or resumes from it.
func (g *game) prepare() error {
	folder, names := g.config.Folder, g.machine.Names()
	switch {
	case names.Open != nil:
		return errOpen
	case Holds(folder) && !g.config.Resume:
		return fmt.Errorf("%s: %w", folder, errHolds)
	case Holds(folder):
		if err := g.open(); err != nil {
			return err
		}
		return g.repair()
	}
	if err := atomicfile.CheckDir(folder); err != nil {
		return err
	}
	h := head{folderName, folderVersion, g.config.Label, names.Roles, names.Fluents, g.root, len(g.symmetries)}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, headFile), text)
}

// readHead checks that the folder belongs to this game.
func (g *game) readHead() error {
	path := filepath.Join(g.config.Folder, headFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the layers: %w", err)
	}
	if err := g.checkHead(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// open reads the packings of all layers in the folder, and marks the solved layers.
func (g *game) open() error {
	if err := g.readHead(); err != nil {
		return err
	}
	for d := 0; ; d++ {
		if g.config.Resume && check(g.path(d, "positions")) != nil {
			break
		}
		l, err := g.header(g.path(d, "positions"))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		g.layers = append(g.layers, l)
	}
	for d := len(g.layers) - 1; d >= 0; d-- {
		if g.layers[d].solved = !slices.ContainsFunc(g.valueFiles(d), func(f string) bool { return !exists(f) }); !g.layers[d].solved {
			break
		}
	}
	return nil
}

func (g *game) checkHead(text []byte) error {
	var h head
	names := g.machine.Names()
	switch err := json.Unmarshal(text, &h); {
	case err != nil || h.Format != folderName:
		return errors.New("not a folder of layers: layers.json is not written by stackmate solve --method layers --save")
	case h.Version != folderVersion:
		return fmt.Errorf("expected version %d of the format, found %d", folderVersion, h.Version)
	case h.Rules != g.config.Label.Rules:
		return fmt.Errorf("expected layers of these rules, found layers of %s with different rules", h.Game)
	case !slices.Equal(h.Roles, names.Roles) || !slices.Equal(h.Fluents, names.Fluents):
		return errors.New("expected layers of the same engine, found layers of an engine with different fluent numbers")
	case len(h.Root) != len(g.root) || !g.root.Equal(h.Root):
		return errors.New("expected layers from the same position, found layers from another position")
	}
	if h.Symmetries == 0 {
		g.symmetries = nil
	}
	if h.Symmetries != len(g.symmetries) {
		return fmt.Errorf("expected layers by the %d symmetries of the game, found layers by %d; change --symmetries", len(g.symmetries), h.Symmetries)
	}
	return nil
}

// areBits reports whether a nonempty list contains only bit numbers of positions.
func (g *game) areBits(list []int) bool {
	return len(list) > 0 && slices.Min(list) >= 0 && slices.Max(list) < 64*len(g.root)
}

// header reads the packing of the layer in a file.
func (g *game) header(path string) (*layer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a layer: %w", err)
	}
	defer f.Close()
	l, err := g.readHeader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return l, nil
}

func (g *game) readHeader(in *bufio.Reader) (*layer, error) {
	line, err := in.ReadBytes('\n')
	var h layerHeader
	if err != nil || json.Unmarshal(line, &h) != nil || h.Check != h.sumUp() {
		return nil, errDamage
	}
	if h.Sum > 0 {
		if err := g.Sum.Merge(h.Sum); err != nil {
			return nil, err
		}
	}
	p, err := g.packing(&h)
	if err != nil || h.Positions < 0 || h.Positions > maxLayer {
		return nil, errDamage
	}
	return &layer{packing: p, count: h.Positions}, nil
}

// newHeader returns the header for a packing.
func newHeader(p *packing) *layerHeader {
	h := &layerHeader{Constant: p.constant, Value: p.value}
	for _, f := range p.fields() {
		h.Digits = append(h.Digits, f.bits)
	}
	return h
}

// packing returns the packing of a layer.
func (g *game) packing(h *layerHeader) (*packing, error) {
	if len(h.Constant) != len(g.root) || len(h.Value) != len(g.root) ||
		slices.ContainsFunc(h.Digits, func(d []int) bool { return !g.areBits(d) }) {
		return nil, errDamage
	}
	key := fmt.Sprint(h.Constant, h.Value, h.Digits)
	return g.packings.Get(key, func() (*packing, error) {
		p, err := newPacking(h.Constant, h.Value, h.Digits, g.symmetries)
		if err != nil {
			return nil, errDamage
		}
		return p, nil
	})
}

// repair checks all values, and removes damaged files and their dependents, which are then recomputed.
func (g *game) repair() error {
	right := make(map[string]bool)
	solved := len(g.layers) > 0 && g.layers[len(g.layers)-1].count == 0
	for d := len(g.layers) - 1; d >= 0; d-- {
		right[g.path(d, "positions")] = true // even without values
		next := solved
		for _, f := range g.valueFiles(d) {
			right[f] = next && check(f) == nil
			solved = solved && right[f]
		}
		g.layers[d].solved = solved
	}
	files, err := filepath.Glob(filepath.Join(g.config.Folder, "[0-9]*.*"))
	for _, f := range files {
		if !right[f] {
			err = errors.Join(err, os.Remove(f))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot resume from the layers: %w", err)
	}
	return nil
}

// valueFile returns the file of values of the block of layer d that begins with position first.
func (g *game) valueFile(d, first int) string { return g.path(d, fmt.Sprint("values.", first)) }

// valueFiles returns the value files of all blocks of layer d, or nil without a folder.
func (g *game) valueFiles(d int) (files []string) {
	if g.config.Folder == "" {
		return nil
	}
	starts := blocks(g.layers[d].count)
	for _, first := range starts[:len(starts)-1] {
		files = append(files, g.valueFile(d, first))
	}
	return files
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (g *game) path(d int, kind string) string {
	return filepath.Join(g.config.Folder, fmt.Sprintf("%d.%s", d, kind))
}

// newSum returns the checksum of an empty file: of its name and, for values, of their positions.
func newSum(path string) (hash.Hash32, error) {
	sum, name := crc32.New(checksums), filepath.Base(path)
	_, _ = io.WriteString(sum, name) // a hash returns no errors
	layer, kind, _ := strings.Cut(name, ".")
	if !strings.HasPrefix(kind, "values") {
		return sum, nil
	}
	f, err := os.Open(filepath.Join(filepath.Dir(path), layer+".positions"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(-sumBytes, io.SeekEnd); err != nil {
		return nil, err
	}
	_, err = io.Copy(sum, f)
	return sum, err
}

// check verifies the checksum of a file.
func check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	var last [sumBytes]byte
	sum, err := newSum(path)
	if err == nil {
		_, err = io.CopyN(sum, f, info.Size()-sumBytes)
	}
	if err == nil {
		_, err = io.ReadFull(f, last[:])
	}
	if err != nil || binary.LittleEndian.Uint32(last[:]) != sum.Sum32() {
		return fmt.Errorf("%s: %w; --resume recomputes it", path, errDamage)
	}
	return nil
}

// write creates a file of the folder atomically. It does not wait for the disk, which would take longer
// than most tasks; see sync.
func write(path string, content func(w io.Writer) error) error {
	sum, err := newSum(path)
	if err != nil {
		return fmt.Errorf("cannot write a layer: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err == nil {
		out := bufio.NewWriterSize(f, 1<<16)
		err = content(io.MultiWriter(out, sum))
		err = errors.Join(err, binary.Write(out, binary.LittleEndian, sum.Sum32()), out.Flush(), f.Chmod(0o644), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write a layer: %w", err)
	}
	return nil
}

// sync starts to flush written files to disk, and returns the error of the previous flush. After a crash
// in between, checksums detect damaged files.
func (g *game) sync(paths ...string) error {
	err := <-g.synced
	go func() {
		var err error
		for _, path := range paths {
			f, e := os.OpenFile(path, os.O_RDWR, 0)
			if err = errors.Join(err, e); e == nil {
				err = errors.Join(err, f.Sync(), f.Close())
			}
		}
		g.synced <- err
	}()
	return err
}

// read verifies and reads a file of the folder.
func read(path string, content func(in *bufio.Reader) error) error {
	if err := check(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	defer f.Close()
	if err := content(bufio.NewReaderSize(f, 1<<20)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// chunkWords is the number of words written or read at a time.
const chunkWords = 1 << 13

func writeWords[T uint64 | float64](w io.Writer, words []T) (err error) {
	var data []byte
	for chunk := range slices.Chunk(words, chunkWords) {
		data, err = binary.Append(data[:0], binary.LittleEndian, chunk)
		if _, e := w.Write(data); err != nil || e != nil {
			return errors.Join(err, e)
		}
	}
	return nil
}

func readWords[T uint64 | float64](in io.Reader, words []T) error {
	var data [8 * chunkWords]byte
	for chunk := range slices.Chunk(words, chunkWords) {
		n, err := io.ReadFull(in, data[:8*len(chunk)])
		if err == nil {
			_, err = binary.Decode(data[:n], binary.LittleEndian, chunk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// save writes the positions of a layer.
func (g *game) save(path string, l *layer) error {
	h := newHeader(l.packing)
	h.Sum, h.Positions = g.Sum.Code(), l.count
	h.Check = h.sumUp()
	return write(path, func(w io.Writer) error { return errors.Join(json.NewEncoder(w).Encode(h), writeWords(w, l.keys)) })
}

// loadValues reads the values of positions.
func loadValues(path string, values []float64) error {
	return read(path, func(in *bufio.Reader) error { return readWords(in, values) })
}

// loadKeys reads the keys of a layer.
func loadKeys(path string, l *layer) error {
	return read(path, func(in *bufio.Reader) error {
		if _, err := in.ReadBytes('\n'); err != nil { // the header
			return err
		}
		keys := make([]uint64, l.count)
		if err := readWords(in, keys); err != nil {
			return err
		}
		l.keys = keys
		return nil
	})
}

// load reads the keys of layer d and, if requested, its values.
func (g *game) load(d int, values bool) error {
	l := g.layers[d]
	if l.count == 0 {
		return nil
	}
	if l.keys == nil {
		if err := loadKeys(g.path(d, "positions"), l); err != nil {
			return err
		}
	}
	if !values || l.values != nil {
		return nil
	}
	all, starts := make([]float64, l.count), blocks(l.count)
	for i, first := range starts[:len(starts)-1] {
		if err := loadValues(g.valueFile(d, first), all[first:starts[i+1]]); err != nil {
			return err
		}
	}
	l.values = all
	return nil
}
