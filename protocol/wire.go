package protocol

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// CheckURL says what is wrong with the address of a player, if anything is: a player has a host
// and a port, and no path.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || address != "http://"+u.Host && address != "http://"+u.Host+"/" {
		return fmt.Errorf("expected a player's address such as http://localhost:9147, found %q", address)
	}
	return nil
}

// SafeID makes a match id a symbol on the wire and a name in a folder.
func SafeID(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("._-", c):
			return c
		}
		return '_'
	}, id)
}

// Sleep waits and tells whether ctx goes on.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
