package cli

import (
	"embed"
	"io"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"stackmate/games"
)

// completionCommand prints files that an installation has beside the program. They are made of the
// command line itself.
type completionCommand struct {
	For string `arg:"" enum:"bash,zsh,fish,man" help:"Output: completions of ${enum} (the manual page)."`
}

//go:embed completion
var completions embed.FS

// Run implements the command.
func (c *completionCommand) Run(s *console) error {
	return s.describe(s.out.exactly(), c.For)
}

// WriteReference writes the help of all commands as Markdown: the page docs/commands.md.
func WriteReference(w io.Writer) error {
	s := &console{out: newPrinter(io.Discard, nil), err: newPrinter(io.Discard, nil)}
	return s.describe(w, "markdown")
}

// describe writes the command line by one of the templates.
func (s *console) describe(w io.Writer, form string) error {
	parser, err := s.parser(nil, new(globals), func() {})
	if err != nil {
		return err
	}
	told := make(map[string][]*kong.Flag)
	name := form + ".tmpl"
	t, err := template.New(name).Funcs(template.FuncMap{
		"quote":     func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" },
		"describe":  strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace,
		"roff":      strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace, // ASCII
		"examples":  examplesOf,
		"zshValue":  zshValue,
		"fishValue": fishValue,
		"manValue":  manValue,
		"mdFlag":    markdownFlag,
		// Flags that another command has, too, are told once.
		"news":  func(flags []*kong.Flag) []*kong.Flag { return sharedFlags(told, flags, true) },
		"again": func(flags []*kong.Flag) []*kong.Flag { return sharedFlags(told, flags, false) },
	}).ParseFS(completions, "completion/"+name)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range games.Families() {
		names = append(names, f.Name())
	}
	return t.Execute(w, map[string]any{
		"Version": version(), "About": about, "Groups": groups, "Commands": parser.Model.Children, "Globals": parser.Model.Flags,
		"Games": names, "Topics": topics,
	})
}

// sharedFlags returns the flags of a list that no earlier list has (isFirst), or the flags that an earlier list has.
func sharedFlags(told map[string][]*kong.Flag, flags []*kong.Flag, isFirst bool) (list []*kong.Flag) {
	for _, f := range flags {
		key := f.String() + f.Help
		if told[key] == nil {
			told[key] = flags
		}
		if same := &told[key][0] == &flags[0]; same == isFirst {
			list = append(list, f)
		}
	}
	return list
}

// markdownFlag returns a flag in the form of the reference.
func markdownFlag(f *kong.Flag) string {
	if f.Tag.Negatable != "" {
		return strings.Replace(f.String(), "--", "--[no-]", 1)
	}
	return f.String()
}

// valuesOf returns the values of a flag, if they can be listed.
func valuesOf(f *kong.Flag) string { return strings.TrimSpace(strings.Join(f.EnumSlice(), " ")) }

// zshValue returns zsh's completion of the value of a flag, or "".
func zshValue(f *kong.Flag) string {
	switch {
	case f.IsBool():
		return ""
	case f.Enum != "":
		return ":value:(" + valuesOf(f) + ")"
	case f.Tag.Type == "path":
		return ":file:_files"
	}
	return ":value:"
}

// fishValue returns fish's completion of the value of a flag, or "".
func fishValue(f *kong.Flag) string {
	switch {
	case f.IsBool():
		return ""
	case f.Enum != "":
		return " -x -a '" + valuesOf(f) + "'"
	case f.Tag.Type == "path":
		return " -r"
	}
	return " -x"
}

// manValue returns the placeholder of the value of a flag in the manual page.
func manValue(f *kong.Flag) string {
	if f.IsBool() {
		return ""
	}
	return f.FormatPlaceHolder()
}
