package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/reasoner/prover"
)

// lockedBuffer is the output of a running command.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// openArena runs the command until the test ends, and returns the address of the page.
func openArena(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var out, faults lockedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"arena", "--listen", "127.0.0.1:0", "--player", "-"}, args...), &out, &faults)
	}()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != statusFine {
			t.Errorf("the arena ended with status %d: %s", status, faults.String())
		}
	})
	return awaitAddress(t, `(http://\S+)`, &out, &faults)
}

// awaitAddress waits until a command that serves has told its address, the group of a
// pattern.
func awaitAddress(t *testing.T, pattern string, outputs ...*lockedBuffer) string {
	t.Helper()
	address := regexp.MustCompile(pattern)
	for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
		for _, output := range outputs {
			if found := address.FindStringSubmatch(output.String()); found != nil {
				return found[1]
			}
		}
	}
	t.Fatalf("there is no address after %v: %s", patience, outputs[len(outputs)-1].String())
	return ""
}

// browser starts a browser, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	exhaustive.Only(t, "a browser takes seconds")
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("STACKMATE_BROWSER_REQUIRED") != "" {
			t.Fatal("no browser: expected chromium (Debian: apt-get install chromium)")
		}
		t.Skip("no browser: expected chromium (Debian: apt-get install chromium)")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(1200, 900), chromedp.WSURLReadTimeout(patience), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	t.Cleanup(cancel)
	return tab(t, ctx)
}

// action is a step of a user, or a wait.
type action = chromedp.Action[chromedp.Void]

// tab opens a tab.
func tab(t *testing.T, parent context.Context) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	return ctx
}

// do acts within a time limit, and prints the page if that fails. A page that shows an error fails the test.
func do(t *testing.T, ctx context.Context, actions ...action) {
	t.Helper()
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := chromedp.Do(within, actions...); err != nil {
		text, _ := chromedp.Run(ctx, chromedp.Text("body"))
		t.Fatalf("%v\n%s", err, text)
	}
	if text := value[string](t, ctx, `[...document.querySelectorAll(".failure")].map(e => e.textContent).join("; ")`); text != "" {
		t.Fatalf("the page says: %s", text)
	}
}

// value evaluates an expression in the page.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return must.Get(chromedp.Run(ctx, chromedp.Evaluate[T](expression)))(t)
}

// until waits for an expression to be true. It asks anew where the page that was asked has just
// been left for another one, which the browser may tell late.
func until(expression string) action {
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(50*time.Millisecond))
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		for {
			v, err := poll(ctx, t)
			var refused *cdproto.Error
			if !errors.As(err, &refused) || refused.Code != contextGone || ctx.Err() != nil {
				return v, err
			}
		}
	}
}

// contextGone is the code of the browser's error for a page that is not there any more.
const contextGone = -32000

