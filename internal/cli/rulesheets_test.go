package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

func TestBadRulesheetsAreNamedWithTheirPosition(t *testing.T) {
	for name, test := range map[string]struct {
		rules string
		want  string
	}{
		"syntax error":           {"(role you", "bad.kif:1:1: E"},
		"unsafe rule":            {coin + "(<= (next (seen ?x)) (true choosing))\n", "bad.kif:12:"},
		"unstratified":           {coin + "(<= p (not q))\n(<= q (not p))\n", "bad.kif:12:"},
		"no role":                {strings.Replace(coin, "(role you)", "", 1), "`role`"},
		"hidden information":     {coin + "(role it) (legal it wait) (goal it 0) (<= (sees you it) (true won))\n", "imperfect information is not supported"},
		"binary instead of text": {"\x7fELF\x00\x01(", "bad.kif:"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "bad.kif", test.rules)
			execute(t, "validate", path).expect(t, statusBad, test.want, "not valid")
			execute(t, "inspect", path).expect(t, statusBad, test.want)
			found := execute(t, "validate", "--json", path).objects(t)
			if len(found) != 1 || found[0]["valid"] != false {
				t.Fatalf("found %v", found)
			}
			if n := float64(len(found[0]["findings"].([]any))); n != found[0]["errors"].(float64)+found[0]["warnings"].(float64) {
				t.Errorf("%v findings: %v", n, found)
			}
		})
	}
}

func TestRulesThatManagersReadArePlayedAndNotSolved(t *testing.T) {
	path := file(t, "level.kif", `(role a) (init (at 1)) (place 1) (place 2)
(<= (open ?x) (not (true (at ?x))))
(<= (legal a (go ?x)) (place ?x) (open ?x))
(<= (next (at ?x)) (does a (go ?x)))
(<= terminal (true (at 2)) (not (does a (go 1))))
(goal a +100)`)
	execute(t, "validate", path).expect(t, statusBad, "E019", "E025", "E028", "not valid", "play it all the same")
	if found := execute(t, "validate", "--json", path).objects(t)[0]; found["valid"] != false || found["playable"] != true {
		t.Errorf("valid %v, playable %v", found["valid"], found["playable"])
	}
	execute(t, "solve", path).expect(t, statusBad, "E025")
	played := execute(t, "match", path, "--json")
	played.expect(t, statusFine, "played all the same", `"goals":[100]`)
}

func TestValidateGoesOnAfterABadFileAndIsStrictOnRequest(t *testing.T) {
	good, bad := file(t, "good.kif", coin), file(t, "bad.kif", "(role you")
	execute(t, "validate", good).expect(t, statusFine, "good.kif: valid")
	execute(t, "validate", bad, good).expect(t, statusBad, "bad.kif: not valid", "good.kif: valid")
	warned := execute(t, "validate", "--json", good).objects(t)[0]["warnings"].(float64) > 0
	if strict := execute(t, "validate", "--strict", good); (strict.status == statusBad) != warned {
		t.Errorf("status %d of a file with warnings: %v", strict.status, warned)
	}
}

func TestValidateFindsFaultsByPlaying(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"no fault":       {"", "", "faults in 20 matches: 0"},
		"no legal move":  {"(<= terminal (true won))\n", "", "expected a legal move for you"},
		"no goal":        {"(<= (goal you 100) (true won))\n", "", "expected one goal for you"},
		"two goals":      {"(<= (goal you 0) (true lost))", "(<= (goal you 0) (true lost)) (<= (goal you 1) (true lost))", "expected one goal for you"},
		"goal too large": {"(goal you 100)", "(goal you 101)", "101"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "game.kif", strings.Replace(coin, test.old, test.new, 1))
			status := statusBad
			if name == "no fault" {
				status = statusFine
			}
			execute(t, "validate", path, "--simulate", "20").expect(t, status, test.want)
		})
	}
	endless := "(role you) (init here) (legal you wait) (next here) (<= terminal (true there)) (<= (next there) (does you leave)) (goal you 50)"
	execute(t, "validate", file(t, "endless.kif", endless), "--simulate", "1").
		expect(t, statusBad, "expected the match to end", "after 10000 joint moves", "state: here")
}

