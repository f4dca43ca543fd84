package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"stackmate/internal/must"

	"github.com/chromedp/chromedp"
)

var (
	screenshots = flag.String("screenshots", "", "folder in which pictures of the page are written")
	phone       = flag.Bool("phone", false, "take them on a small screen")
	dark        = flag.Bool("dark", false, "take them in dark colours")
)

// TestScreenshots makes the pictures of the documents.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("pictures are made with -screenshots DIR")
	}
	ctx := browser(t)
	records := t.TempDir()
	execute(t, "tournament", "nim-3.4", "ticTacToe", "--players", "legal,random", "--rounds", "3", "--sprt", "0,50", "--record", records).expect(t, statusFine)
	address := openArena(t, "--records", records)
	shot := func(name string, actions ...action) {
		t.Helper()
		do(t, ctx, actions...)
		do(t, ctx, chromedp.Sleep(500_000_000))
		picture := must.Get(chromedp.Run(ctx, chromedp.CaptureScreenshot()))(t)
		must.OK(t, os.WriteFile(filepath.Join(*screenshots, name+".png"), picture, 0o600))
	}
	if *phone {
		do(t, ctx, chromedp.EmulateViewport(375, 740, chromedp.EmulateMobile))
	}
	if *dark {
		do(t, ctx, colors("dark"))
	}
	shot("games", chromedp.Navigate(address), chromedp.WaitVisible(".card .boards svg"))
	shot("game", chromedp.Navigate(address+"#/game/connectFour-9x7"), chromedp.WaitVisible(".boards svg"), saying("p", "Engine"))
	shot("play", chromedp.Navigate(address+"#/game/chess"), chromedp.WaitVisible("#play"), chromedp.SetValue("#seat-0", "stackmate"), chromedp.SetValue("#seat-1", "person"), chromedp.Click("#play"),
		saying("#state", "Turn 2"), chromedp.Click(`.can[data-spot="0-4-1"]`))
	shot("analyse", chromedp.Navigate(address+"#/analyse/biddingTicTacToe-3"), chromedp.WaitReady(".report.done #matrix"))
	shot("edit", chromedp.Navigate(address+"#/edit"), saying("#verdict", "Valid"))
	shot("tournament", chromedp.Navigate(address+"#/standings"), chromedp.WaitVisible(".plot"))
}
