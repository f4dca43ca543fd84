package arena

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/internal/atomicfile"
	"stackmate/internal/feed"
	"stackmate/internal/jsonfault"
	"stackmate/protocol"
)

// Archive is a folder of match records: <match>.jsonl for each match, written part by part during the match, and
// rules/<sha-256>.kif for each rulesheet. It also reads <match>.json, the one-piece records of other managers.
//
// To record matches, pass Recorder to Setting.Tell, or Witness to protocol.Endpoint.Record. To read them, use List,
// Read, or Follow for a running match of any process. Archive is safe for concurrent use. Several processes may share
// the folder; each match has one writer.
type Archive struct {
	dir string

	mu    sync.Mutex
	live  map[string]*feed.Feed[*Record] // of the matches that this process records now, by id
	ended map[string]*Record             // List's cache of ended matches, by file name
}

// suffix is the suffix of the records written by Archive.
const suffix = ".jsonl"

// OpenArchive opens a folder, and creates it if missing.
func OpenArchive(dir string) (*Archive, error) {
	if err := atomicfile.CheckDir(dir); err != nil {
		return nil, err
	}
	return ReadArchive(dir), nil
}

// ReadArchive returns the archive of a folder. It creates nothing itself; methods that write need the folder.
func ReadArchive(dir string) *Archive {
	return &Archive{dir: dir, live: make(map[string]*feed.Feed[*Record]), ended: make(map[string]*Record)}
}

// Dir returns the folder.
func (a *Archive) Dir() string { return a.dir }

// maxName limits the file name of a record, in bytes: file systems allow 255, and atomic writes add a suffix.
const maxName = 200

// fileName returns the file name of a match's record. The end of a long id is replaced by a hash.
func fileName(id string) string {
	name := protocol.SafeID(id)
	if len(name) > maxName {
		name = name[:maxName-20] + "-" + HashRules(name)[:16]
	}
	return name + suffix
}

// path returns the path of a record written by Archive.
func (a *Archive) path(id string) string { return filepath.Join(a.dir, fileName(id)) }

// find returns the path of a match's record, in lines or in one piece.
func (a *Archive) find(id string) string {
	path := a.path(id)
	if _, err := os.Stat(path); err != nil {
		whole := strings.TrimSuffix(path, suffix) + ".json"
		if _, err := os.Stat(whole); err == nil {
			return whole
		}
	}
	return path
}

// Read reads the record of a match as far as it is written. The error wraps fs.ErrNotExist if the record is missing.
func (a *Archive) Read(id string) (*Record, error) { return ReadRecord(a.find(id)) }

// Size returns the size of a match's record in bytes; it grows during the match. The error wraps fs.ErrNotExist if
// the record is missing.
func (a *Archive) Size(id string) (int64, error) {
	info, err := os.Stat(a.find(id))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// List returns all matches in the folder in order of their start, without turns: game, players, Summary (nil before
// the end of the match) and ending. Ended matches are read once, and only the first and last parts of their files, so
// that a folder of ten thousand can be listed every second. Other files are skipped and named in the error; records
// without a whole first part are skipped.
func (a *Archive) List() ([]*Record, error) {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	ended := make(map[string]*Record, len(a.ended))
	var list []*Record
	var faults []error
	for _, e := range entries {
		name := e.Name()
		if !isRecord(name) {
			continue
		}
		r := a.ended[name]
		if r == nil {
			if r, err = ReadOutline(filepath.Join(a.dir, name)); err != nil {
				if !errors.Is(err, errUnbegun) {
					faults = append(faults, err)
				}
				continue
			}
		}
		if r.Ended() {
			ended[name] = r
		} else {
			r.Recording = a.live[name] != nil
		}
		list = append(list, r)
	}
	a.ended = ended
	slices.SortStableFunc(list, func(x, y *Record) int { return x.StartTime.Compare(y.StartTime) })
	return list, errors.Join(faults...)
}

// outlineEnd is the number of bytes read at the end of a record to find its last part: enough for dozens of roles.
const outlineEnd = 8 << 10

// ReadOutline reads a record without its turns, as List does.
func ReadOutline(path string) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Running matches and one-piece records must be read completely.
	if r := joinEnds(f); r != nil && r.check() == nil && r.Consistent() == nil {
		return r, nil
	}
	r, err := DecodeRecord(f, path)
	if err != nil {
		return nil, err
	}
	if err := r.Consistent(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Ended() && r.Summary == nil {
		r.Summary = new(r.Result())
	}
	r.cutTurns()
	if info, err := f.Stat(); err == nil {
		r.Written = info.ModTime()
	}
	return r, nil
}

// joinEnds joins the first and the last line of a record. It returns nil if they are not its first and last part.
func joinEnds(f *os.File) *Record {
	first, err := nextPart(json.NewDecoder(io.NewSectionReader(f, 0, outlineEnd)))
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	end := make([]byte, min(outlineEnd, info.Size()))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return nil
	}
	line := bytes.TrimSuffix(end, []byte("\n"))
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	// A file of several matches ends with the last part of another match.
	last, err := nextPart(json.NewDecoder(bytes.NewReader(line)))
	if err != nil || !last.Ended() || last.Summary == nil || last.Match != "" || last.Summary.Match != first.Match {
		return nil
	}
	first.Append(last)
	return first
}