func TestFmtIsIdempotentAndWritesOnRequest(t *testing.T) {
	path := file(t, "game.kif", strings.ReplaceAll(coin, "\n(", "   ( "))
	once := execute(t, "fmt", path)
	once.expect(t, statusFine, "(init choosing)\n")
	execute(t, "fmt", "-w", path).expect(t, statusFine)
	written, err := os.ReadFile(path)
	if err != nil || string(written) != once.out {
		t.Errorf("fmt prints\n%s\nand writes\n%s (%v)", once.out, written, err)
	}
	if again := execute(t, "fmt", path); again.out != once.out {
		t.Errorf("formatted again:\n%s", again.out)
	}
	execute(t, "fmt", file(t, "bad.kif", "(role you")).expect(t, statusBad, "bad.kif:1:1")
}

func TestFmtShowsWhatWouldChange(t *testing.T) {
	path := file(t, "game.kif", "(role you)\n   ( init here)\n")
	execute(t, "fmt", "-d", path).expect(t, statusBad, "--- "+path+".orig", "+++ "+path, "-   ( init here)", "+(init here)")
	if src, err := os.ReadFile(path); err != nil || !strings.Contains(string(src), "( init") {
		t.Errorf("-d wrote the file: %s (%v)", src, err)
	}
	execute(t, "fmt", "-w", path).expect(t, statusFine)
	if again := execute(t, "fmt", "-d", path); again.status != statusFine || again.out != "" {
		t.Errorf("status %d, a difference of a formatted file:\n%s", again.status, again.out)
	}
}

func TestAGameThatGetsStuckDoesNotEnd(t *testing.T) {
	const stuck = "(role r) (init (n 0)) (<= (legal r a) (true (n 5))) (<= (next (n 5)) (does r a)) (<= terminal (true (n 1))) (goal r 100)"
	execute(t, "validate", "--prove", file(t, "stuck.kif", stuck)).expect(t, statusBad, "refuted  every game ends ", "gets stuck", "not valid")
}

// The proofs of one rulesheet may not fit; the others have theirs.
func TestEachRulesheetHasItsVerdict(t *testing.T) {
	exhaustive.NotUnderRace(t, "proves for long on one goroutine")
	var large strings.Builder
	large.WriteString("(role r) (legal r a) (goal r 100) (<= terminal (true (s 0 0 1))) (<= (next (s ?a ?b ?c)) (d ?a) (d ?b) (d ?c) (not (true (s ?c ?b ?a))))")
	for i := range 200 {
		fmt.Fprintf(&large, "(d %d)", i)
	}
	execute(t, "validate", "--prove", "--memory", "64", file(t, "large.kif", large.String()), file(t, "good.kif", coin)).expect(t, statusBad,
		"large.kif: ", "more than", "proved   every game ends")
}

func TestValidateProvesWhatHoldsInAllPositions(t *testing.T) {
	execute(t, "validate", "--prove", file(t, "good.kif", coin)).expect(t, statusFine,
		"proved   every game ends", "proved   every role has a legal move until the end", "proved   every role has one goal at the end")
}

func TestOtherFilesThanRulesheetsHaveOneReasonAndNoCounts(t *testing.T) {
	binary := file(t, "binary.kif", "\x7fELF\x02\x00\x00(role (\x00")
	o := execute(t, "validate", binary)
	if o.expect(t, statusBad, "found no text"); o.out != binary+": not valid\n" {
		t.Errorf("%s is printed", o.out)
	}
	o = execute(t, "validate", binary, "--json")
	o.expect(t, statusBad, "found no text", `"valid":false`, `"errors":0,"warnings":0,"findings":[]`)
}

func TestFmtConvertsGamesOfGambitToStandardOutputAlone(t *testing.T) {
	const dilemma = "NFG 1 R \"dilemma\" { \"row\" \"column\" } { 2 2 }\n\n5 5 8 0 0 8 2 2\n"
	path := file(t, "pd.nfg", dilemma)
	folder := filepath.Dir(path)
	execute(t, "fmt", path).expect(t, statusFine, "(role row)")
	for _, flag := range []string{"-w", "-l", "-d"} {
		execute(t, "fmt", flag, path).expect(t, statusUsage, "expected rulesheets in GDL, found "+path)
	}
	execute(t, "fmt", "-w", folder).expect(t, statusUsage, "expected rulesheets (.kif, .gdl, .hrf) in "+folder)
	execute(t, "validate", folder).expect(t, statusFine, "pd.nfg: valid")
	if text := must.Get(os.ReadFile(path))(t); string(text) != dilemma {
		t.Errorf("the file holds %s", text)
	}
}
