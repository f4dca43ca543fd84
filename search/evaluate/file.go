package evaluate

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/internal/jsonfault"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

// What was learnt is kept as one JSON object in a gzip stream (RFC 1952), which guards it
// against damage. Fluents are found again by their names, so a file does not depend on
// the engine that wrote it.

const (
	formatName    = "stackmate evaluation"
	formatVersion = 3
	// Version 2 is that of networks of fewer units, which become a part of one of width.
	oldestVersion = 2
	// maxFile bounds what is read of a file, in bytes of JSON: 20 for each weight.
	maxFile = 20 * (2*maxFluents + 1) * width * 2
)

// saved is that object.
type saved struct {
	Format   string      `json:"format"`
	Version  int         `json:"version"`
	Rules    string      `json:"rules"` // their digest
	Learnt   Progress    `json:"learnt"`
	Active   int         `json:"active"` // most fluents in a position
	Sum      float64     `json:"sum"`
	Outputs  int         `json:"outputs"`
	Fluents  []string    `json:"fluents"`
	Bias     []float32   `json:"bias"`
	Weights  [][]float32 `json:"weights"`  // by fluent, then unit
	Readings []float32   `json:"readings"` // by output, then rectified unit
	Threats  []threat    `json:"threats,omitempty"`
	Blocked  bool        `json:"blocked"` // it is known what blocks threats
}

// threat is what is saved of one.
type threat struct {
	Role    string    `json:"role"`
	Fluent  string    `json:"fluent"`
	Blocks  []string  `json:"blocks"`
	Weights []float32 `json:"weights"`
}

// Save writes what was learnt of the rules with the given digest to a file, which appears
// complete or not at all.
func (l *Learner) Save(path, rules string) error {
	n := l.trainer.mean
	f := saved{
		Format: formatName, Version: formatVersion, Rules: rules, Learnt: l.Progress(), Active: l.active, Sum: l.current.sum,
		Outputs: n.outputs, Fluents: l.games.machine.Names().Fluents, Readings: n.readings(),
	}
	for i := range f.Fluents {
		f.Weights = append(f.Weights, n.in[i][:])
	}
	f.Threats, f.Blocked = l.savedThreats(), l.view.blocks != nil
	f.Bias = n.bias()[:]
	err := atomicfile.WriteTo(path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := json.NewEncoder(z).Encode(&f); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		return fmt.Errorf("cannot save what was learnt: %w", err)
	}
	return nil
}

// ErrDamaged is wrapped by the errors of files from which nobody will go on: broken, older than any
// that is read, or of other rules.
var ErrDamaged = errors.New("the file is damaged")

// damaged is the error of such a file.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// misfit is the error of a file that does not fit the machine at hand, though it may fit another one of
// the same rules: engines that had more time may know less fluents and more threats.
func misfit(format string, args ...any) error {
	return fmt.Errorf("what was learnt does not fit the game: %w", fmt.Errorf(format, args...))
}

// Load makes a learner that knows what was saved of the rules with the given digest, and
// goes on from there. Where the file does not exist the error is fs.ErrNotExist (wrapped),
// and ErrDamaged where it is of no use to anybody.
func Load(path, rules string, m machine.Machine, c Config) (*Learner, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	l, err := Read(file, rules, m, c)
	if err != nil && !errors.Is(err, ErrUnfit) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return l, err
}

// Learnt is how far learning had come that a file keeps. Where the file does not exist the error is
// fs.ErrNotExist (wrapped).
func Learnt(path string) (Progress, error) {
	file, err := os.Open(path)
	if err != nil {
		return Progress{}, err
	}
	defer file.Close()
	f, err := read(file)
	if err != nil {
		return Progress{}, fmt.Errorf("%s: %w", path, err)
	}
	return f.Learnt, nil
}

// Read is Load from what such a file contains.
func Read(file io.Reader, rules string, m machine.Machine, c Config) (*Learner, error) {
	l, err := New(m, c)
	if err != nil {
		return nil, err
	}
	f, err := read(file)
	if err == nil {
		err = l.restore(f, rules)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func read(file io.Reader) (*saved, error) {
	var text []byte
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(z, maxFile+1))
	}
	f := new(saved)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return nil, err
	case err != nil:
	case len(text) > maxFile:
		err = fmt.Errorf("more than %d MiB", maxFile>>20)
	default:
		err = jsonfault.Explain(json.Unmarshal(text, f))
	}
	switch {
	case err != nil:
		return nil, damaged("expected what was learnt: %w", err)
	case f.Format != formatName || f.Version < oldestVersion:
		return nil, damaged("expected %s, version %d to %d, found %q, version %d", formatName, oldestVersion, formatVersion, f.Format, f.Version)
	case f.Version > formatVersion:
		return nil, fmt.Errorf("expected %s, version %d to %d, found version %d, of a later program", formatName, oldestVersion, formatVersion, f.Version)
	}
	return f, nil
}