// saying waits for an element that contains a text.
func saying(selector, text string) action {
	return until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

// letThemPlay begins a match of players, as soon as the server, which others use, has room for it.
func letThemPlay() action {
	return until(`(() => {
		const begin = document.querySelector("#watch");
		if (begin && (!begin.pressed || document.querySelector(".failure"))) {
			document.querySelector(".failure")?.remove();
			begin.pressed = true;
			begin.click();
		}
		return location.hash.startsWith("#/watch/");
	})()`)
}

// chooseMove chooses a move in the list.
func chooseMove(move string) action {
	return until(fmt.Sprintf(`[...document.querySelectorAll(".move")].filter(e => e.textContent === %q).map(e => e.click()).length`, move))
}

// TestThePageInABrowser runs the steps of users, each test in a tab of one browser.
func TestThePageInABrowser(t *testing.T) {
	shared := browser(t)
	records := t.TempDir()
	execute(t, "tournament", "nim-3.4", "ticTacToe", "--players", "legal,random", "--rounds", "3", "--sprt", "0,50", "--record", records).expect(t, statusFine)
	played := make(chan string, 1)
	elsewhere := httptest.NewServer(protocol.NewEndpoint("elsewhere", func() protocol.Agent { return &firstMove{played: played} }, zerolog.Nop()))
	defer elsewhere.Close()
	address := openArena(t, "--records", records, "--allow-players", elsewhere.URL)
	for name, visit := range map[string]func(*testing.T, string, context.Context){
		"small and soon there":               thePageIsSmallAndSoonThere,
		"something to do at once":            theFirstPageLeadsIntoAMatch,
		"tic-tac-toe by clicks":              ticTacToeIsPlayedByClicks,
		"cards and directions by clicks":     cardsAndDirectionsAreChosenByClicks,
		"a simultaneous game in two windows": choicesAtOnceStaySecretUntilBothHaveChosen,
		"a match as a record":                aMatchIsWatchedLiveAndAsARecord,
		"a match live":                       aLiveMatchArrivesTurnByTurn,
		"a tournament":                       everyCellOfATournamentLeadsToItsMatches,
		"a player elsewhere, with clocks": func(t *testing.T, address string, ctx context.Context) {
			aPlayerElsewhereIsPlayedAgainstTheClock(t, address, ctx, elsewhere.URL, played)
		},
		"a matrix":           aSimultaneousGameIsAnalysedDownToItsMatrix,
		"a faulty rulesheet": aFaultyRulesheetIsExplained,
		"on a phone":         thePageIsReadOnAPhone,
		"many windows":       manyWindowsFollowOneTable,
		"a busy server":      aBusyServerIsNamed,
		"another page":       anotherPageOpensNoStream,
		"by keyboard":        aGameIsPlayedByKeyboard,
		"rules are written":  rulesAreWrittenAndPlayed,
		"variations":         variationsAreTriedAndKept,
		"a size":             aSizeIsChosen,
		"mistakes":           mistakesOfARecordAreFound,
		"a resigned match":   noMoveBeforeAResignationIsAMistake,
		"a role of any name": aRoleMayBeCalledAsAnythingOfTheBrowser,
		"of an archive":      aRecordOfAnArchiveIsSteppedThrough,
	} {
		t.Run(name, func(t *testing.T) { visit(t, address, tab(t, shared)) })
	}
	if found, _ := filepath.Glob(filepath.Join(records, "*.jsonl")); len(found) == 0 {
		t.Error("no match was recorded")
	}
}

// clickCell clicks a cell as soon as it can be chosen, also while the board is redrawn.
func clickCell(spot string) action {
	return until(fmt.Sprintf(`[...document.querySelectorAll(".can[data-spot='%s']")].map((e) => e.dispatchEvent(new MouseEvent("click", { bubbles: true }))).length`, spot))
}

// TestWindowsGoOnAfterARestart stops an arena in the middle of a match, and starts it again.
func TestWindowsGoOnAfterARestart(t *testing.T) {
	ctx := browser(t)
	records, listen := t.TempDir(), "127.0.0.1:0"
	start := func() (address string, stop func()) {
		within, cancel := context.WithCancel(t.Context())
		var out, faults lockedBuffer
		ended := make(chan int, 1)
		go func() {
			ended <- Run(within, []string{"arena", "--listen", listen, "--player", "-", "--records", records}, &out, &faults)
		}()
		stop = sync.OnceFunc(func() {
			cancel()
			if status := <-ended; status != statusFine {
				t.Errorf("the arena ended with status %d: %s", status, faults.String())
			}
		})
		t.Cleanup(stop)
		address = awaitAddress(t, `(http://\S+)`, &out, &faults)
		listen = strings.Trim(strings.TrimPrefix(address, "http://"), "/")
		return address, stop
	}
	address, stop := start()
	other := tab(t, ctx)
	do(t, ctx, chromedp.Navigate(address+"#/game/ticTacToe"), chromedp.WaitVisible("#play"), chromedp.SetValue("#seat-1", "open"), chromedp.Click("#play"), chromedp.WaitVisible(".can"))
	do(t, other, chromedp.Navigate(value[string](t, ctx, "location.href")), chromedp.WaitVisible(".sit"), chromedp.Click(".sit"), saying(".seat.me", "you"))
	spots := []string{"0-0-0", "0-1-0", "0-1-1", "0-2-0"}
	for turn, spot := range spots {
		who := []context.Context{ctx, other}[turn%2]
		do(t, who, saying("#state", fmt.Sprintf("Turn %d", turn+1)), clickCell(spot))
		do(t, who, saying("#state", fmt.Sprintf("Turn %d", turn+2)))
		stop()
		do(t, ctx, chromedp.WaitVisible("#away"))
		if turn == 0 {
			within, cancel := context.WithTimeout(other, patience)
			if err := chromedp.Do(within, chromedp.WaitVisible("#away"), clickCell("0-1-0"), saying(".failure", "nothing was sent")); err != nil {
				t.Error(err)
			}
			cancel()
		}
		_, stop = start()
		for _, who := range []context.Context{ctx, other} {
			do(t, who, until(`document.getElementById("away").hidden`), saying("#state", fmt.Sprintf("Turn %d", turn+2)), until(`!document.querySelector(".failure")`))
		}
	}
	do(t, ctx, clickCell("0-2-2"), saying(".result", "You won"))
	do(t, other, saying(".result", "X won"))
}

// noticeFirstBoard records the time of the first board, and the bytes loaded until then.
const noticeFirstBoard = `new MutationObserver((_, observer) => {
	if (!document.querySelector(".card .boards svg")) return;
	observer.disconnect();
	const loaded = performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"));
	const bytes = (list) => list.reduce((n, e) => n + e.transferSize, 0);
	window.firstBoard = {
		milliseconds: performance.now(), requests: loaded.length, all: bytes(loaded), page: bytes(loaded.filter((e) => !e.name.includes("/api/"))),
	};
}).observe(document, { childList: true, subtree: true })`

// The first board is soon there because few requests precede it: the page, the list of games, and the positions of the
// first games.
func thePageIsSmallAndSoonThere(t *testing.T, address string, ctx context.Context) {
	notice := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: noticeFirstBoard})
		return err
	})
	do(t, ctx, notice, chromedp.Navigate(address), until("window.firstBoard"))
	first := value[struct{ Milliseconds, Requests, All, Page float64 }](t, ctx, "window.firstBoard")
	t.Logf("the first board after %.0f ms, %.0f requests and %.0f kB, %.0f of them the page", first.Milliseconds, first.Requests, first.All/1000, first.Page/1000)
	const files, games, positions = 4, 1, 6 // HTML, styles, script and icon; the list; boards
	if most := float64(files + games + positions); first.Requests > most {
		t.Errorf("%.0f requests before the first board, expected at most %.0f", first.Requests, most)
	}
	if first.Page == 0 || first.Page > 150_000 || first.All > 200_000 {
		t.Errorf("the page takes %.0f bytes, expected at most 150 000; with what it shows %.0f, expected at most 200 000", first.Page, first.All)
	}
}

