package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackmate/internal/must"
)

func mustParse(t testing.TB, text string) *Deal {
	t.Helper()
	return must.Get(Parse(text))(t)
}

func TestDealsAreReadInBothForms(t *testing.T) {
	compact := mustParse(t, "# an ending\nN:AJ...2 S:32..5. EW:KQ4.2..AK trump:h lead:w tricks:2 # of three")
	pbn := mustParse(t, `% PBN 2.1
[Event "ending"]
[Deal "W:4.2..A AJ...2 KQ...K 32..5."]
[Declarer "S"]
[Contract "2H"]
[Play "W"]
`)
	if compact.String() != "N:AJ...2 S:32..5. EW:KQ4.2..AK trump:H declarer:S lead:W tricks:2" {
		t.Errorf("compact: %v", compact)
	}
	if !pbn.Actual || pbn.Hidden != compact.Hidden || pbn.Trump != Hearts || pbn.Leader != West || pbn.Tricks != 8 {
		t.Errorf("PBN: %v", pbn)
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	for i := range 300 {
		rng := newRand(i)
		e := randomEnding(rng, 2+rng.IntN(6), rng.IntN(4))
		d := e.deal()
		d.Tricks = 1
		again := mustParse(t, d.String())
		if again.String() != d.String() || again.Hidden != d.Hidden || again.Void != d.Void {
			t.Fatalf("%v became %v", d, again)
		}
	}
}

func TestThePlayOfAPBNFileIsPlayed(t *testing.T) {
	d := mustParse(t, `[Deal "N:AK2.32.. QJ3.54.. 654.A6.. T98.KQ.."]
[Declarer "S"]
[Contract "1NT"]
[Play "W"]
HK H2 H4 HA
ST SA SJ S4 =1=
S8 SK S3 S5
*
`)
	if d.String() != "N:2.3.. E:Q.5.. S:6.6.. W:9.Q.. trump:NT declarer:S lead:N tricks:4" {
		t.Errorf("found %v", d)
	}
}

func TestBadDealsAreExplainedWithTheirPosition(t *testing.T) {
	const good = "N:AJ...2 S:32..5. EW:KQ4.2..AK "
	for text, want := range map[string]string{
		"":                               "expected the hand of S",
		"N:AJ...2":                       "1:1: expected the hand of S",
		"N:AJ...2 S:32..5.":              "1:10: expected the hands of both defenders",
		"N:AA...2 S:32..5. EW:":          "1:4: expected each card once, found SA again",
		"N:AJ...2 S:A2..5. EW:KQ4.2..AK": "1:12: expected each card once, found SA with N and S",
		"N:AJ...2 S:32..5. EW:KQ4.2..AA": "1:30: expected each card once, found CA again",
		"N:AJ...2 S:32..5. EW:KQA.2..AK": "1:22: expected each card once, found SA again",
		"N:AJ..2 S:32..5. EW:":           "1:3: expected four suits with three dots",
		"N:AJ....2":                      "1:8: expected four suits, found a fourth dot",
		"N:A1...2":                       `1:4: expected one of the ranks AKQJT98765432 or a dot, found '1'`,
		"N:AJ...2\nS:32..5.4 EW:":        "expected four suits",
		"N:AJ...2\nS:32... EW:KQ4.2..AK": "1:3: expected 2 cards for N",
		"N:AJ...2 S:32..5. EW:KQ4.2..A":  "expected 6 cards with the defenders, found 5",
		good + "trump:X":                 "expected one of S, H, D, C and NT",
		good + "lead:Q":                  "expected one of the seats",
		good + "tricks:4":                "1:39: expected at most 3 tricks",
		good + "tricks:x":                "expected a number",
		good + "trick:SA":                "found",
		good + "trick:H":                 "expected a card as in SA",
		good + "N:...":                   "expected each hand once",
		good + "E:...":                   "found both",
		good + "void:W":                  "expected a seat and suits",
		good + "void:N=S":                "expected a defender",
		good + "void:W=X":                "expected one of S, H, D and C",
		good + "W?:KQ..":                 "expected four suits",
		good + "W?:KQ...":                "expected 3 cards, found 2",
		good + "W?:KQA...":               "expected cards of the defenders, found SA",
		good + "N?:KQ4...":               "expected a hand of a defender",
		good + "colour:red":              `found "colour"`,
		good + "hello":                   `expected key:value, found "hello"`,
		"[Deal \"N:AK.2..\"]":            "expected four hands, found 1",
		"[Declarer \"S\"]":               "expected the tag Deal",
		"[Deal N]":                       "expected a tag",
		"[Deal \"N:A... K... Q... J...\"]\n[Contract \"9S\"]":       "2:12: expected a number from 1 to 7",
		"[Deal \"N:A2... K3... Q4... J5...\"]\n[Play \"W\"]\nSA":    "3:1: expected a card that W has, found SA",
		"[Deal \"N:A.2.. K3... Q4... J5...\"]\n[Play \"W\"]\nSJ H2": "3:4: expected N to follow suit, found H2",
	} {
		_, err := Parse(text)
		var fault *Error
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &fault) && text != "" {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("N:AJ...2 S:32..5. EW:KQ4.2..AK trump:h lead:w trick:SK,S2 tricks:2 void:W=H W?:KQ4...")
	f.Add("[Deal \"N:A2... K3... Q4... J5...\"]\n[Declarer \"E\"]\n[Contract \"3NTX\"]\n[Play \"W\"]\nSJ SA SK SQ\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(d.String())
		if err != nil && d.Tricks <= d.Left() {
			t.Fatalf("%v: %v", d, err)
		}
		if err == nil && fmt.Sprint(again) != fmt.Sprint(d) {
			t.Fatalf("%v became %v", d, again)
		}
	})
}
