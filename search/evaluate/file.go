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
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate/vector"
)

// A file is one JSON object in a gzip stream (RFC 1952), whose checksum detects damage. Fluents and moves are
// identified by canonical names, so a file depends neither on the engine that wrote it nor on the spelling of the rules.

// Rules identify a game to files, however its names are spelled.
type Rules interface {
	// Rules returns the rules in canonical names. Games with the same rules in canonical names are the same game.
	Rules() string
	// Canonical translates the text of a fluent, a move or a role to canonical names, and Own translates it back.
	Canonical(text string) string
	Own(text string) string
}

const (
	formatName    = "stackmate evaluation"
	formatVersion = 8 // up to version 7 networks had one block
	// maxFile bounds the JSON text of a file, in bytes: 20 for each weight.
	maxFile = 20 * maxRows * width * 2
)

// saved is the JSON object of a file.
type saved struct {
	Format   string        `json:"format"`
	Version  int           `json:"version"`
	Rules    string        `json:"rules"` // in canonical names
	Learnt   Progress      `json:"learnt"`
	Active   int           `json:"active"` // most fluents in a position
	Sum      float64       `json:"sum"`
	Outputs  int           `json:"outputs"`
	Fluents  []string      `json:"fluents"`
	Bias     []float32     `json:"bias"`
	Weights  [][]float32   `json:"weights"`  // by fluent, then unit
	Readings []float32     `json:"readings"` // by output, then rectified unit
	Signals  []savedSignal `json:"signals,omitempty"`
	Blocked  bool          `json:"blocked"`  // the blocking fluents are known
	Mirrored bool          `json:"mirrored"` // positions are seen from the view of the player to move
	Alone    Score         `json:"alone"`    // see Evaluation.Alone
}

// savedSignal is one signal of a file: a threat has the fluent that it lacks, any other signal a move.
type savedSignal struct {
	Role    string    `json:"role"`
	Fluent  string    `json:"fluent,omitempty"`
	Move    string    `json:"move,omitempty"`
	Blocks  []string  `json:"blocks,omitempty"`
	Weights []float32 `json:"weights"`
}

// translate replaces all texts of a file.
func (f *saved) translate(to func(text string) string) {
	all := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = to(texts[i])
		}
		return texts
	}
	f.Fluents = all(f.Fluents)
	for i := range f.Signals {
		s := &f.Signals[i]
		s.Role, s.Fluent, s.Move, s.Blocks = to(s.Role), to(s.Fluent), to(s.Move), all(s.Blocks)
	}
}

// Save writes the network, trained on the given rules, to a file. The file appears complete or not at all.
func (l *Learner) Save(path string, rules Rules) error {
	return save(path, func(w io.Writer) error { return l.Write(w, rules) })
}

// save writes a file, which appears complete or not at all.
func save(path string, write func(w io.Writer) error) error {
	if err := atomicfile.WriteTo(path, write); err != nil {
		return fmt.Errorf("cannot save the evaluation: %w", err)
	}
	return nil
}

// Write writes the text of a file with the network, trained on the given rules.
func (l *Learner) Write(w io.Writer, rules Rules) error {
	n := l.trainer.mean()
	f := saved{
		Format: formatName, Version: formatVersion, Rules: rules.Rules(), Learnt: l.Progress(), Active: l.active, Sum: l.current.sum,
		Outputs: n.outputs, Fluents: l.games.machine.Names().Fluents, Readings: n.readings(),
	}
	for i := range f.Fluents {
		f.Weights = append(f.Weights, n.row(i))
	}
	f.Signals, f.Blocked, f.Mirrored = l.savedSignals(n), l.view.blocks != nil, l.view.mirror != nil
	f.Bias, f.Alone = n.row(n.inputs()), l.current.alone
	f.translate(rules.Canonical)
	return f.write(w)
}

// write writes the object as a gzip stream.
func (f *saved) write(w io.Writer) error {
	z := gzip.NewWriter(w)
	if err := json.NewEncoder(z).Encode(f); err != nil {
		return err
	}
	return z.Close()
}

