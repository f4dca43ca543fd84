package jsonfault

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func TestNoGoTypesAreNamed(t *testing.T) {
	type pair struct {
		Name  string         `json:"name"`
		Goals []int          `json:"goals"`
		More  map[string]any `json:"more"`
		Done  *bool          `json:"done"`
	}
	for text, want := range map[string]string{
		`[1]`:             `expected object, found array`,
		`{"name":5}`:      `expected string in "name", found number`,
		`{"goals":{}}`:    `expected array in "goals", found object`,
		`{"goals":["x"]}`: `expected number in "goals", found string`,
		`{"more":"x"}`:    `expected object in "more", found string`,
		`{"done":"x"}`:    `expected bool in "done", found string`,
	} {
		err := Explain(fmt.Errorf("reading: %w", json.Unmarshal([]byte(text), new(pair))))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if other := errors.New("other"); Explain(other) != other || Explain(nil) != nil {
		t.Error("other errors are changed")
	}
}
