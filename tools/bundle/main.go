// Command bundle makes the arena's page: TypeScript and styles become one small file each, other files are
// copied. The result depends only on the sources and the version of esbuild.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	in := flag.String("in", "", "folder of the sources: main.ts, style.css, index.html, icon.svg")
	out := flag.String("out", "", "folder of the result")
	flag.Parse()
	if err := bundle(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func bundle(in, out string) error {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(in, "main.ts"), filepath.Join(in, "style.css")},
		Outdir:            out,
		Bundle:            true,
		Write:             true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		LogLevel:          api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("%d errors", len(result.Errors))
	}
	for _, name := range []string{"index.html", "icon.svg"} {
		text, err := os.ReadFile(filepath.Join(in, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
