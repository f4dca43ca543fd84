package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/must"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe reads the checker of accessibility, which `npm ci` brings to tools/page.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "tools", "page", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("STACKMATE_BROWSER_REQUIRED") != "" {
			t.Fatal("no axe-core: run npm ci in tools/page")
		}
		t.Skip("no axe-core: run npm ci in tools/page")
	}
	return string(text)
}

// TestThePageIsAccessible asks axe about every kind of page: nothing that it calls serious or critical is left.
func TestThePageIsAccessible(t *testing.T) {
	checker := axe(t)
	ctx := browser(t)
	records := t.TempDir()
	execute(t, "tournament", "ticTacToe", "--players", "legal,random", "--rounds", "2", "--sprt", "0,50", "--record", records).expect(t, statusFine)
	address := openArena(t, "--records", records)
	for _, c := range []struct {
		page    string
		actions []action
	}{
		{"games", []action{chromedp.Navigate(address), chromedp.WaitVisible(".card.game .boards svg")}},
		{"game", []action{chromedp.Navigate(address + "#/game/chess"), chromedp.WaitVisible("section .boards svg"), saying("p", "Engine")}},
		{"table", []action{chromedp.Click("#play"), chromedp.WaitVisible(".can"), chromedp.WaitVisible(".moves")}},
		{"tables", []action{chromedp.Navigate(address + "#/tables"), chromedp.WaitVisible(".list")}},
		{"cards", []action{chromedp.Navigate(address + "#/analyse/goofspiel-3"), chromedp.WaitReady(".report.done #matrix")}},
		{"analysis", []action{chromedp.Navigate(address + "#/analyse/ticTacToe"), chromedp.WaitReady(".report.done")}},
		{"analyses", []action{chromedp.Navigate(address + "#/analyse"), chromedp.WaitVisible(".card")}},
		{"editor", []action{chromedp.Navigate(address + "#/edit"), saying("#verdict", "Valid")}},
		{"matches", []action{chromedp.Navigate(address + "#/watch"), chromedp.WaitVisible(".list a")}},
		{"record", []action{chromedp.Click(".list tbody a"), chromedp.WaitVisible(".course-list button"), chromedp.WaitVisible("section .boards svg")}},
		{"tournament", []action{chromedp.Navigate(address + "#/standings"), chromedp.WaitVisible(".plot")}},
	} {
		do(t, ctx, c.actions...)
		for _, scheme := range []string{"light", "dark"} {
			do(t, ctx, colors(scheme))
			if found := violations(t, ctx, checker); found != "" {
				t.Errorf("%s, %s: %s", c.page, scheme, found)
			}
		}
	}
}

// violations returns the serious findings of axe in a page.
func violations(t *testing.T, ctx context.Context, checker string) string {
	t.Helper()
	do(t, ctx, chromedp.Evaluate[chromedp.Void](checker))
	const ask = `axe.run({resultTypes: ["violations"]}).then(r => r.passes.length < 5 ? "axe has checked nothing" : r.violations.filter(v => ["serious", "critical"].includes(v.impact))
		.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200)).join(" | ")).join("\n"))`
	found := must.Get(chromedp.Run(ctx, chromedp.Evaluate[string](ask, chromedp.EvalAwaitPromise)))(t)
	return strings.TrimSpace(found)
}

// colors switches to the light or the dark colours.
func colors(scheme string) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}
