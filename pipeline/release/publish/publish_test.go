package publish_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/publish"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

const token, repoName = "hf_secret", "lab/films"

// releases are two versions of a release, written once.
var releases = sync.OnceValues(func() ([2]string, error) {
	root, err := os.MkdirTemp("", "publish-test-")
	if err != nil {
		return [2]string{}, err
	}
	first, err := videorelease.Write(context.Background(), root, nil)
	second, err2 := videorelease.WriteVersion(context.Background(), root, "2.0.0", func(q []schemas.Question) []schemas.Question { return q[:len(q)-1] })
	return [2]string{first, second}, errors.Join(err, err2)
})

func twoReleases(t testing.TB) (first, second string) {
	t.Helper()
	both, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	return both[0], both[1]
}

// filesIn reads a folder whole.
func filesIn(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err == nil {
			out[filepath.ToSlash(rel)], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shelf is a hub with a dataset that holds the first release as version 1.0.0.
type shelf struct {
	*testkit.Hub
	before map[string][]byte
}

const attributes = ".gitattributes"

func newShelf(t testing.TB, first string) shelf {
	hub := testkit.NewHub(t)
	files := filesIn(t, first)
	files[attributes] = []byte("*.parquet filter=lfs\n")
	large := map[string]bool{}
	for name := range files {
		large[name] = strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".mp4")
	}
	commit := strings.Repeat("a", 40)
	hub.SetRepo(repoName, testkit.Repo{Commit: commit, Files: files, Large: large, Writer: token, PartSize: 3000, Tags: map[string]string{"v1.0.0": commit}})
	return shelf{hub, maps.Clone(files)}
}

func (s shelf) options() publish.Options {
	return publish.Options{Fetch: fetch.Options{
		Endpoints: fetch.Endpoints{Hub: s.URL}, Token: func(string) string { return token }, Tries: 3, IdleTimeout: 2 * time.Second,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}}
}

func dataset(t testing.TB) publish.Place {
	t.Helper()
	p, err := publish.ParseTarget("hf:" + repoName)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sameFiles(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// state says whether main is as it was or the release, with how many commits.
func (s shelf) state(t testing.TB, dir string) (state string, commits int) {
	t.Helper()
	files, commits := s.At(repoName, "main")
	want := filesIn(t, dir)
	want[attributes] = s.before[attributes]
	switch {
	case sameFiles(files, s.before):
		return "unchanged", commits
	case sameFiles(files, want):
		return "released", commits
	}
	return "half", commits
}

// checkPublished wants the release on main, under its tag, by one commit, and the token
// at no other host.
func (s shelf) checkPublished(t testing.TB, dir, tag string) {
	t.Helper()
	if state, commits := s.state(t, dir); state != "released" || commits != 1 {
		t.Errorf("the dataset is %s after %d commits, want released after 1", state, commits)
	}
	tagged, _ := s.At(repoName, tag)
	if main, _ := s.At(repoName, "main"); !sameFiles(tagged, main) {
		t.Errorf("%s has %d files, main %d", tag, len(tagged), len(main))
	}
	s.checkToken(t)
}

func (s shelf) checkToken(t testing.TB) {
	t.Helper()
	for _, r := range s.Requests() {
		if r.Host == "cdn" && strings.Contains(fmt.Sprint(r.Header), token) {
			t.Errorf("the content host got the token: %s %s", r.Method, r.Path)
		}
	}
}

func TestPublishToTheHub(t *testing.T) {
	first, second := twoReleases(t)
	s := newShelf(t, first)
	opts := s.options()
	dry := opts
	dry.DryRun = true
	plan, err := publish.Publish(t.Context(), second, dataset(t), dry)
	if err != nil || len(plan.Send) == 0 || plan.Kept == 0 {
		t.Fatalf("dry run: %d to send, %d there, %v", len(plan.Send), plan.Kept, err)
	}
	for _, r := range s.Requests() {
		if r.Method != "GET" {
			t.Errorf("a dry run asked %s %s", r.Method, r.Path)
		}
	}
	done, err := publish.Publish(t.Context(), second, dataset(t), opts)
	if err != nil || len(done.Send) != len(plan.Send) || !slices.Equal(done.Remove, plan.Remove) {
		t.Fatalf("%d sent of %d planned, %v", len(done.Send), len(plan.Send), err)
	}
	s.checkPublished(t, second, "v2.0.0")
	for _, dir := range []string{first, second} {
		if again, err := publish.Publish(t.Context(), dir, dataset(t), opts); err != nil || !again.Done {
			t.Errorf("%s again: %v, done %t", dir, err, again.Done)
		}
	}
	s.checkPublished(t, second, "v2.0.0")
}

func TestPublishToANewDataset(t *testing.T) {
	first, _ := twoReleases(t)
	s := shelf{Hub: testkit.NewHub(t)}
	opts := s.options()
	if _, err := publish.Publish(t.Context(), first, dataset(t), opts); err == nil || !strings.Contains(err.Error(), "--create") {
		t.Errorf("without --create: %v", err)
	}
	opts.Create, opts.Private = true, true
	s.AddFault(testkit.Fault{Match: "/repos/create", Lost: true, Times: 1})
	if _, err := publish.Publish(t.Context(), first, dataset(t), opts); err != nil {
		t.Fatal(err)
	}
	s.before, _ = s.At(repoName, "main")
	if files, commits := s.At(repoName, "v1.0.0"); len(files) != len(filesIn(t, first))+1 || commits != 1 {
		t.Errorf("%d files after %d commits", len(files), commits)
	}
	s.checkToken(t)
}

// What a dataset holds is not replaced by another name, an older version, or other bytes
// of the same version, and files of nobody's release are not removed, unless one says so.
func TestPublishRefuses(t *testing.T) {
	first, second := twoReleases(t)
	other, err := videorelease.Write(t.Context(), t.TempDir(), func(q []schemas.Question) []schemas.Question { return q[1:] })
	if err != nil {
		t.Fatal(err)
	}
	newer := func(s shelf) { publishTo(t, s, second) }
	for name, tc := range map[string]struct {
		change  func(shelf)
		dir     string
		options func(*publish.Options)
		says    string
		replace bool // helps
	}{
		"the tag has other bytes": {dir: other, says: "there already with other bytes"},
		"an older version":        {change: func(s shelf) { newer(s); untag(s, "v1.0.0") }, dir: first, says: "newer than 1.0.0", replace: true},
		"files of no release":     {change: func(s shelf) { s.Edit(repoName, "notes.txt", "mine") }, dir: second, says: "notes.txt", replace: true},
		"another release": {change: func(s shelf) { s.Edit(repoName, "manifest.json", `{"name":"other","version":"0.1.0"}`) }, dir: second,
			says: "holds release other 0.1.0", replace: true},
		"a public dataset": {dir: second, options: func(o *publish.Options) { o.Private = true }, says: "the dataset is public"},
		"no token":         {dir: second, options: func(o *publish.Options) { o.Fetch.Token = nil }, says: "HF_TOKEN is not set"},
		"a reader's token": {dir: second, options: func(o *publish.Options) { o.Fetch.Token = func(string) string { return "hf_reader" } }, says: "may not write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			if tc.change != nil {
				tc.change(s)
			}
			opts := s.options()
			if tc.options != nil {
				tc.options(&opts)
			}
			before, commits := s.At(repoName, "main")
			_, err := publish.Publish(t.Context(), tc.dir, dataset(t), opts)
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "hf_reader") {
				t.Errorf("got %v, want %q and no token", err, tc.says)
			}
			if after, n := s.At(repoName, "main"); !sameFiles(before, after) || n != commits {
				t.Error("the dataset changed")
			}
			opts.Replace = true
			if _, err := publish.Publish(t.Context(), tc.dir, dataset(t), opts); (err == nil) != tc.replace {
				t.Errorf("with --replace: %v", err)
			}
		})
	}
}

