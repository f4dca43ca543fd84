package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// recordsOf plays matches of ticTacToe and returns their folder and their files.
func recordsOf(t *testing.T, count string) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "records")
	execute(t, "match", "ticTacToe", "--players", "legal,random", "--count", count, "--start-clock", "1", "--play-clock", "1", "--record", dir).expect(t, statusFine)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	return dir, files
}

// textOf returns the text of files, one after the other.
func textOf(t *testing.T, files ...string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		all.Write(text)
	}
	return all.String()
}

func TestAFileOfSeveralMatchesIsReadWholeAndEachMatchCountsOnce(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	dir, files := recordsOf(t, "3")
	all := file(t, "all.jsonl", textOf(t, files...))
	for _, paths := range [][]string{{all}, {dir}, {all, all}, {dir, files[0], all}, files} {
		execute(t, append([]string{"rate"}, paths...)...).expect(t, statusFine, "legal        3")
	}
	o := execute(t, "show", all)
	o.expect(t, statusFine, "Turn 0 of")
	if n := strings.Count(o.out, "Turn 0 of"); n != 3 {
		t.Errorf("%d matches are shown:\n%s", n, o.out)
	}
	if n := len(execute(t, "show", "--json", all).objects(t)); n != 3 {
		t.Errorf("%d matches as JSON", n)
	}
	execute(t, "replay", "ticTacToe", all).expect(t, statusFine, "3 matches")
	// The rules of the record may also come from a file.
	sheet := file(t, "t.kif", execute(t, "export", "ticTacToe").out)
	execute(t, "replay", sheet, all).expect(t, statusFine, "3 matches")
}

// The commands agree on a file: 0 for true records, 1 for a record that contradicts itself or its rules, 2 for
// anything else.
func TestAllCommandsJudgeARecordAlike(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	_, files := recordsOf(t, "1")
	text := textOf(t, files...)
	points := regexp.MustCompile(`"goals":\[(\d+),(\d+)\]`)
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"true":               {text, statusFine},
		"goals and result":   {points.ReplaceAllString(text, `"goals":[$2,$1]`), statusBad},
		"result":             {regexp.MustCompile(`("result":.*)"goals":\[(\d+),(\d+)\]`).ReplaceAllString(text, `$1"goals":[$3,$2]`), statusBad},
		"turns of result":    {regexp.MustCompile(`"turns":\d+,"errors"`).ReplaceAllString(text, `"turns":77,"errors"`), statusBad},
		"turns":              {regexp.MustCompile(`"turns":\d+`).ReplaceAllString(text, `"turns":77`), statusBad},
		"a false record too": {text + strings.ReplaceAll(points.ReplaceAllString(text, `"goals":[$2,$1]`), `"match":"`, `"match":"other.`), statusBad},
		"no record":          {`{"name": "x"}`, statusUsage},
		"broken":             {strings.Replace(text, "\n", "\n]", 1), statusUsage},
		"empty":              {"", statusUsage},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "true" && c.text == text {
				t.Fatal("the test changes nothing")
			}
			path := file(t, "r.jsonl", c.text)
			for _, args := range [][]string{{"rate", path}, {"show", path}, {"replay", "ticTacToe", path}} {
				o := execute(t, args...)
				o.expect(t, c.status)
				if c.status != statusFine && !strings.Contains(o.err, "r.jsonl") {
					t.Errorf("%s does not name the file: %s", args[0], o.err)
				}
			}
			if name == "a false record too" {
				execute(t, "rate", path).expect(t, statusBad, "legal        1", "not counted", "other.")
			}
		})
	}
}

// A match of an archive has no roles: the roles of the rules count, if the rules are available.
func TestRecordsOfTheReferenceServerAreReadWhole(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	const text = `{"matchId":"m1","randomToken":"x","startTime":1325000000000,"gameMetaURL":"http://games.ggp.org/base/games/matchingPennies/v0/",
"isCompleted":true,"isAborted":false,"states":["( )","( ( got row 0 ) ( got column 100 ) )"],"moves":[["heads","tails"]],"stateTimes":[1,2],
"errors":[["",""],["TO","IL ( x )"]],"goalValues":[0,100],"previewClock":-1,"startClock":5,"playClock":5,"playerNamesFromHost":["ann","bob"],"scrambled":true}`
	path := file(t, "m.json", text)
	execute(t, "replay", "matchingPennies", path).expect(t, statusFine, "1 matches, 1 steps")
	execute(t, "show", path).expect(t, statusFine, "row: ann", "column: bob", "error IL", "error TO")
	execute(t, "rate", path).expect(t, statusFine, "ann", "bob")
	aborted := file(t, "a.json", strings.Replace(strings.Replace(text, `"isAborted":false`, `"isAborted":true`, 1), `"isCompleted":true`, `"isCompleted":false`, 1))
	execute(t, "replay", "matchingPennies", aborted).expect(t, statusFine, "1 matches")
	execute(t, "show", aborted).expect(t, statusFine, "row: ann", "aborted")
	wrong := file(t, "w.json", strings.Replace(text, `[0,100]`, `[100,0]`, 1))
	for _, args := range [][]string{{"rate", wrong}, {"show", wrong}, {"replay", "matchingPennies", wrong}} {
		execute(t, args...).expect(t, statusBad, "by the rules it is")
	}
	// A game of others: its rules lie beside the record.
	coins := strings.NewReplacer("matchingPennies", "coins", "heads", "crown").Replace(text)
	beside := file(t, "m.json", coins)
	execute(t, "show", beside).expect(t, statusFine, "role1: ann")
	sheet := strings.ReplaceAll(execute(t, "export", "matchingPennies").out, "heads", "crown")
	must.OK(t, os.WriteFile(filepath.Join(filepath.Dir(beside), "coins.kif"), []byte(sheet), 0o600))
	execute(t, "show", beside).expect(t, statusFine, "row: ann", "column: bob")
}

func TestATurnOutsideTheRecordIsRefused(t *testing.T) {
	_, files := recordsOf(t, "1")
	execute(t, "show", files[0], "--turn", "2").expect(t, statusFine, "Turn 2 of ")
	for turn, want := range map[string]string{"-5": "--turn: expected 0 to ", "-1": "--turn: expected 0 to ", "99": "--turn: expected 0 to "} {
		if o := execute(t, "show", files[0], "--turn", turn); o.out != "" || o.status != statusUsage || !strings.Contains(o.err, want) {
			t.Errorf("--turn %s: status %d, %s%s", turn, o.status, o.out, o.err)
		}
	}
	execute(t, "show", files[0], "--turn", "2", "--json").expect(t, statusUsage, "--turn: --json prints the whole record")
}
