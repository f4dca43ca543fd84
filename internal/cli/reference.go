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
	out := reference{told: make(map[string]bool)}
	fmt.Fprintf(&out, "# Commands\n\nWritten by `go generate ./docs` from the help of the program.\n\n%s\n\n", about)
	out.WriteString(`A command exits with status 0 if all is fine, 1 if the game or the result is bad or incomplete, 2 if the command line is
wrong or names a file that cannot be read or written, and 141 if nobody reads its output. Ctrl-C ends it with the results so far.
Files are written whole or not at all; whether they can be written is checked before the work.

All commands take these flags:

`)
	out.flags(parser.Model.Flags)
	for _, g := range groups {
		fmt.Fprintf(&out, "\n## %s\n", g.Title)
		for _, n := range parser.Model.Children {
			if n.Group != nil && n.Group.Key == g.Key && !n.Hidden {
				out.command(n)
			}
		}
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// reference is the page while it is written.
type reference struct {
	strings.Builder
	told map[string]bool // flags with their help
}

func (out *reference) command(n *kong.Node) {
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
		out.row(p.Summary(), p.Help)
	}
	out.flags(n.Flags)
}

// flags writes a row for each flag. Those that another command has, too, are told once.
func (out *reference) flags(flags []*kong.Flag) {
	var again []string
	for _, f := range flags {
		name := f.String()
		if f.Tag.Negatable != "" {
			name = strings.Replace(name, "--", "--[no-]", 1)
		}
		switch key := name + f.Help; {
		case f.Hidden:
		case out.told[key]:
			again = append(again, "`"+name+"`")
		default:
			out.told[key] = true
			out.row(name, f.Help)
		}
	}
	if len(again) > 0 {
		fmt.Fprintf(out, "- %s: as above\n", strings.Join(again, ", "))
	}
}

func (out *reference) row(name, help string) {
	fmt.Fprintf(out, "- `%s`: %s\n", name, strings.ReplaceAll(help, "\n", " "))
}