// A click on the first page, and one has moved against the player; another, and two players play.
func theFirstPageLeadsIntoAMatch(t *testing.T, address string, ctx context.Context) {
	const card = `.invitation[data-game="connectFour"] `
	do(t, ctx, chromedp.Navigate(address), chromedp.WaitVisible(card+".boards svg"))
	if n := value[float64](t, ctx, `document.querySelectorAll(".invitation").length`); n != 6 {
		t.Errorf("%v games to begin with, want 6", n)
	}
	if n := value[float64](t, ctx, `document.querySelectorAll("section[aria-label] h3").length`); n < 3 {
		t.Errorf("the games are in %v groups", n)
	}
	do(t, ctx, chromedp.Click(card+".play"), saying(".bar", "Turn 1"), saying(".seat:not(.to-move)", "waits"), chromedp.Click(`.can[data-spot="0-3-0"]`), saying(".bar", "Turn 2"))
	do(t, ctx, chromedp.Navigate(address+"#/games"), chromedp.Click(card+".watch"), chromedp.WaitVisible(".controls"))
	do(t, ctx, chromedp.Navigate(address+"#/games"), chromedp.Click(card+"a.button"), saying("h1", "Connect Four"))
}

func ticTacToeIsPlayedByClicks(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/ticTacToe"), chromedp.WaitVisible("#play"),
		chromedp.SetValue("#seat-1", "person"), chromedp.Click("#play"))
	// x takes the diagonal, o a row.
	for turn, spot := range []string{"0-0-0", "0-1-0", "0-1-1", "0-2-0"} {
		do(t, ctx, saying(".bar", fmt.Sprintf("Turn %d", turn+1)), saying(".seat:not(.to-move)", "waits"), chromedp.Click(`.can[data-spot="`+spot+`"]`))
	}
	// The last move is made by keys: from a cell beside it.
	do(t, ctx, saying(".bar", "Turn 5"), chromedp.Focus(`.can[data-spot="0-1-2"]`), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	do(t, ctx, saying(".bar", "The game is over"), saying(".seat", "100 points"))
	// A move is taken back, and the match goes on from there.
	do(t, ctx, chromedp.Click(".undo"), saying(".bar", "Turn 5"), chromedp.WaitVisible(`.can[data-spot="0-0-2"]`))
	do(t, ctx, chromedp.Click(".ask"), saying(".hint", "wins, proved"))
}

// A card is played, a tile is slid, and a gesture is chosen by a click on the picture.
func cardsAndDirectionsAreChosenByClicks(t *testing.T, address string, ctx context.Context) {
	open := func(game string, actions ...action) {
		t.Helper()
		do(t, ctx, chromedp.Navigate(address+"#/game/"+game), chromedp.WaitVisible("#play"))
		do(t, ctx, append(actions, chromedp.Click("#play"), saying("#state", "Turn 1"), chromedp.WaitVisible(".can"))...)
	}
	pick := func(id, option string) []action {
		change := fmt.Sprintf(`document.getElementById(%q).dispatchEvent(new Event("change"))`, id)
		return []action{chromedp.SetValue("#"+id, option), chromedp.Evaluate[chromedp.Void](change)}
	}
	open("goofspiel-3", append(pick("pace", "1"), chromedp.SetValue("#seat-1", "greedy"))...)
	do(t, ctx, saying("h1", "Goofspiel"), saying(".you", "You are red"), saying(".seat", "Stackmate, Novice"))
	if n := value[float64](t, ctx, `document.querySelectorAll("[data-spot].can").length`); n != 3 {
		t.Errorf("%v cards can be played, want the three of one's own", n)
	}
	do(t, ctx, saying(".status", "Your move: choose a marked card. All players choose at the same time."), saying("svg", "3 at stake"))
	do(t, ctx, until(`/^(3:00|2:5\d)$/.test(document.querySelector(".seat.me .clock").textContent)`))
	const holders = `[...document.querySelectorAll("[data-holder]")].sort((a, b) => a.getAttribute("y") - b.getAttribute("y")).map(e => e.textContent).join()`
	if got := value[string](t, ctx, holders); got != "blue,you" {
		t.Errorf("the rows of cards are %s, want one's own below", got)
	}
	do(t, ctx, clickCell("1-1-0"), saying("#state", "Turn 2"), saying(".last", "play 2"))
	do(t, ctx, append(pick("strength", "random"), saying(".seat", "Stackmate, Beginner"))...)
	open("tron", chromedp.SetValue("#seat-1", "random"))
	do(t, ctx, saying(".status", "choose a marked cell"), press(kb.ArrowUp), saying("#state", "Turn 2"), saying(".last", "red north"))
	open("breakthrough", chromedp.SetValue("#seat-1", "random"))
	do(t, ctx, saying(".status", "choose a piece, then its target"), chromedp.Evaluate[chromedp.Void](`document.querySelector(".move").click()`),
		saying(".course-list button", "1…"))
	// Black takes a pawn at once.
	const taken = `fetch("api/tables", {method: "POST", body: JSON.stringify({game: "breakthrough-4x5", clock: 1, seats: ["open", "open"],
		moves: [["(move 1 2 1 3)", "noop"], ["noop", "(move 2 4 1 3)"]]})}).then(r => r.json()).then(t => { location.hash = "#/play/" + t.table; })`
	do(t, ctx, chromedp.Evaluate[chromedp.Void](taken), until(`document.querySelectorAll(".captured svg[aria-label=white]").length === 1`))
	open("slidingPuzzle-2x2-3", chromedp.Evaluate[chromedp.Void](`glides = []; Element.prototype.animate = (way) => { glides.push(way[0].translate ?? ""); return {}; }`))
	before := value[string](t, ctx, `document.querySelector("[data-spot].can").getAttribute("aria-label")`)
	do(t, ctx, clickCell(value[string](t, ctx, `document.querySelector("[data-spot].can").dataset.spot`)), saying("#state", "Turn 2"))
	if !strings.Contains(before, "possible") || strings.Contains(before, "empty") {
		t.Errorf("a tile is slid, found %q", before)
	}
	do(t, ctx, until(`glides.includes("0px 40px") || glides.includes("40px 0px") || glides.includes("0px -40px") || glides.includes("-40px 0px")`))
	open("rockPaperScissors", chromedp.SetValue("#seat-1", "random"))
	do(t, ctx, clickCell("0-1-0"), saying("#state", "The game is over"))
}

