package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// TestWhyABatchFails: a server that is away is unavailable, and the command is to be run
// again; one that has no use for the key says so itself.
func TestWhyABatchFails(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	denies := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"no such key","type":"invalid_request_error","code":"invalid_api_key"}}`))
	}))
	t.Cleanup(denies.Close)
	for url, away := range map[string]bool{closed.URL: true, denies.URL: false} {
		c := wire.New(wire.Options{Name: "m", Host: "h", BaseURL: url, Timeout: 10 * time.Second})
		_, polled := c.Poll(t.Context(), "b1")
		_, uploaded := c.Upload(t.Context(), "f.jsonl", []byte("{}\n"))
		for what, err := range map[string]error{"look at batch b1: ": polled, "upload f.jsonl: ": uploaded} {
			var server *model.ServerError
			if !errors.As(err, &server) || !strings.HasPrefix(err.Error(), what) || server.Model != "m" || server.Host != "h" {
				t.Errorf("%s%v, want an error of the server of m", what, err)
				continue
			}
			if (server.Reason == model.Unavailable) != away || (server.Advice == "run the command again") != away {
				t.Errorf("%s%+v, want that it is away: %t", what, server, away)
			}
		}
	}
}
