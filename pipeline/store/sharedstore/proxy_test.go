//go:build clouds

package sharedstore

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// badProxy stands before a server of S3: of requests a share is answered with 500 or 503,
// and of answers to GET a share comes late, ends in the middle or has a wrong byte.
type badProxy struct {
	mu     sync.Mutex
	draw   *rand.Rand
	done   map[string]int
	inner  *httputil.ReverseProxy
	hushed bool
}

// next draws what happens to a request.
func (p *badProxy) next(method string) string {
	kinds := []string{"500", "503", "late", "cut", "wrong"}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.draw.IntN(14)
	if p.hushed || i >= len(kinds) || i > 1 && method != http.MethodGet {
		return ""
	}
	p.done[kinds[i]]++
	return kinds[i]
}

func (p *badProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := p.next(r.Method)
	switch kind {
	case "500", "503":
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		if kind == "500" {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "<Error><Code>InternalError</Code><Message>try again</Message></Error>")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code><Message>reduce your rate</Message></Error>")
		return
	case "late":
		time.Sleep(200 * time.Millisecond) // a slow server
	case "cut", "wrong":
		p.spoil(w, r, kind)
		return
	}
	p.inner.ServeHTTP(w, r)
}

// spoil gives half of a body, or one in which a bit is another.
func (p *badProxy) spoil(w http.ResponseWriter, r *http.Request, kind string) {
	got := httptest.NewRecorder()
	p.inner.ServeHTTP(got, r)
	body := bytes.Clone(got.Body.Bytes())
	for k, v := range got.Header() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(got.Code)
	if kind == "wrong" && len(body) > 0 {
		body[len(body)/2] ^= 1
	}
	if kind == "cut" {
		body = body[:len(body)/2] // the connection is closed, for the rest never comes
	}
	_, _ = w.Write(body)
}

// What is put and read through a bucket that fails in every way is as it was.
func TestBucketBehindABadProxy(t *testing.T) {
	g := storetest.StartGateway(t)
	at, err := url.Parse(g.URL(t))
	storetest.MustDo(t, err)
	q := at.Query()
	server, err := url.Parse(q.Get("endpoint"))
	storetest.MustDo(t, err)
	p := &badProxy{draw: rand.New(rand.NewPCG(1, 2)), done: map[string]int{}, inner: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = r.In.Host // which is signed
		},
	}}
	front := httptest.NewServer(p)
	defer front.Close()
	q.Set("endpoint", front.URL)
	at.RawQuery = q.Encode()
	p.hushed = true // the mark of the bucket is made in peace
	s := openAt(t, storetest.SharedURLIn(t, at.String()))
	p.mu.Lock()
	p.hushed = false
	p.mu.Unlock()
	const blobs = 60
	texts := map[pipeline.Digest]string{}
	for i := range blobs {
		text := strings.Repeat(strconv.Itoa(i)+" ", 1+i*50)
		texts[storetest.Put(t, s, text)] = text
	}
	for digest, text := range texts {
		forgetCopy(t, s, digest)
		if got, err := storetest.ReadBlob(s, digest); got != text || err != nil {
			t.Errorf("%d bytes read as %d, %v", len(text), len(got), err)
		}
	}
	missing, err := s.MissingBlobs(context.Background(), keysOf(texts))
	if err != nil || len(missing) > 0 {
		t.Errorf("%d blobs were taken for gone, %v", len(missing), err)
	}
	for _, kind := range []string{"500", "503", "late", "cut", "wrong"} {
		if p.done[kind] < 2 {
			t.Errorf("the proxy did %q %d times, too few to show anything", kind, p.done[kind])
		}
	}
}

func keysOf(texts map[pipeline.Digest]string) (all []pipeline.Digest) {
	for d := range texts {
		all = append(all, d)
	}
	return all
}