// restore takes over what was saved.
func (l *Learner) restore(f *saved, rules string) error {
	n, names, units := l.trainer.network, l.games.machine.Names(), len(f.Bias)
	switch {
	case f.Rules != rules:
		return damaged("expected what was learnt of the rules %.8s…, found that of %.8s…", rules, f.Rules)
	case f.Outputs != n.outputs || len(f.Fluents) != l.view.fluents || len(f.Weights) != l.view.fluents || units <= n.outputs || units > width ||
		len(f.Readings) != n.outputs*(units-n.outputs) || f.Active < 0 || f.Active > n.inputs() || f.Learnt.Games < 0 || f.Learnt.Positions < 0:
		return misfit("its parts do not fit together")
	}
	known := names.NewState()
	for i, name := range f.Fluents {
		to, ok := names.AddFluent(name)
		if !ok || known.Has(to) || len(f.Weights[i]) != units {
			return misfit("its fluent %q is not of the game, or has no weights", name)
		}
		known.Set(to)
		n.restore(to, f.Weights[i])
	}
	if err := l.restoreThreats(f.Threats, f.Blocked, units); err != nil {
		return err
	}
	n.restore(n.inputs(), f.Bias)
	for o := range n.out {
		n.out[o] = vector.Floats{}
		copy(n.out[o][:], f.Readings[o*(units-n.outputs):(o+1)*(units-n.outputs)])
	}
	odd := func(row vector.Floats) bool { return !isFinite(row[:]) }
	if slices.ContainsFunc(n.in, odd) || slices.ContainsFunc(n.out, odd) || !isFinite([]float32{float32(f.Sum), float32(f.Learnt.Length)}) {
		return damaged("its weights are no numbers")
	}
	l.current.view = l.view
	l.trainer.mean = n.clone()
	l.active, l.current.sum = max(1, f.Active), f.Sum
	l.progress = f.Learnt
	l.refresh()
	return nil
}

// readings are the weights of the rectified units.
func (n *network) readings() []float32 {
	var list []float32
	for o := range n.out {
		list = append(list, n.out[o][:n.linear()]...)
	}
	return list
}

// restore takes over the weights of an input into so many units, of which the last are not
// rectified. Others keep the weights that they were made with, and have no readings yet.
func (n *network) restore(input int, weights []float32) {
	rectified := len(weights) - n.outputs
	copy(n.in[input][:], weights[:rectified])
	copy(n.in[input][n.linear():], weights[rectified:])
}

// savedThreats are the threats as they are saved.
func (l *Learner) savedThreats() []threat {
	names, mean := l.games.machine.Names(), l.trainer.mean
	var list []threat
	for k, t := range l.view.threats {
		s := threat{Role: names.Roles[t.Role], Fluent: names.Fluents[t.Fluent], Weights: mean.in[l.view.input(k)][:]}
		if l.view.blocks != nil {
			for _, f := range l.view.blocks[k] {
				s.Blocks = append(s.Blocks, names.Fluents[f])
			}
		}
		list = append(list, s)
	}
	return list
}

// restoreThreats takes over what was saved of threats.
func (l *Learner) restoreThreats(saved []threat, blocked bool, units int) error {
	names, v := l.games.machine.Names(), *l.view
	if len(saved) != len(v.threats) {
		return misfit("expected %d threats, found %d", len(v.threats), len(saved))
	}
	number := make(map[machine.Threat]int, len(v.threats))
	for k, t := range v.threats {
		number[t] = k
	}
	if blocked {
		v.blocks, l.sights = make([][]int32, len(v.threats)), nil
	}
	for _, s := range saved {
		role, _ := names.Role(s.Role)
		fluent, _ := names.AddFluent(s.Fluent)
		k, ok := number[machine.Threat{Role: role, Fluent: fluent}]
		if !ok || len(s.Weights) != units {
			return misfit("its threat %q of %s is not of the game, or has no weights", s.Fluent, s.Role)
		}
		delete(number, machine.Threat{Role: role, Fluent: fluent})
		l.trainer.restore(v.input(k), s.Weights)
		for _, name := range s.Blocks {
			f, ok := names.AddFluent(name)
			if !ok || !blocked {
				return misfit("its fluent %q is not of the game", name)
			}
			v.blocks[k] = append(v.blocks[k], int32(f))
		}
	}
	l.view = &v
	return nil
}

// isFinite tells whether all weights are of a size that learning leads to.
func isFinite(weights []float32) bool {
	const most = 1e6
	return !slices.ContainsFunc(weights, func(w float32) bool { return math.IsNaN(float64(w)) || w > most || w < -most })
}
