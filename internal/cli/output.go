package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// printer is a standard output or error that protects the terminal from foreign text: rulesheets, file names,
// replies of players and match ids may hold anything. Control characters, and characters that change the
// direction of text, are escaped, \u001b for instance, with the same meaning in JSON; bytes that are not
// UTF-8 as \x9b. Line feeds and tabs pass; CR LF becomes a line feed.
//
// It keeps the first error of writing, and writes nothing after it.
type printer struct {
	to       io.Writer
	terminal bool
	failed   func() // called at the first error, if not nil

	mu   sync.Mutex // logs come from many goroutines
	rest []byte     // the beginning of a character, or of CR LF
	err  error
}

func newPrinter(to io.Writer, failed func()) *printer {
	f, ok := to.(*os.File)
	return &printer{to: to, terminal: ok && term.IsTerminal(int(f.Fd())), failed: failed}
}

// width returns the columns of the terminal, or 0 if they are unknown.
func (p *printer) width() int {
	if f, ok := p.to.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// Write implements io.Writer.
func (p *printer) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var shown []byte
	shown, p.rest = appendPrintable(nil, append(p.rest, text...))
	return len(text), p.write(shown)
}

// exactly returns a writer for contents of files: it escapes text only on a terminal.
func (p *printer) exactly() io.Writer {
	if p.terminal {
		return p
	}
	return exactPrinter{p}
}

type exactPrinter struct{ *printer }

// Write implements io.Writer.
func (p exactPrinter) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(text), p.write(text)
}

// end flushes the output and returns the first error of writing.
func (p *printer) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.write(appendBytes(nil, p.rest))
	p.rest = nil
	return p.err
}

func (p *printer) write(shown []byte) error {
	if p.err != nil || len(shown) == 0 {
		return p.err
	}
	if _, p.err = p.to.Write(shown); p.err != nil && p.failed != nil {
		p.failed()
	}
	return p.err
}

// printable returns a text as printer writes it.
func printable(text string) string {
	return string(appendBytes(appendPrintable(nil, []byte(text))))
}

// table lays cells out that tabs end, two blanks apart. Their texts are made printable
// before they are measured; bytes of them would steer the layout, too.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, flags uint) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', flags)}
}

// Write implements io.Writer.
func (t table) Write(text []byte) (int, error) {
	_, err := t.Writer.Write([]byte(printable(string(text))))
	return len(text), err
}

// appendPrintable appends text, with escapes, and returns the end of it that is
// the beginning of something.
func appendPrintable(dst, text []byte) (shown, rest []byte) {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			if !utf8.FullRune(text) {
				return dst, text
			}
			dst = appendBytes(dst, text[:1])
		case c == '\r' && len(text) == 1:
			return dst, text
		case c == '\r' && text[1] == '\n':
		case c != '\n' && c != '\t' && unicode.IsControl(c), unicode.Is(unicode.Bidi_Control, c):
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst, nil
}

// appendBytes appends the escapes of bytes.
func appendBytes(dst, bytes []byte) []byte {
	for _, b := range bytes {
		dst = fmt.Appendf(dst, `\x%02x`, b)
	}
	return dst
}
