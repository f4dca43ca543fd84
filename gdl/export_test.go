package gdl

import "strings"

// Comments lists the comments of a text that has the given tree, without the blanks at their ends.
func Comments(tree *File, src []byte) []string {
	s := prefix
	if tree.Infix {
		s = infix
	}
	var out []string
	for _, t := range tokensOf(s, textOf(string(src))) {
		if t.Type == tokenComment {
			out = append(out, strings.TrimRight(t.Value, " \t"))
		}
	}
	return out
}
