//go:build temporal

package temporal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want address
	}{
		{"temporal://t.example:7000/films", address{"t.example:7000", "films", ""}},
		{"temporal://t.example", address{"t.example:7233", "default", ""}},
		{"temporal://[::1]:7000/a?tls=true", address{"[::1]:7000", "a", "true"}},
	} {
		if got, err := parse(tc.url); got != tc.want || err != nil {
			t.Errorf("%s: %+v, %v", tc.url, got, err)
		}
	}
	for _, url := range []string{
		"postgres://h/db", "temporal:///default", "temporal://me:hush@h/default", "temporal://hush@h/default", "temporal://h/default?api_key=hush",
		"temporal://h/default?tls=hush", "temporal://h/default#hush", "temporal://h/%zz?hush", "temporal://h/default?hush;",
	} {
		if p, err := parse(url); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %+v, %v", url, p, err)
		}
	}
}

func TestOptionsFromVariables(t *testing.T) {
	key := map[string]string{"TEMPORAL_API_KEY": "hush", "TEMPORAL_ADDRESS": "other:1", "TEMPORAL_NAMESPACE": "other"}
	for _, tc := range []struct {
		url       string
		variables map[string]string
		tls, ok   bool
	}{
		{"temporal://h/n", nil, false, true},
		{"temporal://h/n?tls=true", nil, true, true},
		{"temporal://h/n", map[string]string{"TEMPORAL_TLS": "true"}, true, true},
		{"temporal://h/n?tls=false", map[string]string{"TEMPORAL_TLS": "true"}, false, true},
		{"temporal://h/n", map[string]string{"TEMPORAL_TLS_SERVER_NAME": "x"}, true, true},
		{"temporal://h/n", key, true, true},
		{"temporal://h/n?tls=true", key, true, true},
		{"temporal://h/n?tls=false", key, false, false},
		{"temporal://h/n", map[string]string{"TEMPORAL_API_KEY": "hush", "TEMPORAL_TLS": "false"}, false, false},
		{"temporal://h/n", map[string]string{"TEMPORAL_TLS_CLIENT_CERT_PATH": "/none"}, false, false},
		{"temporal://h/n", map[string]string{"TEMPORAL_TLS_SERVER_CA_CERT_PATH": "/none"}, false, false},
	} {
		p, err := parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		o, err := p.options(func(name string) string { return tc.variables[name] })
		if (err == nil) != tc.ok || err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s with %v: %v", tc.url, tc.variables, err)
		}
		if err == nil && (o.HostPort != "h:7233" || o.Namespace != "n" || (o.ConnectionOptions.TLS != nil) != tc.tls ||
			(o.Credentials != nil) != (tc.variables["TEMPORAL_API_KEY"] != "")) {
			t.Errorf("%s with %v: %+v", tc.url, tc.variables, o)
		}
	}
}

func TestDialNobody(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var dial *DialError
	if _, err := Dial(ctx, "temporal://127.0.0.1:1/default", noVariables, Options{}); !errors.As(err, &dial) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("dial where nobody is: %v", err)
	}
	if _, err := Dial(ctx, "temporal://hush@h", noVariables, Options{}); !errors.As(err, &dial) || strings.Contains(err.Error(), "hush") {
		t.Errorf("dial with a secret: %v", err)
	}
}
