package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/web"
)

const (
	token = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	host  = "127.0.0.1:8360"
)

func access(post bool) web.Access {
	return web.Access{Hosts: []string{host, "pages.example"}, Tokens: map[string]string{token: "ann", "OTHER": "ben"}, Cookie: "memforge-8360", Post: post}
}

// echo answers with the name of the person who asked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
	}
	fmt.Fprintf(w, "hello %s", web.UserOf(r.Context()))
})

func TestAccess(t *testing.T) {
	cookie := "memforge-8360=" + token
	for _, tc := range []struct {
		name, method, target string
		header               map[string]string
		post                 bool
		code                 int
		says                 string
	}{
		{"a cookie", "GET", "/", map[string]string{"Cookie": cookie}, false, 200, "hello ann"},
		{"another name", "GET", "/", map[string]string{"Cookie": cookie, "Host": "Pages.Example"}, false, 200, "hello ann"},
		{"a header of a script", "GET", "/", map[string]string{"Authorization": "Bearer OTHER"}, false, 200, "hello ben"},
		{"a page of its own", "GET", "/", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors"}, false, 200, "hello"},
		{"a link elsewhere", "GET", "/", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, false, 200, "hello"},
		{"a rebound name", "GET", "/", map[string]string{"Cookie": cookie, "Host": "evil.example:8360"}, false, 421, "another name"},
		{"a rebound name with the token", "GET", "/?token=" + token, map[string]string{"Host": "evil.example"}, false, 421, "another name"},
		{"no host", "GET", "/", map[string]string{"Cookie": cookie, "Host": ""}, false, 421, "another name"},
		{"no token", "GET", "/", nil, false, 401, "Open the link"},
		{"no token for a style sheet", "GET", "/assets/people.css", nil, false, 401, "Open the link"},
		{"a wrong token", "GET", "/", map[string]string{"Cookie": "memforge-8360=" + token[1:]}, false, 401, "Open the link"},
		{"the cookie of another server", "GET", "/", map[string]string{"Cookie": "memforge-9=" + token}, false, 401, "Open the link"},
		{"a wrong link", "GET", "/?token=x", map[string]string{"Cookie": cookie}, false, 401, "earlier start"},
		{"a picture in another page", "GET", "/", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, false, 403, "other origins"},
		{"a frame in another page", "GET", "/", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, false, 403, "other origins"},
		{"a form where none is", "POST", "/", map[string]string{"Cookie": cookie, "Origin": "http://" + host}, false, 405, "GET"},
		{"another method", "PUT", "/", map[string]string{"Cookie": cookie}, true, 405, "GET"},
		{"a form of its own", "POST", "/", map[string]string{"Cookie": cookie, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}, true, 200, "hello ann"},
		{"a form behind TLS", "POST", "/", map[string]string{"Cookie": cookie, "Host": "pages.example", "Origin": "https://pages.example"}, true, 200, "hello ann"},
		{"a form of another origin", "POST", "/", map[string]string{"Cookie": cookie, "Origin": "http://evil.example"}, true, 403, "form"},
		{"a form of another port", "POST", "/", map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, true, 403, "origins"},
		{"a form without origin", "POST", "/", map[string]string{"Cookie": cookie}, true, 403, "form"},
		{"a form of nowhere", "POST", "/", map[string]string{"Cookie": cookie, "Origin": "null"}, true, 403, "form"},
		{"a form without token", "POST", "/", map[string]string{"Origin": "http://" + host}, true, 401, "Open the link"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "http://"+host+tc.target, nil)
			for k, v := range tc.header {
				if k == "Host" {
					r.Host = v
				} else {
					r.Header.Set(k, v)
				}
			}
			w := httptest.NewRecorder()
			access(tc.post).Protect(echo).ServeHTTP(w, r)
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.says) {
				t.Errorf("%d %q, want %d and %q", w.Code, w.Body, tc.code, tc.says)
			}
			if strings.Contains(w.Body.String(), token) {
				t.Errorf("the answer holds the token: %q", w.Body)
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Error("an answer without nosniff")
			}
		})
	}
}