func choicesAtOnceStaySecretUntilBothHaveChosen(t *testing.T, address string, ctx context.Context) {
	first := ctx
	do(t, first, chromedp.Navigate(address+"#/game/rockPaperScissors"), chromedp.WaitVisible("#play"),
		chromedp.SetValue("#seat-1", "open"), chromedp.Click("#play"),
		chromedp.WaitVisible(".move"))
	table := value[string](t, first, "location.href")
	second := tab(t, first)
	do(t, first, saying(".seat", "this seat is free"), saying(".invite", "Invite: copy link"))
	if link := value[string](t, first, `navigator.clipboard.writeText = async (text) => { window.copied = text; }, document.querySelector(".invite").click(), window.copied`); link != table {
		t.Errorf("a friend is sent %s, not %s", link, table)
	}
	do(t, second, chromedp.Navigate(table), chromedp.Click(".sit"), chromedp.WaitVisible(".move"))
	do(t, first, chooseMove("Rock"), saying("p", "it stays secret"))
	do(t, second, saying(".seat", "has chosen"))
	seen := value[string](t, second, `document.querySelector("main").textContent`)
	if strings.Contains(seen, "Last") || strings.Contains(seen, "is chosen") {
		t.Errorf("the second window knows too much: %s", seen)
	}
	do(t, second, chooseMove("Paper"), saying(".last", "Rock"), saying(".bar", "over"))
	do(t, first, saying(".last", "Paper"), saying(".bar", "over"))
}

func aMatchIsWatchedLiveAndAsARecord(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/connectFour-4x4"), chromedp.WaitVisible("#watch"),
		chromedp.SetValue("#seat-0", "random"), chromedp.SetValue("#seat-1", "random"), letThemPlay(), chromedp.WaitVisible(".controls"))
	do(t, ctx, until(`/^\d+ \/ (\d+)$/.test(document.querySelector(".turn")?.textContent ?? "")`))
	// Step through, by keys; each turn has an address of its own.
	do(t, ctx, chromedp.KeyEvent(kb.Home), chromedp.WaitReady(`section[data-turn="0"] svg`))
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.WaitReady(`section[data-turn="1"] svg`))
	place := value[string](t, ctx, "location.href")
	if !strings.HasSuffix(place, "/1") {
		t.Errorf("the first turn is at %s", place)
	}
	again := tab(t, ctx)
	do(t, again, chromedp.Navigate(place), chromedp.WaitReady(`section[data-turn="1"] svg`))
	if pieces := value[int](t, again, `document.querySelectorAll(".boards .piece").length`); pieces != 1 {
		t.Errorf("%d pieces after the first turn", pieces)
	}
	do(t, again, chromedp.Navigate(address+"#/standings"), saying(".standings", "random"))
}

func aLiveMatchArrivesTurnByTurn(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/breakthrough-6x6"), chromedp.WaitVisible("#watch"),
		chromedp.SetValue("#seat-0", "mcts"), chromedp.SetValue("#seat-1", "mcts"),
		chromedp.SetValue("#clock", "0.4"), letThemPlay())
	do(t, ctx, until(`/^([2-9]|[1-9]\d) \/ \1 live$/.test(document.querySelector(".turn")?.textContent ?? "")`), chromedp.WaitVisible(".why"), chromedp.WaitVisible(".graph"))
}

func everyCellOfATournamentLeadsToItsMatches(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/standings"), saying("#progress", "of 12 matches"), saying("#test", "after 6 pairs"), until(`document.querySelector(".plot").naturalWidth > 0`))
	for _, cell := range []string{".standings td a", ".cross td a"} {
		do(t, ctx, chromedp.Evaluate[chromedp.Void](`location.hash = "#/standings"`), chromedp.WaitVisible(cell))
		shown := value[string](t, ctx, fmt.Sprintf(`document.querySelector(%q).textContent`, cell))
		_, count, inPairs := strings.Cut(shown, " / ")
		if !inPairs {
			count = shown
		}
		do(t, ctx, chromedp.Click(cell), until(fmt.Sprintf(`document.querySelectorAll(".list tbody tr").length === %s && location.hash.startsWith("#/watch")`, count)))
	}
}

func aPlayerElsewhereIsPlayedAgainstTheClock(t *testing.T, address string, ctx context.Context, url string, played <-chan string) {
	do(t, ctx, chromedp.Navigate(address+"#/game/rockPaperScissors"), chromedp.WaitVisible("#play"),
		chromedp.SetValue("#seat-1", ""), chromedp.Evaluate[chromedp.Void](`document.querySelector("#seat-1").dispatchEvent(new Event("change"))`),
		chromedp.WaitVisible("#other-1"), chromedp.SetValue("#other-1", url), chromedp.SetValue("#limit", "5"), chromedp.Click("#play"))
	// A player out of time gets a random move.
	do(t, ctx, until(`/^[0-9.]+ s$/.test(document.querySelector(".clock")?.textContent)`), saying(".seat", url))
	var move string
	select {
	case move = <-played:
	case <-ctx.Done():
		t.Fatal("the player elsewhere is not asked for a move")
	}
	do(t, ctx, saying(".last", strings.ToUpper(move[:1])+move[1:]), saying(".bar", "over"), saying("p", "row had no move in time"))
}

