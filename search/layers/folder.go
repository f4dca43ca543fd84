package layers

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search/book"
)

// The layers of a game are kept in a folder, each file of which appears complete or not at all:
//
//	layers.json    whose they are
//	N.positions    of layer N: a line of JSON that says how its positions are packed, then the keys
//	N.values       the values of its positions, in the same order
//
// Keys and values are words of 8 bytes, little-endian; the last 4 bytes of a file are the CRC-32 (Castagnoli) of
// what is before them. Bits of positions are numbers of the machine, so a folder fits the machine of the same
// engine only.

const (
	folderName    = "stackmate layers"
	folderVersion = 1
	headFile      = "layers.json"
	sumBytes      = 4
)

// head is what layers.json says.
type head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	book.Label
	Roles      []string      `json:"roles"`
	Fluents    []string      `json:"fluents"`
	Root       machine.State `json:"root"`
	Symmetries int           `json:"symmetries"` // that were used: those that the machine finds, or none
}

// layerHeader is the first line of N.positions.
type layerHeader struct {
	Sum   int64        `json:"sum"` // of the goals of both players, and 1; 0 as long as no end was met
	Parts []partHeader `json:"parts"`
}

type partHeader struct {
	Positions int           `json:"positions"`
	Constant  machine.State `json:"constant"`
	Value     machine.State `json:"value"`
	Digits    [][]int       `json:"digits"`
}

var (
	errOpen   = errors.New("cannot keep the layers: this engine numbers fluents anew in every run")
	errDamage = errors.New("the file is damaged")
	errHolds  = errors.New("it holds layers: --resume goes on with them")
	checksums = crc32.MakeTable(crc32.Castagnoli)
)

// Holds tells whether there is a folder of layers at a path.
func Holds(path string) bool {
	_, err := os.Stat(filepath.Join(path, headFile))
	return err == nil
}

// prepare makes the folder of a game, or goes on with what it holds.
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
		return g.mend()
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