func publishTo(t testing.TB, s shelf, dir string) {
	t.Helper()
	if _, err := publish.Publish(t.Context(), dir, dataset(t), s.options()); err != nil {
		t.Fatal(err)
	}
}

func untag(s shelf, tag string) { s.RemoveTag(repoName, tag) }

// TestPublishFaults wants the release or no change after each fault, and the release by
// one commit when it has gone.
func TestPublishFaults(t *testing.T) {
	first, second := twoReleases(t)
	for i, tc := range testkit.PublishFaults() {
		if !testsize.Full() && i%8 != 0 {
			continue
		}
		t.Run(tc.Name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			s.AddFault(tc.Fault)
			opts := s.options()
			if strings.HasPrefix(tc.Name, "silent") {
				opts.Fetch.IdleTimeout = 200 * time.Millisecond
			}
			_, err := publish.Publish(t.Context(), second, dataset(t), opts)
			if s.Hit() == 0 {
				t.Error("the fault hit no request")
			}
			state, _ := s.state(t, second)
			switch {
			case tc.Passes && (err != nil || state != "released"):
				t.Errorf("%v, the dataset is %s; want it got over", err, state)
			case !tc.Passes && (err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tc.Says)) || state == "half"):
				t.Errorf("%v, the dataset is %s; want an error with %q", err, state, tc.Says)
			case err != nil && strings.Contains(err.Error(), token):
				t.Errorf("the error has the token: %v", err)
			}
			s.ClearFaults()
			publishTo(t, s, second)
			s.checkPublished(t, second, "v2.0.0")
		})
	}
}

