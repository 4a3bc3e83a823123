package wire

import (
	"bytes"
	"errors"
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
	// query is Azure's of every address; key goes in Azure's header then, too.
	query, key string
}

// RoundTrip sends a request.
func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req, err := t.prepare(req)
	if err != nil {
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
		if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
			if body, err = joinPieces(body); err != nil {
				return nil, err
			}
			res.Header.Set("Content-Type", "application/json")
		}
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

// sentKey is of the request that is sent, with what the library does not write of it.
type sentKey struct{}

// prepare returns the request with what the library does not write, at the address and with
// the key that Azure wants.
func (t *checkedTransport) prepare(req *http.Request) (*http.Request, error) {
	req = req.Clone(req.Context())
	if t.query != "" {
		req.URL.RawQuery = t.query
		req.Header.Set("api-key", t.key)
	}
	sent, ok := req.Context().Value(sentKey{}).(*Encoded)
	if !ok || req.Body == nil {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	if err = errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	body = withFields(sent.fields, body)
	if sent.stream {
		body = bytes.Replace(body, []byte(`"stream":false`), []byte(`"stream":true,"stream_options":{"include_usage":true}`), 1)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	return req, nil
}

// withFields puts the fields of an object, or none, before those of another.
func withFields(fields, body []byte) []byte {
	if len(fields) == 0 {
		return body
	}
	out := append(bytes.Clone(bytes.TrimSuffix(fields, []byte("}"))), ',')
	return append(out, bytes.TrimPrefix(body, []byte("{"))...)
}