// Record sets the score in a file that Evaluation.Alone returns.
func Record(path string, alone Score) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	f.Alone = alone
	return save(path, f.write)
}

// ErrDamaged is wrapped by errors about files that no player can continue from: broken files, older
// versions and other rules.
var ErrDamaged = errors.New("the file is damaged")

// damaged formats an error that wraps ErrDamaged.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// misfit formats the error of a file that does not fit this machine. It may fit another machine of
// the same rules: engines that had more time may know fewer fluents and more signals.
func misfit(format string, args ...any) error {
	return fmt.Errorf("the evaluation does not fit the game: %w", fmt.Errorf(format, args...))
}

// Load returns a learner that continues from a file, trained on the given rules under any names. The
// error wraps fs.ErrNotExist if the file does not exist, and ErrDamaged if it is of no use.
func Load(path string, rules Rules, m machine.Machine, c Config) (*Learner, error) {
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

// Learnt returns the progress that a file records. The error wraps fs.ErrNotExist if the file does
// not exist.
func Learnt(path string) (Progress, error) {
	f, err := open(path)
	if err != nil {
		return Progress{}, err
	}
	return f.Learnt, nil
}

// open reads a file. Its errors name the file.
func open(path string) (*saved, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Read returns a learner that continues from the contents of a file; see Load.
func Read(file io.Reader, rules Rules, m machine.Machine, c Config) (*Learner, error) {
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
		return nil, damaged("not an evaluation: %w", err)
	case f.Format != formatName || f.Version < formatVersion:
		return nil, damaged("expected %s, version %d, found %q, version %d", formatName, formatVersion, f.Format, f.Version)
	case f.Version > formatVersion:
		return nil, fmt.Errorf("expected %s, version %d, found version %d, of a later program", formatName, formatVersion, f.Version)
	}
	return f, nil
}

// restore sets the network and the progress to the saved ones.
func (l *Learner) restore(f *saved, rules Rules) error {
	n, names := l.trainer.network, l.games.machine.Names()
	switch {
	case f.Rules != rules.Rules():
		return damaged("its rules are not the rules of the game")
	case f.Outputs != n.outputs || len(f.Fluents) != l.view.fluents || len(f.Weights) != l.view.fluents || f.Active < 0 ||
		f.Active > n.inputs() || f.Learnt.Games < 0 || f.Learnt.Positions < 0 ||
		f.Mirrored != (l.view.mirror != nil) || !n.setWidth(len(f.Bias)) || len(f.Readings) != n.outputs*(len(f.Bias)-n.outputs):
		return misfit("its parts do not fit together")
	}
	f.translate(rules.Own)
	known := names.NewState()
	for i, name := range f.Fluents {
		to, ok := names.AddFluent(name)
		if !ok || known.Has(to) || len(f.Weights[i]) != len(f.Bias) {
			return misfit("its fluent %q is not of the game, or has no weights", name)
		}
		known.Set(to)
		n.setRow(to, f.Weights[i])
	}
	if err := l.restoreSignals(f); err != nil {
		return err
	}
	n.setRow(n.inputs(), f.Bias)
	n.setReadings(f.Readings)
	if !n.isFinite() || !isFinite([]float32{float32(f.Sum)}) {
		return damaged("its weights are no numbers")
	}
	l.current.view = l.view
	l.trainer = newTrainer(n)
	l.trainer.former = fits * float64(f.Learnt.Positions) / batchSize
	l.active, l.current.sum, l.current.alone = max(1, f.Active), f.Sum, f.Alone
	l.progress = f.Learnt
	l.refresh()
	return nil
}

// row returns the weights of an input, by unit of all blocks.
func (n *network) row(input int) []float32 {
	var list []float32
	for _, b := range n.blocks {
		list = append(list, b.in[input][:]...)
	}
	return list
}

// setRow sets the weights of an input, by unit of all blocks.
func (n *network) setRow(input int, weights []float32) {
	for i, b := range n.blocks {
		b.in[input] = vector.Floats(weights[i*width:])
	}
}

// setWidth adds blocks of zeros up to the given number of units in all blocks. It reports whether networks of this size exist.
func (n *network) setWidth(units int) bool {
	blocks := units / width
	if units%width != 0 || blocks < 1 || blocks > n.maxBlocks() {
		return false
	}
	for len(n.blocks) < blocks {
		n.blocks = append(n.blocks, emptyBlock(n.inputs()/64, n.outputs))
	}
	return true
}

// readings returns the output weights of the rectified units, by output, then unit of all blocks.
func (n *network) readings() []float32 {
	var list []float32
	for o := range n.outputs {
		for i, b := range n.blocks {
			list = append(list, b.out[o][:n.rectified(i)]...)
		}
	}
	return list
}

// setReadings sets the output weights of the rectified units.
func (n *network) setReadings(list []float32) {
	for o := range n.outputs {
		for i, b := range n.blocks {
			b.out[o] = vector.Floats{}
			list = list[copy(b.out[o][:n.rectified(i)], list):]
		}
	}
}

// isFinite reports whether all weights are numbers of plausible size.
func (n *network) isFinite() bool {
	odd := func(row vector.Floats) bool { return !isFinite(row[:]) }
	return !slices.ContainsFunc(n.blocks, func(b block) bool { return slices.ContainsFunc(b.in, odd) || slices.ContainsFunc(b.out, odd) })
}

// savedSignals returns the signals in the form of a file.
func (l *Learner) savedSignals(n *network) []savedSignal {
	names := l.games.machine.Names()
	var list []savedSignal
	for k, t := range l.view.signals {
		s := savedSignal{Role: names.Roles[t.Role], Weights: n.row(l.view.input(k))}
		if t.IsThreat() {
			s.Fluent = names.Fluents[t.Lacks]
		} else {
			s.Move = names.Moves[t.Role][t.Move]
		}
		if l.view.blocks != nil {
			for _, f := range l.view.blocks[k] {
				s.Blocks = append(s.Blocks, names.Fluents[f])
			}
		}
		list = append(list, s)
	}
	return list
}

// find returns the signal of the game that s names.
func (s *savedSignal) find(names *machine.Names) (found facts.Signal, ok bool) {
	role, ok := names.Role(s.Role)
	if !ok {
		return found, false
	}
	found = facts.Signal{Role: role, Move: machine.NoMove}
	if s.Move != "" {
		found.Move, ok = names.AddMove(role, s.Move)
	} else {
		found.Lacks, ok = names.AddFluent(s.Fluent)
	}
	return found, ok
}

// restoreSignals sets the weights and the blocking fluents of the signals to the saved ones.
func (l *Learner) restoreSignals(f *saved) error {
	names, v := l.games.machine.Names(), *l.view
	number := make(map[facts.Signal]int, len(v.signals))
	for k, t := range v.signals {
		number[t] = k
	}
	if len(f.Signals) != len(number) {
		return misfit("expected %d signals, found %d", len(number), len(f.Signals))
	}
	if f.Blocked {
		v.blocks, l.survey = make([][]int32, len(v.signals)), nil
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		t, ok := s.find(names)
		k, known := number[t]
		if !ok || !known || len(s.Weights) != len(f.Bias) {
			return misfit("its signal %s%s of %s is not of the game, or has no weights", s.Fluent, s.Move, s.Role)
		}
		delete(number, t)
		l.trainer.setRow(v.input(k), s.Weights)
		for _, name := range s.Blocks {
			fluent, ok := names.AddFluent(name)
			if !ok || !f.Blocked {
				return misfit("its fluent %q is not of the game", name)
			}
			v.blocks[k] = append(v.blocks[k], int32(fluent))
		}
	}
	l.view = &v
	return nil
}

// isFinite reports whether all weights are numbers of plausible size.
func isFinite(weights []float32) bool {
	const most = 1e6
	return !slices.ContainsFunc(weights, func(w float32) bool { return math.IsNaN(float64(w)) || w > most || w < -most })
}
