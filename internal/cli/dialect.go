package cli

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"stackmate/gdl"
)

// dialects are formats that are mistaken for rulesheets, with a pattern of their beginning.
var dialects = []struct{ pattern, what string }{
	{`^\s*(<!DOCTYPE|<!doctype|<html|<HTML|<\?xml)`, "a web page: the file of the rules itself must be saved"},
	{`^\s*[\[{]\s*["{\[]`, "JSON"},
	{`(?m)^\s*#\s*(players|pieces|board|rules)\s*=`, "rules of Regular Boardgames (.rbg)"},
	{`\(game\s+"`, "rules of Ludii (.lud)"},
	{`\(game\s*\(title|\(variant\s*\(title`, "rules of Zillions of Games (.zrf)"},
	{`^%PDF`, "a PDF document"},
	{`^PK\x03\x04`, "a zip archive: it must be unpacked"},
	{"\x00", "no text"},
}

// dialect returns the format of a file that is not a rulesheet, or "".
func dialect(src []byte) string {
	const looked = 4096 // bytes
	if len(bytes.TrimSpace(src)) == 0 {
		return "nothing: the file is empty"
	}
	for _, d := range dialects {
		if regexp.MustCompile(d.pattern).Match(src[:min(len(src), looked)]) {
			return d.what
		}
	}
	if !regexp.MustCompile(`(?i)\b(role|init|legal|next|goal|terminal)\b`).Match(src) {
		return "text without the rules of a game"
	}
	return ""
}

// foreign tells in one line, in place of the faults in err, that a file is something else than a
// rulesheet. It is nil where that is not so.
func foreign(file string, src []byte, err error) error {
	var invalid gdl.Invalid
	if what := dialect(src); what != "" && errors.As(err, &invalid) {
		return fmt.Errorf("%s: expected rules in GDL, as stackmate export ticTacToe prints them, found %s", file, what)
	}
	return nil
}