// firstMove is a player that always makes the first move that it finds.
type firstMove struct {
	match  protocol.Match
	played chan<- string
}

func (p *firstMove) Start(_ context.Context, m protocol.Match) error { p.match = m; return nil }
func (p *firstMove) Stop([][]gdl.Term)                               {}
func (p *firstMove) Abort()                                          {}

func (p *firstMove) Play(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
	prover := prover.New(p.match.Game)
	facts, err := prover.Initial(ctx)
	if err != nil {
		return gdl.Term{}, err
	}
	legal, err := prover.Legal(ctx, facts, p.match.Role, 1)
	if err != nil {
		return gdl.Term{}, err
	}
	p.played <- legal[0]
	return gdl.ParseTerm(legal[0])
}

func aSimultaneousGameIsAnalysedDownToItsMatrix(t *testing.T, address string, ctx context.Context) {
	// On a busy machine, too, all cells of the matrix are exact in time. Texts of moves that come late leave the last report.
	const late = `{ const ask = window.fetch; window.fetch = async (path, init) => {
		if (path === "api/moves") await new Promise((done) => setTimeout(done, 4000));
		return ask(path, init);
	} }`
	do(t, ctx, chromedp.Navigate(address+"#/analyse/biddingTicTacToe-3"), chromedp.WaitReady("#search"), chromedp.Evaluate[chromedp.Void](late),
		chromedp.SetValue("#seconds", "120"), chromedp.Click("#search"), saying(".report", "mark 1,1"),
		chromedp.WaitReady(".report.done #matrix"), saying(".interval", "50 points, proved"))
	if top := value[float64](t, ctx, `document.querySelector(".report").getBoundingClientRect().top`); top > 450 {
		t.Errorf("the analysis begins %v points below the top of the page, which has 900", top)
	}
	rows := value[int](t, ctx, `document.querySelectorAll("#matrix tbody th[scope=row]").length`)
	columns := value[int](t, ctx, `document.querySelectorAll("#matrix thead th[scope=col]").length`)
	text := value[string](t, ctx, `document.querySelector("#matrix").textContent`)
	if rows < 4 || columns < 4 || !strings.Contains(text, "%") || strings.Contains(text, "?") {
		t.Errorf("a matrix of %d rows and %d columns: %s", rows, columns, text)
	}
}

func aFaultyRulesheetIsExplained(t *testing.T, address string, ctx context.Context) {
	rules := filepath.Join(t.TempDir(), "faulty.kif")
	must.OK(t, os.WriteFile(rules, []byte("(role robot)\n(<= (next (at ?y)) (does robot (go ?x)))\n<script>alert(1)</script>\n"), 0o600))
	do(t, ctx, chromedp.Navigate(address), chromedp.WaitReady("#upload"),
		chromedp.SetUploadFiles("#upload", []string{rules}),
		saying("h2", "Not valid: 4 errors"), saying(".findings", "E019"), saying(".findings pre", "(at ?y)"))
}

// A browser has six connections; more windows than that follow a table all the same.
func manyWindowsFollowOneTable(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/ticTacToe"), chromedp.WaitVisible("#play"), chromedp.SetValue("#seat-1", "person"), chromedp.Click("#play"), chromedp.WaitVisible(".can"))
	table := value[string](t, ctx, "location.href")
	var windows []context.Context
	for range 6 {
		w := tab(t, ctx)
		do(t, w, chromedp.Navigate(table), saying("#state", "Turn 1"))
		windows = append(windows, w)
	}
	do(t, ctx, chromedp.Click(`.can[data-spot="0-1-1"]`))
	for _, w := range windows {
		do(t, w, saying("#state", "Turn 2"), saying(".course-list", "2,2"))
	}
}

// Analyses queue, and the page says so.
func aBusyServerIsNamed(t *testing.T, address string, ctx context.Context) {
	for range 2 {
		busy, _, err := websocket.Dial(t.Context(), address+"api/analyse?game=chess&seconds=600", nil)
		must.OK(t, err)
		defer busy.CloseNow()
		busy.SetReadLimit(-1)
		_, _, err = busy.Read(t.Context()) // it has begun
		must.OK(t, err)
		go func() {
			for err == nil {
				_, _, err = busy.Read(t.Context())
			}
		}()
	}
	do(t, ctx, chromedp.Navigate(address+"#/analyse/ticTacToe"), saying("#analysis", "in the queue"))
	// Streams of other pages work all the same.
	do(t, ctx, chromedp.Navigate(address+"#/standings"), saying("#progress", "of 12 matches"))
}

// Browsers let any page open a WebSocket anywhere: the arena refuses the page of another port, and answers its own.
func anotherPageOpensNoStream(t *testing.T, address string, ctx context.Context) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	for page, want := range map[string]string{address: "open", other.URL: "refused"} {
		do(t, ctx, chromedp.Navigate(page))
		value[bool](t, ctx, fmt.Sprintf(`{ const socket = new WebSocket("%sapi/standings");
			socket.onopen = () => { document.title = "open"; }; socket.onerror = () => { document.title = "refused"; }; true }`,
			strings.Replace(address, "http", "ws", 1)))
		do(t, ctx, until(`document.title === "`+want+`"`))
	}
}

// press sends keys to wherever the focus is.
func press(keys ...string) action {
	return chromedp.KeyEvent(strings.Join(keys, ""))
}

