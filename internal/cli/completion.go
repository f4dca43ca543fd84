package cli

import (
	"embed"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"stackmate/games"
)

// completionCommand prints files that an installation has beside the program. They are made of the
// command line itself.
type completionCommand struct {
	For string `arg:"" enum:"bash,zsh,fish,man" help:"What to print: the completions of ${enum} (the manual page)."`
}

//go:embed completion
var completions embed.FS

// Run implements the command.
func (c *completionCommand) Run(s *console) error {
	parser, err := s.parser(nil, new(globals), func() {})
	if err != nil {
		return err
	}
	name := c.For + ".tmpl"
	t, err := template.New(name).Funcs(template.FuncMap{
		"quote":     func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" },
		"describe":  strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace,
		"roff":      strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace,
		"examples":  examplesOf,
		"zshValue":  zshValue,
		"fishValue": fishValue,
		"manValue":  manValue,
	}).ParseFS(completions, "completion/"+name)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range games.Families() {
		if _, _, err := games.Source(f.Name()); err == nil {
			names = append(names, f.Name())
		}
	}
	return t.Execute(s.out.exactly(), map[string]any{
		"Version": version(), "About": about, "Commands": parser.Model.Children, "Globals": parser.Model.Flags,
		"Games": names,
	})
}

// valuesOf are the values that a flag may have, if they can be listed.
func valuesOf(f *kong.Flag) string { return strings.Join(f.EnumSlice(), " ") }

// zshValue is how zsh completes the value of a flag, if it has one.
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

// fishValue is how fish completes it.
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

// manValue is what stands for it in the manual page.
func manValue(f *kong.Flag) string {
	if f.IsBool() {
		return ""
	}
	return f.FormatPlaceHolder()
}
