package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// TestBuildIsSeenWhileItRuns writes the status of a build and one record of it.
func TestBuildIsSeenWhileItRuns(t *testing.T) {
	out := t.TempDir()
	if _, err := catalog.OpenBuild(out); err == nil {
		t.Error("an empty folder is no build")
	}
	st, err := store.OpenDisk(t.Context(), filepath.Join(out, "store"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b, err := catalog.OpenBuild(out)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.State(t.Context()); err != nil || s.Running || len(s.Steps) > 0 {
		t.Errorf("a build that said nothing: %+v, %v", s, err)
	}
	made, err := pipeline.NewRecord("thing", "a/b", map[string]string{"say": "so"})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := made.Ref()
	if err != nil {
		t.Fatal(err)
	}
	key := pipeline.Key(pipeline.DigestOf([]byte("key")))
	if err := st.Commit(t.Context(), []pipeline.Committed{{Result: pipeline.Result{Key: key, Outputs: []pipeline.Ref{ref}}, Records: []pipeline.Record{made}}}); err != nil {
		t.Fatal(err)
	}
	gone := pipeline.Ref{ID: "c", Schema: "thing", Digest: pipeline.DigestOf([]byte("c"))}
	clock := time.Unix(100, 0)
	status := progress.NewStatusFile(out, func() time.Time { return clock })
	counts := []engine.Count{
		{Step: "films", Whole: true, Newest: ref, Summary: engine.Summary{Units: 1, Out: 7, Lost: 1, Reasons: map[string]int{"bad": 1}}},
		{Step: "pair", From: []string{"films"}, Known: 7, Running: 2, Newest: gone, Summary: engine.Summary{Units: 3, Out: 3, Reused: 1}},
	}
	status.Observe(counts)
	s, err := b.State(t.Context())
	if err != nil || !s.Running || s.Ended || len(s.Steps) != 2 || s.Steps[1].Known != 7 || s.Steps[1].Done != 3 || s.Steps[0].Reasons["bad"] != 1 {
		t.Fatalf("a running build: %+v, %v", s, err)
	}
	if len(s.Newest) != 2 || s.Newest[1].ID != "a/b" || string(s.Newest[1].Data) != `{"say":"so"}` || s.Newest[0].ID != "c" || s.Newest[0].Data != nil {
		t.Errorf("its newest records: %+v", s.Newest)
	}
	counts[1].Summary.Units = 4
	status.Observe(counts) // at the same moment
	if s, err = b.State(t.Context()); err != nil || s.Steps[1].Done != 3 {
		t.Errorf("written twice within a moment: %+v, %v", s, err)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(out, progress.StatusName), past, past); err != nil {
		t.Fatal(err)
	}
	if s, err = b.State(t.Context()); err != nil || s.Running || s.Ended {
		t.Errorf("a build that fell silent: %+v, %v", s, err)
	}
	status.Close(errors.New("it failed"))
	if _, err := videorelease.Write(t.Context(), filepath.Join(out, "releases"), nil); err != nil {
		t.Fatal(err)
	}
	s, err = b.State(t.Context())
	if err != nil || s.Running || !s.Ended || s.Error != "it failed" || s.Steps[1].Done != 4 || len(s.Releases) != 1 {
		t.Errorf("a build that ended: %+v, %v", s, err)
	}
	if catalog.IsBuild(s.Releases[0].Dir) {
		t.Error("a release is no build")
	}
	if err := os.WriteFile(filepath.Join(out, progress.StatusName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.State(t.Context()); err == nil {
		t.Error("a status that is no JSON")
	}
}