// Only keys, from the first page to the end of a match; the live region reports events.
func aGameIsPlayedByKeyboard(t *testing.T, address string, ctx context.Context) {
	tabTo := func(what string) action {
		return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			for range 300 {
				at, err := chromedp.Evaluate[bool](fmt.Sprintf(`!!document.activeElement?.matches(%q)`, what))(ctx, target)
				if at || err != nil {
					return chromedp.Void{}, err
				}
				if _, err := press(kb.Tab)(ctx, target); err != nil {
					return chromedp.Void{}, err
				}
			}
			return chromedp.Void{}, fmt.Errorf("Tab does not reach %s", what)
		}
	}
	do(t, ctx, chromedp.Navigate(address), chromedp.WaitVisible(`.card.game[data-game="ticTacToe"] svg`), tabTo(`a.card.game[data-game="ticTacToe"]`), press(kb.Enter))
	do(t, ctx, chromedp.WaitVisible("#play"), tabTo("#seat-1"), press("me"), until(`document.querySelector("#seat-1").value === "person"`), tabTo("#play"), press(kb.Enter))
	do(t, ctx, chromedp.WaitVisible(".can"), saying("#said", "Your move"), tabTo("[data-spot].can"))
	name := value[string](t, ctx, `document.activeElement.getAttribute("aria-label")`)
	if name != "1,1: empty, possible" {
		t.Errorf("the first cell is called %q", name)
	}
	// Row by row: x takes the middle column, o the left one; the focus stays on the cell of the last move.
	do(t, ctx, press(kb.ArrowRight, kb.Enter), saying("#said", "x played 2,1"), until(`document.activeElement.dataset.spot === "0-1-0"`))
	do(t, ctx, press(kb.ArrowLeft, kb.Enter), saying("#said", "o played 1,1"))
	do(t, ctx, press(kb.ArrowDown, kb.ArrowRight, " "), saying("#said", "x played 2,2"))
	do(t, ctx, press(kb.ArrowLeft, kb.Enter), saying("#said", "o played 1,2"))
	do(t, ctx, press(kb.ArrowDown, kb.ArrowRight, kb.Enter), saying("#said", "X won"))
	// The line that won is marked.
	do(t, ctx, until(`[...document.querySelectorAll(".deciding")].map(e => e.dataset.spot).sort().join() === "0-1-0,0-1-1,0-1-2"`))
	// Steps go back and forth.
	do(t, ctx, tabTo(`[data-focus="back"]`), press(kb.Enter), until(`document.querySelector(".turn").textContent === "4 / 5"`), until(`document.activeElement.dataset.focus === "back"`))
	do(t, ctx, press(kb.Home), until(`document.querySelectorAll(".boards .piece").length === 0`))
}

