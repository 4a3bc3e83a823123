package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model/capability"
	"github.com/memforge/memforge/pipeline/model/server"
)

// Findings are held against what the configuration states: what is stated must work, what
// works besides may be stated.
func TestFindingsAgainstTheConfiguration(t *testing.T) {
	yes := func(k capability.Kind) capability.Finding { return capability.Finding{Kind: k, Works: true} }
	no := func(k capability.Kind) capability.Finding {
		return capability.Finding{Kind: k, Detail: "no " + string(k)}
	}
	for name, tc := range map[string]struct {
		stated server.Capabilities
		found  []capability.Finding
		want   string
		wrong  string
	}{
		"as stated": {server.Capabilities{JSONSchema: true, Seed: true},
			[]capability.Finding{yes(capability.Chat), yes(capability.JSONSchema), yes(capability.Seed), no(capability.Images), no(capability.Embeddings)},
			"chat yes, json_schema yes, seed yes, images no, embeddings no", ""},
		"more than stated": {server.Capabilities{},
			[]capability.Finding{yes(capability.Chat), yes(capability.Seed), yes(capability.Images)},
			"chat yes, seed yes (may be set: capabilities.seed), images yes (may be set: capabilities.images)", ""},
		"two of what is stated do not work": {server.Capabilities{JSONSchema: true, Images: true},
			[]capability.Finding{yes(capability.Chat), no(capability.JSONSchema), no(capability.Images)},
			"", "capabilities.json_schema is true but does not work: no json_schema; capabilities.images is true but does not work: no images"},
		"no chat": {server.Capabilities{JSONSchema: true},
			[]capability.Finding{no(capability.Chat), no(capability.JSONSchema)},
			"", "it does not answer chat requests: no chat"},
		"an embedder does not chat": {server.Capabilities{Embeddings: true, Seed: true},
			[]capability.Finding{no(capability.Chat), no(capability.Seed), yes(capability.Embeddings)},
			"chat no, seed no, embeddings yes", ""},
		"an embedder that does not embed": {server.Capabilities{Embeddings: true},
			[]capability.Finding{no(capability.Chat), no(capability.Embeddings)},
			"", "capabilities.embeddings is true but does not work: no embeddings"},
	} {
		got, err := checkCapabilities("m", server.Model{BaseURL: "http://127.0.0.1:1/v1", Capabilities: tc.stated}, tc.found)
		var detail string
		if err != nil {
			_, detail, _ = strings.Cut(err.Error(), "does not accept the request: ")
			detail, _, _ = strings.Cut(detail, "; set what does not work")
		}
		if got != tc.want || (err != nil) != (tc.wrong != "") || detail != tc.wrong {
			t.Errorf("%s: %q, %v; want %q, %q", name, got, err, tc.want, tc.wrong)
		}
	}
}

// A folder can be written to if it, or the deepest one there is above it, can; the trial leaves nothing.
func TestFoldersToWriteTo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                               "",
		filepath.Join(dir, "a", "b", "c"): "",
		file:                              "is a file",
		filepath.Join(file, "below"):      "is a file",
		filepath.Join(dir, "\x00"):        "invalid argument",
	} {
		if err := writable(path); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the trial left %v, %v", left, err)
	}
}
