package testkit

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// Upstream is what a source fetches.
type Upstream struct {
	// Repos are the repositories by name, on the hub and on GitHub.
	Repos map[string]Repo
	// Media are the files in the folder that run.media_dirs names, by path; nil
	// means that it names none.
	Media map[string][]byte
}

// Fetch brings the subject's needs from the upstream by the real fetcher, over
// the real protocol, and returns the subject with its assets and blobs.
func (s Subject) Fetch(t *testing.T, up Upstream) Subject {
	t.Helper()
	f := newFixture(t, pipeline.KindSource, s)
	plugin, err := f.plugin.BuildRaw(f.task.Identity.Config)
	if err != nil {
		t.Fatal(err)
	}
	hub := NewHub(t)
	for name, repo := range up.Repos {
		hub.SetRepo(name, repo)
	}
	dirs := map[string]string{}
	if up.Media != nil {
		dirs[f.task.Step] = writeTree(t, up.Media)
	}
	st := f.newStore(t)
	lock, err := fetch.LoadLock(filepath.Join(t.TempDir(), fetch.LockName))
	if err != nil {
		t.Fatal(err)
	}
	s.Assets, err = fetch.New(st, lock, fetch.Options{
		MediaDirs: dirs, TempDir: filepath.Join(t.TempDir(), "partial"),
		Endpoints: fetch.Endpoints{Hub: hub.URL, GitHubAPI: hub.URL, GitHubRaw: hub.URL, GitHubLFS: hub.URL},
	}).Fetch(t.Context(), f.task.Step, plugin.(pipeline.Source).Needs())
	if err != nil {
		t.Fatal(err)
	}
	s.Blobs = nil
	for _, a := range s.Assets {
		if a.Problem == nil {
			s.Blobs = append(s.Blobs, readBlob(t, st, a.Blob))
		}
	}
	return s
}

// Read runs a source and returns what it gave and what it lost, or its error.
func (s Subject) Read(t *testing.T) ([]pipeline.Record, []pipeline.Rejection, error) {
	t.Helper()
	return s.execute(t, pipeline.KindSource)
}

// Items reads a source of evidence items: by upstream's id, with what was lost by id and
// code.
func (s Subject) Items(t *testing.T) (map[string]schemas.EvidenceItem, string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.EvidenceItem{}
	for _, i := range DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records) {
		out[i.UpstreamID] = i
	}
	return out, Codes(lost)
}

// Codes are the ids and codes of rejections, a line each, sorted.
func Codes(lost []pipeline.Rejection) string {
	out := make([]string, len(lost))
	for i, l := range lost {
		out[i] = l.ID + " " + l.Code
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// Run runs a stage on the subject's inputs and returns what it gave and what it lost,
// or its error.
func (s Subject) Run(t *testing.T) ([]pipeline.Record, []pipeline.Rejection, error) {
	t.Helper()
	return s.execute(t, pipeline.KindStage)
}

// Verdicts runs a gate on the subject's inputs and returns what it says of them.
func (s Subject) Verdicts(t *testing.T) []schemas.Verdict {
	t.Helper()
	out, _, err := s.execute(t, pipeline.KindGate)
	if err != nil {
		t.Fatal(err)
	}
	return DecodeAll[schemas.Verdict](t, schemas.NameVerdict, out)
}

func (s Subject) execute(t *testing.T, kind pipeline.Kind) ([]pipeline.Record, []pipeline.Rejection, error) {
	t.Helper()
	f := newFixture(t, kind, s)
	st := f.newStore(t)
	results, err := f.execute(t.Context(), t, st, f.task)
	if err != nil {
		return nil, nil, err
	}
	return outputs(t, st, results), results[0].Rejections, nil
}

// Blob returns the bytes that a source stored besides its assets.
func (s Subject) Blob(t *testing.T, d pipeline.Digest) []byte {
	t.Helper()
	f := newFixture(t, pipeline.KindSource, s)
	st := f.newStore(t)
	f.must(t, st)
	return readBlob(t, st, d)
}

func readBlob(t *testing.T, st store.Store, d pipeline.Digest) []byte {
	t.Helper()
	r, err := st.OpenBlob(context.WithoutCancel(t.Context()), d)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeTree(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