// Somebody writes to main while files are uploaded: nothing is lost of what that was.
func TestPublishWhileAnotherWrites(t *testing.T) {
	first, second := twoReleases(t)
	s := newShelf(t, first)
	var once sync.Once
	s.Watch(func(r testkit.Request) {
		if strings.Contains(r.Path, "/commit/") {
			once.Do(func() { s.Edit(repoName, "notes.txt", "theirs") })
		}
	})
	_, err := publish.Publish(t.Context(), second, dataset(t), s.options())
	var moved *fetch.MovedError
	if !errors.As(err, &moved) {
		t.Errorf("got %v", err)
	}
	if files, commits := s.At(repoName, "main"); string(files["notes.txt"]) != "theirs" || commits != 1 {
		t.Errorf("%d commits, notes %q", commits, files["notes.txt"])
	}
}

// A hub that leads elsewhere gets neither the token nor the release there.
func TestPublishIsNotLedAway(t *testing.T) {
	first, second := twoReleases(t)
	for name, tc := range map[string]struct {
		match  string
		status int
		says   string
	}{
		"a commit to another host":  {"/commit/", 307, "to another host"},
		"a listing to another host": {"/revision/main", 302, "to another host"},
		"a commit that becomes GET": {"/commit/", 302, "make it a GET"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			s.AddFault(testkit.Fault{Match: "hub/api/datasets/" + repoName + tc.match, Status: tc.status, Header: map[string]string{"Location": s.CDN + "/away"}})
			if _, err := publish.Publish(t.Context(), second, dataset(t), s.options()); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			for _, r := range s.Requests() {
				if r.Path == "/away" {
					t.Error("it went there")
				}
			}
			if state, _ := s.state(t, second); state != "unchanged" {
				t.Errorf("the dataset is %s", state)
			}
			s.checkToken(t)
		})
	}
}

// Two processes publish the same release at once: there is one commit.
func TestPublishTwiceAtOnce(t *testing.T) {
	first, second := twoReleases(t)
	s := newShelf(t, first)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if _, err := publish.Publish(t.Context(), second, dataset(t), s.options()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s.checkPublished(t, second, "v2.0.0")
}

// realVariable names a release that tests of real size publish.
const realVariable = "MEMFORGE_RELEASE"

// TestPublishARealRelease publishes the release that MEMFORGE_RELEASE names to the local
// hub, in parts, and pulls it.
func TestPublishARealRelease(t *testing.T) {
	dir := os.Getenv(realVariable)
	if dir == "" {
		t.Skip(realVariable + " names no release")
	}
	s := shelf{Hub: testkit.NewHub(t)}
	s.SetRepo(repoName, testkit.Repo{Commit: strings.Repeat("a", 40), Files: map[string][]byte{attributes: {}}, Writer: token, PartSize: 5 << 20})
	opts := s.options()
	opts.Fetch.IdleTimeout = time.Minute // the local hub hashes all files for each listing
	for range 2 {
		plan, err := publish.Publish(t.Context(), dir, dataset(t), opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("done %t, %d sent, %d bytes, %d requests", plan.Done, len(plan.Send), plan.Bytes(), len(s.Requests()))
	}
	got, err := publish.Pull(t.Context(), dataset(t), filepath.Join(t.TempDir(), "got"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d bytes", got.Report.Files, got.Report.Bytes)
	s.checkToken(t)
}

func TestPulledReleaseIsThePublishedOne(t *testing.T) {
	first, second := twoReleases(t)
	s := newShelf(t, first)
	publishTo(t, s, second)
	for version, dir := range map[string]string{"": second, "@1.0.0": first, "@v2.0.0": second, "@main": second} {
		from, err := publish.ParseSource("hf:" + repoName + version)
		if err != nil {
			t.Fatal(err)
		}
		dest := filepath.Join(t.TempDir(), "got")
		for again := range 2 {
			got, err := publish.Pull(t.Context(), from, dest, s.options())
			if err != nil || got.Done != (again == 1) || !slices.Equal(got.Ignored, []string{attributes}) {
				t.Fatalf("%q: %v, done %t, ignored %q", version, err, got.Done, got.Ignored)
			}
		}
		if !sameFiles(filesIn(t, dest), filesIn(t, dir)) {
			t.Errorf("%q: other files than those of the release", version)
		}
	}
	var exists *release.ExistsError
	if _, err := publish.Pull(t.Context(), dataset(t), first, s.options()); !errors.As(err, &exists) {
		t.Errorf("into another release: %v", err)
	}
	s.checkToken(t)
}