// A game is written, with a mistake that is shown in its place, and played.
func rulesAreWrittenAndPlayed(t *testing.T, address string, ctx context.Context) {
	typed := func(text, by string) action {
		return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const r = document.querySelector("#rules"); r.value = r.value.replace(%q, %q); r.dispatchEvent(new Event("input")); })()`, text, by))
	}
	do(t, ctx, chromedp.Navigate(address+"#/edit"), saying("#verdict", "Valid"), chromedp.WaitVisible("section .boards svg"), saying(".words-of-rules", "x begins"))
	do(t, ctx, typed("(distinct ?c ?d)", "(distinct ?c)"), saying("#verdict", "Not valid"), chromedp.WaitReady(".numbers .grave"), saying(".marks mark.grave", "distinct"))
	do(t, ctx, typed("(distinct ?c)", "(distinct ?c ?d)"), saying("#verdict", "Valid"))
	do(t, ctx, typed("(<= (goal ?p 100)", "(goal x 1000)\n(<= (goal ?p 100)"), saying("#verdict", "Not valid: 1 error; played all the same"), typed("(goal x 1000)\n", ""), saying("#verdict", "Valid"))
	do(t, ctx, chromedp.Click("#prove"), saying("#proofs", "proved"))
	do(t, ctx, chromedp.Click("#play-this"), saying("#state", "Turn 1"), chromedp.Click(`.can[data-spot="0-1-0"]`), saying(".result", "You won"))
}

// pieces waits for a board with n pieces.
func pieces(n int) action {
	return until(fmt.Sprintf(`document.querySelectorAll(".boards .piece").length === %d`, n))
}

func variationsAreTriedAndKept(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/analyse/ticTacToe"), chromedp.WaitVisible(".can"), chromedp.Click(`.can[data-spot="0-1-1"]`), saying("#ply", "move 1"), pieces(1), chromedp.WaitVisible(".can"), chromedp.Click(`.can[data-spot="0-0-0"]`), saying("#ply", "move 2"))
	do(t, ctx, chromedp.Click(`[data-focus="back"]`), saying("#ply", "move 1"), pieces(1), chromedp.WaitVisible(".can"), chromedp.Click(`.can[data-spot="0-1-0"]`), saying(".variation", "2. 2,1"))
	do(t, ctx, chromedp.SendKeys("#comment", "loses"), saying(".variation i", "loses"))
	do(t, ctx, saying(".interval", "x: 100 points, proved"))
	again := tab(t, ctx)
	do(t, again, chromedp.Navigate(address+"#/analyse/ticTacToe"), saying(".variation i", "loses"))
}

func aSizeIsChosen(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/connectFour"), chromedp.WaitVisible("#resize"), chromedp.SetValue("#size-W", "5"), chromedp.SetValue("#size-H", "4"), chromedp.Click("#resize"),
		saying("h1", "Connect Four, 5x4"), until(`document.querySelectorAll("section .boards .cell").length === 20`))
}

// x leaves the row of o open: the exact search finds the mistake.
func mistakesOfARecordAreFound(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.Navigate(address+"#/game/ticTacToe"), chromedp.WaitVisible("#play"), chromedp.SetValue("#seat-1", "person"), chromedp.Click("#play"))
	for turn, spot := range []string{"0-0-0", "0-1-1", "0-1-0", "0-0-2", "0-2-2", "0-2-0"} {
		do(t, ctx, saying("#state", fmt.Sprintf("Turn %d", turn+1)), chromedp.Click(`.can[data-spot="`+spot+`"]`))
	}
	do(t, ctx, saying(".result", "O won"))
	table := value[string](t, ctx, `location.hash.split("/").pop()`)
	do(t, ctx, chromedp.Navigate(address+"#/watch"), until(fmt.Sprintf(`[...document.querySelectorAll(".list a")].some(a => a.hash.includes(%q) && (a.click(), true))`, table)),
		chromedp.WaitVisible("#review"), chromedp.Click("#review"), saying("#reviewing", "Done: 6 of 6"))
	do(t, ctx, saying(".course-list button", "5. 3,3 ??"))
}

func aRoleMayBeCalledAsAnythingOfTheBrowser(t *testing.T, address string, ctx context.Context) {
	const rules = `(role constructor) (role b) (init (step 1)) (<= (legal ?r a) (role ?r)) (<= (legal ?r c) (role ?r)) (succ 1 2) (succ 2 3)
		(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 3))) (<= (goal ?r 50) (role ?r))`
	do(t, ctx, chromedp.Navigate(address+"#/games"), chromedp.WaitReady("main h1"), chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`fetch("api/rules", { method: "POST", body: %q }).then((r) => r.json()).then((g) => { location.hash = "#/game/" + g.game; })`, rules)))
	do(t, ctx, chromedp.WaitVisible("#play"), chromedp.SetValue("#seat-0", "open"), chromedp.SetValue("#seat-1", "person"), chromedp.Click("#play"))
	do(t, ctx, saying(".you", "You are b"), chromedp.Click(".sit"), saying(".you", "You are constructor and b"))
}

func noMoveBeforeAResignationIsAMistake(t *testing.T, address string, ctx context.Context) {
	const resigned = `{"match":"resigned","game":"ticTacToe","roles":["x","o"],"players":["a","b"],"moves":[["(mark 2 2)","noop"],["noop","(mark 3 3)"]],"goals":[100,0],"turns":2,"completed":true,"forfeit":true}`
	do(t, ctx, chromedp.Navigate(address+"#/watch"), chromedp.WaitVisible("#opener summary"), chromedp.Click("#opener summary"), chromedp.WaitVisible("#record"), chromedp.SetValue("#record", resigned), chromedp.Click("#open-record"))
	do(t, ctx, chromedp.WaitVisible("#review"), chromedp.Click("#review"), saying("#reviewing", "Done: 2 of 2"))
	do(t, ctx, saying("#reviewing", "2 solved, 0 mistakes"))
}

func aRecordOfAnArchiveIsSteppedThrough(t *testing.T, address string, ctx context.Context) {
	const archived = `{"matchId":"base.ticTacToe.1325000000000","startTime":1325000000000,"gameMetaURL":"http://games.ggp.org/base/games/ticTacToe/","isCompleted":true,"moves":[["( mark 1 1 )","noop"],["noop","( mark 1 2 )"],["( mark 2 2 )","noop"],["noop","( mark 1 3 )"],["( mark 3 3 )","noop"]],"goalValues":[100,0],"playerNamesFromHost":["alice","bob"],"startClock":30,"playClock":15}`
	do(t, ctx, chromedp.Navigate(address+"#/watch"), chromedp.WaitVisible("#opener summary"), chromedp.Click("#opener summary"), chromedp.WaitVisible("#record"), chromedp.SetValue("#record", archived), chromedp.Click("#open-record"))
	do(t, ctx, saying("td", "alice"), chromedp.WaitReady(`section[data-turn="0"] svg`))
	for turn, pieces := range []int{1, 2, 3, 4, 5} {
		do(t, ctx, chromedp.Click(`[data-focus="forward"]`), until(fmt.Sprintf(`document.querySelector("section[data-turn]").dataset.turn === "%d" && document.querySelectorAll("section .boards .piece").length === %d`, turn+1, pieces)))
	}
	do(t, ctx, saying(".result", "X won"), until(`document.querySelectorAll(".deciding").length === 3`))
}

func thePageIsReadOnAPhone(t *testing.T, address string, ctx context.Context) {
	do(t, ctx, chromedp.EmulateViewport(375, 740, chromedp.EmulateMobile))
	for page, there := range map[string]string{
		"#/games": ".invitation .boards svg", "#/game/breakthrough": "section .boards svg", "#/watch": ".list a", "#/standings": ".standings", "#/analyse/ticTacToe": ".report.done", "#/edit": "section .boards svg",
	} {
		do(t, ctx, chromedp.Navigate(address+page), chromedp.WaitReady(there))
		if width := value[float64](t, ctx, `document.documentElement.scrollWidth`); width > 375 {
			t.Errorf("%s: the page is %v wide on a screen of 375: %s", page, width, value[string](t, ctx, tooWide))
		}
		if broken := value[string](t, ctx, brokenWords); broken != "" {
			t.Errorf("%s: tables break words inside: %s", page, broken)
		}
	}
}

// tooWide are elements that reach beyond a narrow screen.
const tooWide = `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > 375 && !e.parentElement.closest(".matrix"))
	.map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)).join("; ")`

// brokenWords are the words in tables that stand in two lines.
const brokenWords = `[...document.querySelectorAll("td, th")].flatMap((cell) => {
	const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
	while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/[\w+%.]+/g)) {
		const range = document.createRange();
		range.setStart(texts.currentNode, word.index);
		range.setEnd(texts.currentNode, word.index + word[0].length);
		if (word[0].length < 16 && new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) broken.push(word[0]);
	}
	return broken;
}).join(" ")`

// request sends a request with headers, and returns status and body.
func request(t *testing.T, method, url string, headers map[string]string) (int, http.Header, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}")))(t)
	for k, v := range headers {
		r.Header.Set(k, v)
		if k == "Host" {
			r.Host = v
		}
	}
	response := must.Get(http.DefaultTransport.RoundTrip(r))(t)
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(body)
}

func TestThePageIsForThisMachine(t *testing.T) {
	address := openArena(t)
	for name, c := range map[string]struct {
		method, path string
		headers      map[string]string
		want         int
	}{
		"the page":                {"GET", "", nil, 200},
		"another name":            {"GET", "", map[string]string{"Host": "evil.example"}, 421},
		"another page":            {"POST", "api/tables", map[string]string{"Origin": "http://evil.example"}, 403},
		"another page, no origin": {"GET", "api/games", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a file of the machine":   {"GET", "api/game?game=/etc/passwd", nil, 404},
		"no such match":           {"GET", "api/matches/x/position?turn=0", nil, 404},
		"no handshake":            {"GET", "api/tables/x", nil, 426},
		"an illegal move":         {"GET", `api/position?game=ticTacToe&moves=[["x","y"]]`, nil, 400},
	} {
		status, header, body := request(t, c.method, address+c.path, c.headers)
		if status != c.want || header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: status %d, want %d: %s", name, status, c.want, body)
		}
	}
}

func TestTheArenaServesGameServersBesideThePage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out, faults lockedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"arena", "--listen", "127.0.0.1:0", "--player", "127.0.0.1:0"}, &out, &faults)
	}()
	address := awaitAddress(t, `reach the player at (\S+)`, &out)
	reply := must.Get(http.Post("http://"+address, "text/acl", strings.NewReader("( INFO )")))(t)
	text, err := io.ReadAll(reply.Body)
	if err != nil || !strings.Contains(string(text), "available") {
		t.Errorf("INFO is answered %q, %v", text, err)
	}
	// The address of the player is taken: the page is open all the same.
	second := make(chan int, 1)
	other, stop := context.WithCancel(t.Context())
	var page, fault lockedBuffer
	go func() {
		second <- Run(other, []string{"arena", "--listen", "127.0.0.1:0", "--player", address}, &page, &fault)
	}()
	awaitAddress(t, `(--player chooses another)`, &fault)
	awaitAddress(t, `(http://\S+)`, &page)
	stop()
	cancel()
	if a, b := <-ended, <-second; a != statusFine || b != statusFine {
		t.Errorf("status %d and %d", a, b)
	}
}

