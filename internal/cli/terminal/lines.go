package terminal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readLines reads lines in the background, so that a person who does not type
// cannot hold up the end of a match. The channel is closed when in ends. The
// reader itself ends after stop and one more line.
func readLines(in io.Reader) (lines <-chan string, stop func()) {
	read, stopped := make(chan string), make(chan struct{})
	go func() {
		defer close(read)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			select {
			case read <- strings.TrimSpace(scanner.Text()):
			case <-stopped:
				return
			}
		}
	}()
	return read, func() { close(stopped) }
}

// line waits for a line.
func (d *dialogue) line() (string, error) {
	select {
	case line, ok := <-d.lines:
		if !ok {
			return "", errLeft
		}
		return line, nil
	case <-d.ctx.Done():
		return "", d.ctx.Err()
	}
}

// lineWidth is the width of lists, in characters: that of a small terminal.
const lineWidth = 78

// list prints items next to each other, as many to a line as fit.
func (d *dialogue) list(items []string) {
	width := 0
	for _, item := range items {
		n := utf8.RuneCountInString(item) + 2
		if width > 0 && width+n > lineWidth {
			fmt.Fprintln(d.out)
			width = 0
		}
		fmt.Fprintf(d.out, "  %s", item)
		width += n
	}
	fmt.Fprintln(d.out)
}
