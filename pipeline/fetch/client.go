package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxRedirects = 10
	// maxLimited bounds how often one request is told to wait.
	maxLimited = 20
	// maxAnswer bounds a listing page or an error body, in bytes.
	maxAnswer = 32 << 20
)

// client makes requests one hop at a time: it decides anew for every hop
// whether a credential may be sent, because Go's own client keeps it for
// subdomains and for other ports of the same host.
type client struct {
	http *http.Client
	opts Options

	mu sync.Mutex
	// until is when a class of requests may go on after the host said that
	// none are left.
	until map[string]time.Time
}

func newClient(opts Options) *client {
	c := &http.Client{}
	if opts.Client != nil {
		c.Transport = opts.Client.Transport
	}
	if c.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = opts.IdleTimeout
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{http: c, opts: opts, until: map[string]time.Time{}}
}

// request is one logical request.
type request struct {
	method string // GET if empty
	// url is where to go, canonical what errors and locks call it.
	url, canonical string
	// kind of the need it serves; class groups requests that share a limit.
	kind, class string
	// auth is the Authorization value and home the only origin to get it.
	auth, home string
	header     http.Header
	body       string
	// open gives the body, of so many bytes, instead of a text. It is called for each hop.
	open func() io.Reader
	size int64
	// signed: url was given for this download or upload and may expire.
	signed bool
	// write: it changes what a host holds, and an error repeats the host's words.
	write bool
}

// answer is the last response and the headers of the first, which describe
// the file before a redirect to a content host. moved tells that there was one.
type answer struct {
	*http.Response
	first http.Header
	moved bool
}

// refusedAddress reports whether a content host refuses the address that it was
// asked by: a signature has expired, and the address must be asked for anew.
func (a *answer) refusedAddress() bool {
	return a.moved && (a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden)
}

// follow sends the request and follows redirects. It does not retry.
func (c *client) follow(ctx context.Context, r request) (*answer, error) {
	at, err := url.Parse(r.url)
	if err != nil {
		return nil, broken(r, "not a URL")
	}
	var first http.Header
	for hops := range maxRedirects {
		resp, err := c.send(ctx, r, at)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = resp.Header
		}
		if !isRedirect(resp.StatusCode) {
			return &answer{Response: resp, first: first, moved: hops > 0 && origin(at) != originOf(r.url)}, nil
		}
		drain(resp)
		if method := resp.Request.Method; method != http.MethodGet && resp.StatusCode < 307 {
			return nil, broken(r, fmt.Sprintf("%s was redirected with status %d, which would make it a GET", method, resp.StatusCode))
		}
		next, err := at.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return nil, broken(r, "redirect without a usable Location")
		}
		if err := checkHop(at, next); err != nil {
			return nil, broken(r, err.Error())
		}
		if r.write && origin(next) != r.home {
			return nil, broken(r, fmt.Sprintf("redirect of what is written to another host (%s) refused", next.Host))
		}
		at = next
	}
	return nil, broken(r, fmt.Sprintf("more than %d redirects", maxRedirects))
}

// broken says for good that a host cannot be used for a request.
func broken(r request, why string) error {
	return backoff.Permanent(&HostError{fmt.Errorf("%s: %s", r.canonical, why)})
}

func (c *client) send(ctx context.Context, r request, at *url.URL) (*http.Response, error) {
	method := r.method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), strings.NewReader(r.body))
	if err != nil {
		return nil, backoff.Permanent(fmt.Errorf("%s: cannot form the request", r.canonical))
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	// Otherwise the transport would unpack gzip and sizes would not agree.
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "memforge")
	if r.auth != "" && origin(at) == r.home {
		req.Header.Set("Authorization", r.auth)
	}
	if err := c.await(ctx, hostClass(at)); err != nil {
		return nil, err
	}
	do := c.http.Do
	if r.open != nil {
		do = func(req *http.Request) (*http.Response, error) { return c.upload(req, r) }
	}
	resp, err := do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.canonical, withoutURL(err))
	}
	return resp, nil
}

