package web

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// policy allows the files and requests of the page itself, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// cookie returns the name of the cookie that stores the token in a browser. Cookies ignore ports, so each arena of a machine needs a name
// of its own.
func (s *Server) cookie() string {
	_, port, _ := net.SplitHostPort(s.host)
	return "stackmate-token-" + port
}

// protect refuses requests that do not come from the page: with a host name that a stranger's DNS points to this
// machine, with the origin of another page, and, if there is a token, without it.
func (s *Server) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		switch {
		case s.Token == "" && !isLocal(r.Host, s.host):
			http.Error(w, "the page is at "+s.host, http.StatusMisdirectedRequest)
			return
		case !sameOrigin(r):
			http.Error(w, "requests of other pages are refused", http.StatusForbidden)
			return
		case s.Token != "" && !s.knows(w, r):
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether a request was sent to this machine by an address or a name that
// nobody else can give it.
func isLocal(host, listening string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") || host == listening {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback()
}

// sameOrigin reports whether a request comes from the page itself, or from a program that is no browser.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		// To open the page by a link somewhere is fine.
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/api/")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// knows reports whether a request has the token. A request with the token in the page's address is redirected to the page without it, with a
// cookie.
func (s *Server) knows(w http.ResponseWriter, r *http.Request) bool {
	isToken := func(text string) bool { return subtle.ConstantTimeCompare([]byte(text), []byte(s.Token)) == 1 }
	if c, err := r.Cookie(s.cookie()); err == nil && isToken(c.Value) {
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && isToken(bearer) {
		return true
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && isToken(r.URL.Query().Get("token")) {
		// After a link from another site, browsers send a lax cookie to the page, but no strict one. Requests by other sites are refused before
		// cookies are read.
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return false
	}
	http.Error(w, "the address of this page ends in ?token=…, as the program has printed it", http.StatusUnauthorized)
	return false
}
