package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// WriteReference writes what --help tells of all commands, as Markdown: the page docs/commands.md.
func WriteReference(w io.Writer) error {
	s := &console{out: newPrinter(io.Discard, nil), err: newPrinter(io.Discard, nil)}
	parser, err := s.parser(nil, new(globals), func() {})
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# Commands\n\nWritten by `go generate ./docs` from the help of the program.\n\n%s\n\n", about)
	out.WriteString(`A command exits with status 0 if all is fine, 1 if the game or the result is bad or incomplete, 2 if the command line is
wrong or names a file that cannot be read or written, and 141 if nobody reads its output. Ctrl-C ends it with the results so far.
Files are written whole or not at all; whether they can be written is checked before the work.

All commands take these flags:

`)
	writeFlags(&out, parser.Model.Flags)
	for _, g := range groups {
		fmt.Fprintf(&out, "\n## %s\n", g.Title)
		for _, n := range parser.Model.Children {
			if n.Group != nil && n.Group.Key == g.Key && !n.Hidden {
				writeCommand(&out, n)
			}
		}
	}
	_, err = io.WriteString(w, out.String())
	return err
}

func writeCommand(out *strings.Builder, n *kong.Node) {
	fmt.Fprintf(out, "\n### %s\n\n%s\n\n```text\nstackmate %s", n.Name, n.Help, n.Name)
	for _, p := range n.Positional {
		fmt.Fprintf(out, " %s", p.Summary())
	}
	out.WriteString(" [flags]\n```\n")
	if n.Detail != "" {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", strings.TrimSpace(n.Detail))
	}
	if len(n.Positional)+len(n.Flags) == 0 {
		return
	}
	out.WriteString("\n")
	for _, p := range n.Positional {
		writeRow(out, p.Summary(), p.Help)
	}
	writeFlags(out, n.Flags)
}

func writeFlags(out *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if !f.Hidden {
			name := f.String()
			if f.Tag.Negatable != "" {
				name = strings.Replace(name, "--", "--[no-]", 1)
			}
			writeRow(out, name, f.Help)
		}
	}
}

func writeRow(out *strings.Builder, name, help string) {
	fmt.Fprintf(out, "- `%s`: %s\n", name, strings.ReplaceAll(help, "\n", " "))
}
