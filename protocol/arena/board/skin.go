package board

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stackmate/internal/jsonfault"
)

// Skin says how pieces look, where their names do not tell: by what the facts say of a
// cell, as it is spelled there.
type Skin map[string]Piece

// ReadSkin reads a skin: {"wz": {"kind": "knight", "color": "white"}, …}. A piece without
// a text keeps its name. The error names the piece that cannot be drawn.
func ReadSkin(text []byte) (Skin, error) {
	var s Skin
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("expected a skin in JSON: %w", jsonfault.Explain(err))
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		p := s[name]
		if _, known := outlines[p.Kind]; !known && p.Kind != Words && !p.isEdge() {
			return nil, fmt.Errorf("%s: expected one of the kinds %v or %s, found %q", name, slices.Sorted(maps.Keys(outlines)), Words, p.Kind)
		}
		if p.Color != "" && !slices.Contains(Colors, p.Color) {
			return nil, fmt.Errorf("%s: expected one of the colours %s, found %q", name, strings.Join(Colors, ", "), p.Color)
		}
		if p.Text == "" {
			p.Text = name
		}
		s[name] = p
	}
	return s, nil
}

// WithSkin returns the layout with pieces that look as a skin says.
func (l *Layout) WithSkin(s Skin) *Layout {
	out := *l
	out.skin = s
	return &out
}