// upload sends a request with a large body, and reads the answer, which is a small one.
// It ends when the host takes or gives no bytes for the idle time.
func (c *client) upload(req *http.Request, r request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	sent := req.WithContext(ctx)
	sent.Body, sent.ContentLength, sent.GetBody = io.NopCloser(c.watch(r.open(), cancel)), r.size, nil
	resp, err := c.http.Do(sent)
	if err == nil {
		var answered []byte
		answered, err = io.ReadAll(io.LimitReader(c.watch(resp.Body, cancel), maxAnswer))
		err = errors.Join(err, resp.Body.Close())
		resp.Body = io.NopCloser(bytes.NewReader(answered))
	}
	if err != nil && ctx.Err() != nil && req.Context().Err() == nil {
		err = fmt.Errorf("the host took no bytes for %s", c.opts.IdleTimeout)
	}
	return resp, err
}

// withoutURL drops the URL of a client error: it may be signed.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

func checkHop(from, to *url.URL) error {
	if to.Scheme != "http" && to.Scheme != "https" {
		return fmt.Errorf("redirect to scheme %q refused", to.Scheme)
	}
	if from.Scheme == "https" && to.Scheme == "http" {
		return fmt.Errorf("redirect from https to http at %s refused", to.Host)
	}
	if to.User != nil {
		return errors.New("redirect to a URL with credentials refused")
	}
	return nil
}

// origin is scheme, host and port, with the default port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return origin(u)
}

func drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // lets the connection be used again
	resp.Body.Close()
}

// attempt asks once, waiting for known limits first. A status other than 2xx
// is an error: permanent, limited or to be tried again.
func (c *client) attempt(ctx context.Context, r request) (*answer, error) {
	if err := c.await(ctx, r.class); err != nil {
		return nil, err
	}
	a, err := c.follow(ctx, r)
	if err != nil {
		return nil, err
	}
	c.noteLimits(r.class, a.first)
	if a.StatusCode >= 200 && a.StatusCode < 300 {
		return a, nil
	}
	a.moved = a.moved || r.signed
	defer drain(a.Response)
	if wait, limited := c.limited(a); limited {
		c.delayClass(hostClass(a.Request.URL), wait)
		return nil, &limitError{wait}
	}
	se := statusError(r, a)
	if a.refusedAddress() && !r.signed || a.StatusCode >= 500 || a.StatusCode == http.StatusRequestTimeout || a.StatusCode == http.StatusTooEarly {
		return nil, se
	}
	return nil, backoff.Permanent(se)
}

