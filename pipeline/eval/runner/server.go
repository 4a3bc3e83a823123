package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Server is a system that is sent each request as the body of a POST to url, and
// replies in the body of the response.
func Server(url string, limit time.Duration) System {
	return newRemote(func(context.Context) (transport, error) { return &server{url: url, client: &http.Client{}}, nil }, limit)
}

type server struct {
	url    string
	client *http.Client
}

// roundTrip implements link.
func (s *server) roundTrip(ctx context.Context, line []byte) (body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxLine+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxLine:
		return nil, errTooLong
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, shorten(string(body)))
	}
	return body, nil
}

// close implements link. The server goes on: it is not ours.
func (s *server) close() error {
	s.client.CloseIdleConnections()
	return nil
}