// Recorder returns a function for Setting.Tell, which records matches played one after another. When it returns, the
// part survives a kill of the process; after the last part, the record survives a power failure. A match with an
// existing record is refused: the error wraps fs.ErrExist.
func (a *Archive) Recorder() func(part *Record) error {
	var file *os.File
	var story *feed.Feed[*Record]
	var id string
	var written int
	end := func() error {
		a.end(id)
		closing := file
		file = nil
		return closing.Close()
	}
	return func(part *Record) (err error) {
		if part.Match != "" {
			if file != nil {
				_ = end() // no caller has ended it
			}
			id, written = part.Match, 0
			if file, story, err = a.begin(part); err != nil {
				return unsaved(id, err)
			}
		}
		if file == nil {
			return unsaved(id, fs.ErrClosed)
		}
		line, err := json.Marshal(part)
		if written += len(line); err == nil && written > maxRecord {
			err = fmt.Errorf("it has reached %d bytes", maxRecord)
		}
		if err == nil {
			_, err = file.Write(append(line, '\n'))
		}
		if err == nil && part.Ended() {
			err = syncFile(file)
		}
		story.Add(part)
		if err != nil || part.Ended() {
			err = errors.Join(err, end())
		}
		return unsaved(id, err)
	}
}

// syncFile is (*os.File).Sync; tests replace it.
var syncFile = (*os.File).Sync

func unsaved(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the record of match %s cannot be saved: %w", id, err)
}

// begin creates the file of a match.
func (a *Archive) begin(part *Record) (*os.File, *feed.Feed[*Record], error) {
	if err := a.keepRules(part); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(a.path(part.Match), os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, err
	}
	story := &feed.Feed[*Record]{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live[fileName(part.Match)] = story
	return file, story, nil
}

// end closes the live feed of a match and drops its cached outline.
func (a *Archive) end(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := fileName(id)
	if story := a.live[name]; story != nil {
		story.Close()
		delete(a.live, name)
	}
	delete(a.ended, name)
}

// BreakOff ends the record of a match whose manager was killed, with a reason, and returns the record. An ended
// record is unchanged. The error wraps fs.ErrNotExist if the record is missing; a file without a whole first part is
// removed.
func (a *Archive) BreakOff(id, reason string) (*Record, error) {
	r, err := ReadRecord(a.path(id))
	if errors.Is(err, errUnbegun) {
		return nil, errors.Join(fs.ErrNotExist, os.Remove(a.path(id)))
	}
	if err != nil || r.Ended() {
		return r, err
	}
	r.Append(&Record{Turns: len(r.Moves), Aborted: true, Reason: reason})
	r.Summary = new(r.Result())
	return r, a.Keep(r)
}

// Trim removes the oldest files that match a pattern, until at most `most` are left. It keeps records of matches that
// run in this process.
func (a *Archive) Trim(pattern string, most int) error {
	paths, err := filepath.Glob(filepath.Join(a.dir, pattern))
	if err != nil || len(paths) <= most {
		return err
	}
	written := make(map[string]time.Time)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			written[path] = info.ModTime()
		}
	}
	slices.SortFunc(paths, func(x, y string) int { return written[x].Compare(written[y]) })
	var faults []error
	for _, path := range paths[:len(paths)-most] {
		a.mu.Lock()
		live := a.live[filepath.Base(path)] != nil
		a.mu.Unlock()
		if !live {
			faults = append(faults, os.Remove(path))
		}
	}
	return errors.Join(faults...)
}

