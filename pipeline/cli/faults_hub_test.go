package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// shelve makes a question of every file, with what the file holds in it.
type shelve struct{}

func (shelve) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameTask, schemas.NameQuestion}, Types: []string{"what"}}
}

func (shelve) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := pipeline.Decode[schemas.Video](in)
	if err != nil {
		return nil, err
	}
	r, err := scope.OpenBlob(ctx, pipeline.Digest(v.Media))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	held, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return taskAndQuestion(in.ID, fmt.Sprintf("%s holds %x", v.Name, held))
}

const shelfPlan = `version: 1
release: {name: shelf, license: CC-BY-4.0, from: [shelve]}
sources:
  files: {use: %s, with: {repo: o/d, include: ["**/*.mp4", "**/*.csv"]}}
stages:
  shelve: {use: shelve, from: [files]}
`

// newShelf is a project whose files a hub of its own holds.
func newShelf(t *testing.T, use string, faults ...testkit.Fault) (*project, *testkit.Hub) {
	t.Helper()
	hub := testkit.NewHub(t)
	hub.SetRepo("o/d", testkit.LargeFileRepo(20))
	for _, f := range faults {
		hub.AddFault(f)
	}
	p := newExam(t, fmt.Sprintf(shelfPlan, use), "")
	for _, name := range []string{"HF_ENDPOINT", "MEMFORGE_GITHUB_API", "MEMFORGE_GITHUB_RAW", "MEMFORGE_GITHUB_LFS"} {
		p.env[name] = hub.URL
	}
	return p, hub
}

// TestNoFaultOfAHubShowsInTheRelease builds once through each of 30 faults of a
// hub. The builds wait at the same time: most of it is pauses.
func TestNoFaultOfAHubShowsInTheRelease(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it builds 31 times")
	}
	calm, _ := newShelf(t, "hf")
	calm.must("build")
	faults := testkit.HubFaults(0)
	if len(faults) != 30 {
		t.Fatalf("%d faults", len(faults))
	}
	var wg sync.WaitGroup
	var rough []*project
	for _, f := range faults {
		p, hub := newShelf(t, "hf", f)
		rough = append(rough, p)
		wg.Go(func() {
			if code, out, errs := p.run("build"); code != 0 {
				t.Errorf("%s: exit code %d\n%s%s", &f, code, out, errs)
				return
			}
			if hub.Hit() == 0 {
				t.Errorf("%s: nothing was spoiled", &f)
			}
		})
	}
	wg.Wait()
	for _, p := range rough {
		sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(p.dir, "out"))
	}
}

// TestAHubThatFailsForGoodEndsTheBuild: no release is written, and once the
// fault is over a second build writes that of a build that nothing disturbed.
func TestAHubThatFailsForGoodEndsTheBuild(t *testing.T) {
	t.Parallel()
	for use, faults := range map[string][]testkit.Fault{
		"hf": {
			{Match: "cdn/", Status: 403, Body: "expired"}, {Match: "clips/07", Flip: true},
			{Match: "/tree/", Status: 429, Header: map[string]string{"Retry-After": "86400"}},
		},
		"github": {{Match: "git/trees", Status: 404}, {Match: "cdn/", Status: 429, Header: map[string]string{"RateLimit": `"api";r=0;t=86400`}}},
	} {
		calm, _ := newShelf(t, use)
		calm.must("build")
		for _, f := range faults {
			t.Run(use+" "+f.String(), func(t *testing.T) {
				t.Parallel() // most of it is pauses
				p, hub := newShelf(t, use, f)
				code, out, errs := p.run("build")
				if code != 7 {
					t.Errorf("exit code %d, want 7\n%s%s", code, out, errs)
				}
				if _, err := os.Stat(filepath.Join(p.dir, "out", "releases")); err == nil {
					t.Error("a release was written")
				}
				hub.ClearFaults()
				p.must("build")
				sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(p.dir, "out"))
			})
		}
	}
}