// retry runs try until it succeeds, fails for good or has failed too often.
// try reports whether it made progress, which gives it all its tries again.
func (c *client) retry(ctx context.Context, where string, try func() (progress bool, err error)) error {
	p := retryState{opts: c.opts, pause: backoff.NewExponentialBackOff()}
	for {
		progress, err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if progress {
			p.failed, p.limited = 0, 0
			p.pause.Reset()
		}
		wait, err := p.delay(where, err)
		if err != nil {
			return err
		}
		if err := c.opts.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// retryState counts failures. Being told to wait is not one.
type retryState struct {
	opts            Options
	pause           *backoff.ExponentialBackOff
	failed, limited int
}

// delay returns how long to wait after a failure, or the error to give up with.
func (p *retryState) delay(where string, err error) (time.Duration, error) {
	var forGood *backoff.PermanentError
	if errors.As(err, &forGood) {
		return 0, forGood.Unwrap()
	}
	var le *limitError
	if !errors.As(err, &le) {
		if p.failed++; p.failed >= p.opts.Tries {
			return 0, &HostError{fmt.Errorf("%w (after %d tries)", err, p.failed)}
		}
		return p.pause.NextBackOff(), nil
	}
	p.limited++
	wait := le.wait
	if wait == 0 {
		wait = p.pause.NextBackOff()
	}
	if wait > p.opts.MaxWait || p.limited > maxLimited {
		return 0, &RateLimitError{URL: where, Wait: wait}
	}
	return wait, nil
}

// text gets a small answer whole, with retries.
func (c *client) text(ctx context.Context, r request) ([]byte, http.Header, error) {
	body, header, err := c.head(ctx, r, maxAnswer)
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("%s: the answer exceeds %d bytes", r.canonical, maxAnswer)
	}
	return body, header, err
}

// json gets a small answer and decodes it.
func (c *client) json(ctx context.Context, r request, v any) error {
	body, _, err := c.text(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return notJSON(r, body, "JSON")
	}
	return nil
}

// watch ends a body that gives no bytes for the idle time.
func (c *client) watch(body io.Reader, cancel context.CancelFunc) io.Reader {
	return &watched{body: body, idle: c.opts.IdleTimeout, timer: time.AfterFunc(c.opts.IdleTimeout, cancel)}
}

type watched struct {
	body  io.Reader
	idle  time.Duration
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if err != nil {
		w.timer.Stop()
	} else {
		w.timer.Reset(w.idle)
	}
	return n, err
}

// limitError asks for a wait before the next attempt.
type limitError struct{ wait time.Duration }

func (e *limitError) Error() string { return fmt.Sprintf("rate limit: wait %s", e.wait) }

// limited tells whether an answer is about the rate and how long to wait.
func (c *client) limited(a *answer) (time.Duration, bool) {
	h := a.Header
	spent := h.Get("X-RateLimit-Remaining") == "0"
	switch {
	case a.StatusCode == http.StatusTooManyRequests:
	case a.StatusCode == http.StatusForbidden && (spent || h.Get("Retry-After") != ""):
	case a.StatusCode == http.StatusServiceUnavailable && h.Get("Retry-After") != "":
	default:
		return 0, false
	}
	if left, wait, ok := rateLimit(h.Get("RateLimit")); ok && left == 0 {
		return wait + time.Second, true
	}
	if wait, ok := c.retryAfter(h.Get("Retry-After")); ok {
		return wait, true
	}
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && spent {
		return max(0, time.Unix(at, 0).Sub(c.opts.Now())) + time.Second, true
	}
	return 0, true
}

// retryAfter reads seconds or an HTTP date.
func (c *client) retryAfter(v string) (time.Duration, bool) {
	if s, ok := seconds(v); ok {
		return s, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(c.opts.Now())), true
	}
	return 0, false
}

// seconds reads a whole number of seconds. What a duration cannot hold is
// cut to a day, which exceeds every patience.
func seconds(v string) (time.Duration, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return time.Duration(min(n, 86400)) * time.Second, true
}

// rateLimit reads the header `"resolvers";r=0;t=55`: r requests are left and
// the window ends in t seconds.
func rateLimit(v string) (left int64, wait time.Duration, ok bool) {
	var haveLeft, haveWait bool
	for part := range strings.SplitSeq(v, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "r":
			n, err := strconv.ParseInt(value, 10, 64)
			left, haveLeft = n, err == nil && n >= 0
		case "t":
			wait, haveWait = seconds(value)
		}
	}
	return left, wait, haveLeft && haveWait
}

// noteLimits remembers that a class of requests has none left.
func (c *client) noteLimits(class string, h http.Header) {
	if left, wait, ok := rateLimit(h.Get("RateLimit")); ok && left == 0 {
		c.delayClass(class, wait+time.Second)
	}
}

// delayClass keeps a class of requests back for a time. What one worker is told holds
// for all of them.
func (c *client) delayClass(class string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.opts.Now().Add(wait); until.After(c.until[class]) {
		c.until[class] = until
	}
}

// hostClass returns the class of all requests to one host.
func hostClass(u *url.URL) string { return "host " + origin(u) }

// await sleeps until a class of requests may go on.
func (c *client) await(ctx context.Context, class string) error {
	c.mu.Lock()
	wait := c.until[class].Sub(c.opts.Now())
	c.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	if wait > c.opts.MaxWait {
		return &limitError{wait}
	}
	return c.opts.Sleep(ctx, wait)
}