// open reads how the layers of the folder are packed, from the first one on, and which are solved, from the last one on.
func (g *game) open() error {
	path := filepath.Join(g.config.Folder, headFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the layers: %w", err)
	}
	if err := g.readHead(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for d := 0; ; d++ {
		if g.config.Resume && g.check(d, "positions") != nil {
			break
		}
		l, err := g.header(d)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		g.layers = append(g.layers, l)
	}
	for d := len(g.layers) - 1; d >= 0; d-- {
		if _, err := os.Stat(g.path(d, "values")); err != nil {
			break
		}
		g.layers[d].solved = true
	}
	return nil
}

func (g *game) readHead(text []byte) error {
	var h head
	names := g.machine.Names()
	switch err := json.Unmarshal(text, &h); {
	case err != nil || h.Format != folderName:
		return errors.New("expected layers kept by stackmate solve --method layers --save, found something else")
	case h.Version != folderVersion:
		return fmt.Errorf("expected version %d of the format, found %d", folderVersion, h.Version)
	case h.Rules != g.config.Label.Rules:
		return fmt.Errorf("expected layers of these rules, found those of %s, whose rules are others", h.Game)
	case !slices.Equal(h.Roles, names.Roles) || !slices.Equal(h.Fluents, names.Fluents):
		return errors.New("expected layers of the same engine, found those of one that numbers fluents in another way")
	case len(h.Root) != len(g.root) || !g.root.Equal(h.Root):
		return errors.New("expected layers from the same position on, found those from another one")
	}
	if h.Symmetries == 0 {
		g.symmetries = nil
	}
	if h.Symmetries != len(g.symmetries) {
		return fmt.Errorf("expected layers by the %d symmetries of the game, found some by %d: --symmetries says which are used", len(g.symmetries), h.Symmetries)
	}
	return nil
}

// areBits tells whether a list, which is not empty, names bits of a position.
func (g *game) areBits(list []int) bool {
	return len(list) > 0 && slices.Min(list) >= 0 && slices.Max(list) < 64*len(g.root)
}

// header reads how layer d is packed.
func (g *game) header(d int) (*layer, error) {
	f, err := os.Open(g.path(d, "positions"))
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
	if err != nil || json.Unmarshal(line, &h) != nil {
		return nil, errDamage
	}
	if h.Sum > 0 {
		g.sum.Store(h.Sum)
	}
	l := &layer{}
	for _, p := range h.Parts {
		if len(p.Constant) != len(g.root) || len(p.Value) != len(g.root) || p.Positions <= 0 || p.Positions > maxPart {
			return nil, errDamage
		}
		for _, d := range p.Digits {
			if !g.areBits(d) {
				return nil, errDamage
			}
		}
		packing := newPacking(p.Constant, p.Value, p.Digits, g.symmetries)
		if packing.width > 64 {
			return nil, errDamage
		}
		l.parts = append(l.parts, &part{packing: packing, count: p.Positions})
	}
	return l, nil
}

// mend checks all values, and removes the files that are damaged with those that depend on them: they are made anew.
func (g *game) mend() error {
	complete := len(g.layers) > 0 && g.layers[len(g.layers)-1].len() == 0
	for d := len(g.layers) - 1; d >= 0; d-- {
		next := d == len(g.layers)-1 && complete || d < len(g.layers)-1 && g.layers[d+1].solved
		g.layers[d].solved = next && g.check(d, "values") == nil
	}
	for _, what := range []string{"values", "positions"} { // positions without values are right
		files, err := filepath.Glob(filepath.Join(g.config.Folder, "*."+what))
		for d := 0; d < len(g.layers) && err == nil; d++ {
			files = slices.DeleteFunc(files, func(f string) bool {
				return f == g.path(d, what) && (what == "positions" || g.layers[d].solved)
			})
		}
		for _, f := range files {
			err = errors.Join(err, os.Remove(f))
		}
		if err != nil {
			return fmt.Errorf("cannot go on with the layers: %w", err)
		}
	}
	return nil
}

func (g *game) path(d int, what string) string {
	return filepath.Join(g.config.Folder, fmt.Sprintf("%d.%s", d, what))
}

// check checks the sum of a file.
func (g *game) check(d int, what string) error {
	f, err := os.Open(g.path(d, what))
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	var last [sumBytes]byte
	sum := crc32.New(checksums)
	_, err = io.CopyN(sum, f, info.Size()-sumBytes)
	if err == nil {
		_, err = io.ReadFull(f, last[:])
	}
	if err != nil || binary.LittleEndian.Uint32(last[:]) != sum.Sum32() {
		return fmt.Errorf("%s: %w: --resume makes it anew", f.Name(), errDamage)
	}
	return nil
}

// write writes a file of the folder: a line, and words.
func (g *game) write(d int, what string, line []byte, words func(p *part, w io.Writer) error) error {
	err := atomicfile.WriteTo(g.path(d, what), func(w io.Writer) error {
		sum := crc32.New(checksums)
		out := bufio.NewWriterSize(w, 1<<20)
		both := io.MultiWriter(out, sum)
		_, err := both.Write(line)
		for _, p := range g.layers[d].parts {
			err = errors.Join(err, words(p, both))
		}
		return errors.Join(err, binary.Write(out, binary.LittleEndian, sum.Sum32()), out.Flush())
	})
	if err != nil {
		return fmt.Errorf("cannot keep a layer: %w", err)
	}
	return nil
}

// chunkWords are written or read at a time.
const chunkWords = 1 << 13

func writeWords[T uint64 | float64](w io.Writer, words []T) error {
	for chunk := range slices.Chunk(words, chunkWords) {
		if err := binary.Write(w, binary.LittleEndian, chunk); err != nil {
			return err
		}
	}
	return nil
}

func readWords[T uint64 | float64](in io.Reader, n int) ([]T, error) {
	words := make([]T, n)
	for chunk := range slices.Chunk(words, chunkWords) {
		if err := binary.Read(in, binary.LittleEndian, chunk); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// save writes the positions of layer d.
func (g *game) save(d int) error {
	h := layerHeader{Sum: g.sum.Load(), Parts: []partHeader{}}
	for _, p := range g.layers[d].parts {
		kept := partHeader{Positions: p.count, Constant: p.constant, Value: p.value}
		for _, f := range p.fields() {
			kept.Digits = append(kept.Digits, f.bits)
		}
		h.Parts = append(h.Parts, kept)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return g.write(d, "positions", append(line, '\n'), func(p *part, w io.Writer) error { return writeWords(w, p.keys) })
}

// saveValues writes the values of layer d.
func (g *game) saveValues(d int) error {
	return g.write(d, "values", nil, func(p *part, w io.Writer) error { return writeWords(w, p.values) })
}

// load reads the keys of layer d, and its values where they are wanted.
func (g *game) load(d int, values bool) error {
	parts := g.layers[d].parts
	if len(parts) == 0 {
		return nil
	}
	if parts[0].keys == nil {
		err := g.read(d, "positions", func(p *part, in io.Reader) (err error) {
			p.keys, err = readWords[uint64](in, p.count)
			return err
		})
		if err != nil {
			return err
		}
	}
	if !values || parts[0].values != nil {
		return nil
	}
	return g.read(d, "values", func(p *part, in io.Reader) (err error) {
		p.values, err = readWords[float64](in, p.count)
		return err
	})
}

// read reads the words of a file, which it checks, part by part.
func (g *game) read(d int, what string, part func(*part, io.Reader) error) error {
	if err := g.check(d, what); err != nil {
		return err
	}
	f, err := os.Open(g.path(d, what))
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	if what == "positions" {
		_, err = g.readHeader(in)
	}
	for _, p := range g.layers[d].parts {
		if err == nil {
			err = part(p, in)
		}
	}
	if err != nil {
		g.layers[d].drop()
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}