func TestLinkWithToken(t *testing.T) {
	for _, tc := range []struct{ target, site, to string }{
		{"/item/a%2Fb?q=x&token=" + token, "none", "/item/a%2Fb?q=x"},
		{"/?token=" + token, "", "/"},
		{"//evil.example/?token=" + token, "none", "/evil.example/"},
		{"/%5Cevil.example/?token=" + token, "none", "/%5Cevil.example/"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		path, query, _ := strings.Cut(tc.target, "?")
		r.URL.RawPath, r.URL.RawQuery = path, query
		r.URL.Path = strings.NewReplacer("%2F", "/", "%5C", `\`).Replace(path)
		r.Header.Set("Sec-Fetch-Site", tc.site)
		w := httptest.NewRecorder()
		access(false).Protect(echo).ServeHTTP(w, r)
		set := w.Header().Get("Set-Cookie")
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != tc.to {
			t.Errorf("%s leads to %d %q, want %q", tc.target, w.Code, w.Header().Get("Location"), tc.to)
		}
		if !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") || !strings.Contains(set, token) {
			t.Errorf("cookie %q", set)
		}
		if got := w.Header().Get("Referrer-Policy"); got != "no-referrer" {
			t.Errorf("referrer policy %q", got)
		}
	}
	// A browser withholds the new cookie from a redirect after a link in mail.
	r := httptest.NewRequest("GET", `/?q="><script>&token=`+token, nil)
	r.Host = host
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	w := httptest.NewRecorder()
	access(false).Protect(echo).ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `<a href="/?q=`) || strings.Contains(w.Body.String(), "<script>") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestLongBodyIsRefused(t *testing.T) {
	r := httptest.NewRequest("POST", "http://"+host+"/", strings.NewReader(strings.Repeat("x", 1<<20+1)))
	r.Header.Set("Cookie", "memforge-8360="+token)
	r.Header.Set("Origin", "http://"+host)
	w := httptest.NewRecorder()
	access(true).Protect(echo).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body above 1 MB: %d", w.Code)
	}
}

func TestListenBeyondThisMachineNeedsANameOfItsOwn(t *testing.T) {
	err := web.Service{Pages: echo, Listen: "0.0.0.0:0", Log: io.Discard}.Serve(t.Context(), func(string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "--host NAME") {
		t.Errorf("%v", err)
	}
}

// Requests that break every rule of HTTP end in an answer or a closed connection, and the
// server serves on.
func TestMalformedRequests(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	pages := site(t, hostile(t)).Handler()
	go func() {
		ended <- web.Service{Pages: pages, Tokens: map[string]string{token: ""}, Listen: "127.0.0.1:0", Log: io.Discard}.Serve(ctx, func(url string) error {
			address <- strings.TrimPrefix(url, "http://")
			return nil
		})
	}()
	at := <-address
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range testsize.Choose(1000, 3_000) {
		sendMalformed(t, at, malformed(rnd, at, i))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != http.StatusOK {
		t.Errorf("after malformed requests the list is %s", got.Status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// malformed returns a request that is damaged, or asks for what there is not.
func malformed(rnd *rand.Rand, at string, i int) []byte {
	targets := []string{"/", "/item/../../etc/passwd", "/media/%2e%2e%2f", "/item/%00", "/item/%", "//", "/table/questions?after=-9", "/session/%ff%fe", "/?after=x&limit=1e9", "/fact/" + strings.Repeat("x", 9000), "/?q=%22%22%22*", "/item/?id=%00&text=1", "*", "http://evil/", "/assets/..%2f..%2faccess.go", "/media/" + strings.Repeat("0", 64)}
	methods := []string{"GET", "HEAD", "POST", "OPTIONS", "CONNECT", "\x00", "G E T", strings.Repeat("A", 5000)}
	request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nRange: bytes=9-1,-,x\r\nIf-Range: \"\r\nConnection: close\r\n\r\n", methods[i%len(methods)], targets[rnd.IntN(len(targets))], at, token)
	data := []byte(request)
	if i%3 > 0 {
		for range 1 + rnd.IntN(8) {
			data[rnd.IntN(len(data))] = byte(rnd.IntN(256))
		}
	}
	if i%5 == 0 {
		data = data[:rnd.IntN(len(data))]
	}
	return data
}

func sendMalformed(t *testing.T, at string, data []byte) {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(data); err != nil {
		return // the server closed the connection at once
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		return
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err == nil && !strings.HasPrefix(line, "HTTP/1.1 ") {
		t.Fatalf("%q is answered with %q", data, line)
	}
}