// Discard removes the record of an unfinished match, so that it can be played again, and ends its live feed.
func (a *Archive) Discard(id string) error {
	a.end(id)
	return os.Remove(a.path(id))
}

// Keep writes a record in one piece. It replaces an existing record of the match, even of a running match.
func (a *Archive) Keep(r *Record) error {
	a.end(r.Match)
	if err := a.keepRules(r); err != nil {
		return unsaved(r.Match, err)
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Write(a.path(r.Match), append(text, '\n'))
	}
	return unsaved(r.Match, err)
}

// HashRules returns the name of a rulesheet in records: its SHA-256 in hexadecimal digits.
func HashRules(rulesheet string) string {
	sum := sha256.Sum256([]byte(rulesheet))
	return hex.EncodeToString(sum[:])
}

// rulesPath returns the path of a rulesheet.
func (a *Archive) rulesPath(hash string) string {
	return filepath.Join(a.dir, "rules", protocol.SafeID(hash)+".kif")
}

// keepRules writes the rulesheet of a record, if it has one and the folder does not.
func (a *Archive) keepRules(r *Record) error {
	if r.Rulesheet == "" {
		return nil
	}
	path := a.rulesPath(r.Rules)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(r.Rulesheet))
}

// Rulesheet returns the text of the rules with the hash Record.Rules. The error wraps fs.ErrNotExist if the folder
// lacks it.
func (a *Archive) Rulesheet(hash string) (string, error) {
	text, err := os.ReadFile(a.rulesPath(hash))
	if err == nil && HashRules(string(text)) != hash {
		err = fmt.Errorf("damaged rules: the text in rules/%s.kif has another hash", hash)
	}
	return string(text), err
}

// KeepRules writes a rulesheet, if the folder lacks it.
func (a *Archive) KeepRules(rulesheet string) error {
	return a.keepRules(&Record{Rules: HashRules(rulesheet), Rulesheet: rulesheet})
}

// FindRules returns the hash of a rulesheet whose hash begins with a prefix. The error wraps fs.ErrNotExist if the
// folder lacks it.
func (a *Archive) FindRules(prefix string) (hash string, err error) {
	entries, err := os.ReadDir(filepath.Dir(a.rulesPath("")))
	for _, e := range entries {
		if hash, found := strings.CutSuffix(e.Name(), ".kif"); found && strings.HasPrefix(hash, prefix) {
			return hash, nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("no rules have the hash %s…: %w", prefix, fs.ErrNotExist))
}

// Follow iterates over the parts of a record: the existing parts, then each new part, until the match or ctx ends. If
// this process records the match, all readers share the parts and must not change them. The growing file of another
// process is polled twenty times a second. A record in one piece is one part.
func (a *Archive) Follow(ctx context.Context, id string) iter.Seq2[*Record, error] {
	a.mu.Lock()
	story := a.live[fileName(id)]
	a.mu.Unlock()
	if story != nil {
		return func(yield func(*Record, error) bool) {
			for part := range story.All(ctx) {
				if !yield(part, nil) {
					return
				}
			}
		}
	}
	return followFile(ctx, a.find(id))
}

// lookAgain is the polling interval of a growing file.
const lookAgain = 50 * time.Millisecond

// followFile reads the parts of a growing file.
func followFile(ctx context.Context, path string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		var rest []byte // an incomplete part
		for number := 1; ; {
			more, err := io.ReadAll(io.LimitReader(f, maxRecord))
			if rest = append(rest, more...); err != nil || len(rest) > maxRecord {
				yield(nil, errors.Join(fmt.Errorf("%s: the growing record cannot be read", path), err))
				return
			}
			for {
				in := json.NewDecoder(bytes.NewReader(rest))
				var part *Record
				if part, err = nextPart(in); err != nil {
					break
				}
				rest, number = rest[in.InputOffset():], number+1
				if !yield(part, nil) || part.Ended() {
					return
				}
			}
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				yield(nil, fmt.Errorf("%s: expected part %d of a match record: %w", path, number, jsonfault.Explain(err)))
				return
			}
			if !protocol.Sleep(ctx, lookAgain) {
				return
			}
		}
	}
}
