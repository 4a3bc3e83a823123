package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Access decides which requests reach the pages: their Host is one of the server's, they
// come from its own pages or from the address bar, and they carry a token.
type Access struct {
	// Hosts are the values of the Host header that are served, in lower case.
	Hosts []string
	// Tokens maps each token to the name of the person who has it.
	Tokens map[string]string
	// Cookie names the cookie that holds the token. Browsers share the cookies of all ports
	// of a host, so servers with one host need different names.
	Cookie string
	// Post allows POST, from own pages only.
	Post bool
}

// NewToken returns a token that cannot be guessed.
func NewToken() string { return rand.Text() }

// maxBody bounds the body of a POST.
const maxBody = 1 << 20

// policy lets pages load and send nothing but to their own server, and run no script but its
// files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Protect returns next behind the checks, in this order: host, headers of the answer, origin,
// method, token.
func (a Access) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(a.Hosts, strings.ToLower(r.Host)) {
			http.Error(w, "This server has another name. Open the link that memforge printed, or start memforge with --host NAME.", http.StatusMisdirectedRequest)
			return
		}
		setHeaders(w.Header())
		if a.Post {
			// Under no-referrer browsers send a form with the origin "null".
			w.Header().Set("Referrer-Policy", "same-origin")
		}
		if code, why := a.refusal(r); code != 0 {
			http.Error(w, why, code)
			return
		}
		if given := r.URL.Query().Get("token"); given != "" {
			a.signIn(w, r, given)
			return
		}
		name, ok := a.nameOf(r)
		if !ok {
			http.Error(w, "Open the link that memforge printed when it started: it holds the token of these pages. A link from an earlier start has an old token.", http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, name)))
	})
}

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
}

// refusal says why a request is refused before its token is looked at, or 0. Cookies are
// also sent for pages of other ports of the host, so other origins may only navigate here.
func (a Access) refusal(r *http.Request) (code int, why string) {
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site != "" && site != "none" && site != "same-origin" &&
		(r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"):
		return http.StatusForbidden, "Pages of other origins may not load from here."
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return 0, ""
	case r.Method != http.MethodPost || !a.Post:
		return http.StatusMethodNotAllowed, "These pages are read with GET."
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || origin.Host == "" || !strings.EqualFold(origin.Host, r.Host) || new(http.CrossOriginProtection).Check(r) != nil {
		return http.StatusForbidden, "A form may be sent from a page of this server only."
	}
	return 0, ""
}

// signIn puts a right token into the cookie and leads to the same page without it.
func (a Access) signIn(w http.ResponseWriter, r *http.Request, token string) {
	if _, ok := a.find(token); !ok || r.Method == http.MethodPost {
		http.Error(w, "This link has a token of an earlier start, or a part of one. Open the link that memforge printed last.", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: a.Cookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
	query := r.URL.Query()
	query.Del("token")
	// Without the trimming //elsewhere would be another host.
	to := "/" + strings.TrimLeft(r.URL.EscapedPath(), `/\`)
	if rest := query.Encode(); rest != "" {
		to += "?" + rest
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	// After a link in a page of another site, as of mail, browsers withhold the cookie from
	// a redirect, but not from a page that this one leads to.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="en"><title>memforge</title><meta http-equiv="refresh" content="0;url=%s"><a href="%[1]s">Go on</a>`, html.EscapeString(to))
}

// nameOf returns the name that belongs to the token of a request: of its cookie, or of an
// Authorization header, which scripts send.
func (a Access) nameOf(r *http.Request) (string, bool) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return a.find(token)
	}
	c, err := r.Cookie(a.Cookie)
	if err != nil {
		return "", false
	}
	return a.find(c.Value)
}

// find compares a token with all there are, in a time that does not depend on them.
func (a Access) find(token string) (name string, ok bool) {
	given := sha256.Sum256([]byte(token))
	for t, of := range a.Tokens {
		want := sha256.Sum256([]byte(t))
		if subtle.ConstantTimeCompare(given[:], want[:]) == 1 {
			name, ok = of, true
		}
	}
	return name, ok
}

type userKey struct{}

// UserOf returns the name of the person whose token a request had.
func UserOf(ctx context.Context) string {
	name, _ := ctx.Value(userKey{}).(string)
	return name
}