func TestASeatIsForNoAddressAndNoThousandThreads(t *testing.T) {
	url := openArena(t)
	asked := make(chan string, 1)
	open := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.String() }))
	defer open.Close()
	said := make(map[string]bool)
	for _, seat := range []string{"http://127.0.0.1:1", open.URL, "stackmate:threads=1024"} {
		body := strings.NewReader(`{"game":"ticTacToe","seats":["person",` + strconv.Quote(seat) + `]}`)
		reply := must.Get(http.Post(url+"api/tables", "application/json", body))(t)
		text, _ := io.ReadAll(reply.Body)
		if reply.StatusCode < 400 || !strings.Contains(string(text), "threads") && !strings.Contains(string(text), "--allow-players") {
			t.Errorf("%s: status %d, %s", seat, reply.StatusCode, text)
		}
		said[strings.ReplaceAll(string(text), seat, "SEAT")] = true
	}
	if len(asked) > 0 || len(said) != 2 {
		t.Errorf("a port is asked %d times, or closed ones and open ones are told apart: %v", len(asked), said)
	}
}

// Two arenas on one machine, each opened by a link of another site, do not know each other's cookies.
func TestLinksOfOtherSitesOpenThePagesOfStrangers(t *testing.T) {
	ctx := browser(t)
	var pages []string
	for range 2 {
		printed := must.Get(url.Parse(openArena(t, "--listen", "0.0.0.0:0")))(t)
		printed.Host = "127.0.0.1:" + printed.Port()
		link := `<a href="` + printed.String() + `">the arena</a>`
		do(t, ctx, chromedp.Navigate("data:text/html,"+url.PathEscape(link)), until(`document.querySelector("a")`))
		value[float64](t, ctx, `setTimeout(() => document.querySelector("a").click())`)
		do(t, ctx, chromedp.WaitVisible(".card .boards svg"))
		pages = append(pages, "http://"+printed.Host+"/")
	}
	for _, page := range pages {
		do(t, ctx, chromedp.Navigate(page), chromedp.WaitVisible(".card .boards svg"))
	}
}

func TestTheArenaOpensGamesOfGambit(t *testing.T) {
	path := file(t, "pd.nfg", "NFG 1 R \"dilemma\" { \"row\" \"column\" } { 2 2 }\n\n5 5 8 0 0 8 2 2\n")
	status, _, body := request(t, "GET", openArena(t, path)+"api/game?game=pd", nil)
	if status != 200 || !strings.Contains(body, `"row"`) || strings.Contains(body, `"grave":true`) {
		t.Errorf("status %d: %s", status, body)
	}
}
