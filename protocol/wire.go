package protocol

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// CheckURL returns an error unless address is the URL of a player: http, a host with an optional port, and no path.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || address != "http://"+u.Host && address != "http://"+u.Host+"/" {
		return fmt.Errorf("expected a player's address such as http://localhost:9147, found %q", address)
	}
	return nil
}

// SafeID replaces the characters of a match id that cannot occur in a symbol or a file name.
func SafeID(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("._-", c):
			return c
		}
		return '_'
	}, id)
}

// Sleep waits for d and reports whether ctx is still active.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
