package wire

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// checkedTransport reads whole answers, within bounds, and rejects broken ones that the
// library would accept.
type checkedTransport struct {
	next  http.RoundTripper
	limit int64
}

// RoundTrip sends a request.
func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := addTemperature(req); err != nil {
		return nil, err
	}
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, t.limit+1))
	closeErr := res.Body.Close()
	if err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, &FaultError{What: "the connection broke within the answer", Err: err}
	}
	if int64(len(body)) > t.limit {
		return nil, &FaultError{What: fmt.Sprintf("the answer exceeds %d bytes", t.limit)}
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		// The library takes a redirect for a success.
		res.StatusCode = http.StatusMisdirectedRequest
	}
	if res.StatusCode < 300 && req.Context().Value(uncheckedKey{}) == nil {
		if err := checkResponse(res, body); err != nil {
			return nil, err
		}
		if body, err = cleanAnswer(req.URL.Path, body); err != nil {
			return nil, err
		}
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

func checkResponse(res *http.Response, body []byte) error {
	// Servers that leave the type out or call JSON text exist; an HTML page is
	// what a proxy sends.
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch kind {
	case "", "application/json", "text/plain", "text/json":
	default:
		return &FaultError{What: fmt.Sprintf("the answer has the type %q instead of JSON: %s", kind, snippet(body))}
	}
	return checkBody(body)
}

// zeroTemperatureKey marks requests with temperature 0, which the library leaves out.
type zeroTemperatureKey struct{}

func addTemperature(req *http.Request) error {
	if req.Context().Value(zeroTemperatureKey{}) == nil || req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	if err := req.Body.Close(); err != nil {
		return err
	}
	body = withZeroTemperature(body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	return nil
}

func withZeroTemperature(body []byte) []byte {
	return append([]byte(`{"temperature":0,`), bytes.TrimPrefix(body, []byte("{"))...)
}
