package publish_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/release/publish"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// childVariable makes the test's binary a process that publishes or pulls; it holds the
// verb, the release or place, and where to.
const childVariable = "MEMFORGE_PUBLISH_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childVariable); job != "" {
		if err := childProcess(strings.Split(job, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := runTests(m)
	if both, err := releases(); err == nil {
		_ = os.RemoveAll(filepath.Dir(filepath.Dir(both[0])))
	}
	os.Exit(code)
}

func childProcess(job []string) error {
	endpoints, err := fetch.EndpointsFromEnv(os.Getenv)
	opts := publish.Options{Fetch: fetch.Options{Endpoints: endpoints, Token: func(string) string { return os.Getenv("HF_TOKEN") }}}
	place, placeErr := publish.ParseSource("hf:" + repoName)
	if err := errors.Join(err, placeErr); err != nil {
		return err
	}
	if job[0] == "publish" {
		_, err = publish.Publish(context.Background(), job[1], place, opts)
		return err
	}
	if len(job) > 2 {
		if err := limitFiles(); err != nil {
			return err
		}
	}
	_, err = publish.Pull(context.Background(), place, job[1], opts)
	return err
}

// moments are 20 of n requests, or some of these.
func moments(n int) (out []int) {
	const all = 20
	for i := range all {
		if testsize.Full() || i%5 == 0 {
			out = append(out, 1+i*(n-1)/(all-1))
		}
	}
	return out
}

// cancelAt returns a context that ends at the n-th request. Whether that still does what
// it asks for differs: every other time the server is down by then.
func (s shelf) cancelAt(t testing.TB, n int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	var seen atomic.Int64
	s.Watch(func(testkit.Request) {
		if seen.Add(1) == int64(n) {
			cancel()
		}
	})
	if n%2 == 0 {
		s.AddFault(testkit.Fault{After: n - 1, Status: 500})
	}
	return ctx
}

// TestPublishIsCancelled ends a publication at 20 of its requests.
func TestPublishIsCancelled(t *testing.T) {
	first, second := twoReleases(t)
	count := newShelf(t, first)
	publishTo(t, count, second)
	for _, n := range moments(len(count.Requests())) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			_, err := publish.Publish(s.cancelAt(t, n), second, dataset(t), s.options())
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if state, _ := s.state(t, second); state == "half" {
				t.Error("the dataset is half the release")
			}
			s.Watch(nil)
			s.ClearFaults()
			publishTo(t, s, second)
			s.checkPublished(t, second, "v2.0.0")
		})
	}
}

// TestPullIsCancelled ends a pull at 20 of its requests.
func TestPullIsCancelled(t *testing.T) {
	first, _ := twoReleases(t)
	count := newShelf(t, first)
	if _, err := publish.Pull(t.Context(), dataset(t), filepath.Join(t.TempDir(), "got"), count.options()); err != nil {
		t.Fatal(err)
	}
	for _, n := range moments(len(count.Requests())) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			dest := filepath.Join(t.TempDir(), "got")
			_, err := publish.Pull(s.cancelAt(t, n), dataset(t), dest, s.options())
			if err == nil {
				t.Error("it was not cancelled")
			}
			if _, err := os.Stat(dest); err == nil {
				t.Error("a release is there by half")
			}
			s.Watch(nil)
			s.ClearFaults()
			s.checkPulled(t, dest, first)
		})
	}
}

// checkPulled pulls and compares.
func (s shelf) checkPulled(t testing.TB, dest, want string) {
	t.Helper()
	if _, err := publish.Pull(t.Context(), dataset(t), dest, s.options()); err != nil {
		t.Fatal(err)
	}
	if !sameFiles(filesIn(t, dest), filesIn(t, want)) {
		t.Error("other files than those of the release")
	}
	s.checkToken(t)
}

// runChild runs a process and kills it when the hub gets the n-th request, unless n is 0.
func (s shelf) runChild(t testing.TB, n int, job ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(job, "\n"), "HF_ENDPOINT="+s.URL, "HF_TOKEN="+token)
	var seen atomic.Int64
	started := make(chan struct{})
	s.Watch(func(testkit.Request) {
		if <-started; seen.Add(1) == int64(n) {
			_ = cmd.Process.Kill()
		}
	})
	defer s.Watch(nil)
	var out strings.Builder
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	err = cmd.Wait()
	return out.String(), err
}

// TestKilledProcesses kills processes that publish and pull at a few of their requests.
func TestKilledProcesses(t *testing.T) {
	first, second := twoReleases(t)
	count := newShelf(t, first)
	publishTo(t, count, second)
	n := len(count.Requests())
	for _, at := range testsize.Choose([]int{n - 2}, []int{1, n / 4, n / 2, 3 * n / 4, n - 2, n - 1, n}) {
		t.Run(fmt.Sprint("publish ", at), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			if _, err := s.runChild(t, at, "publish", second); err == nil {
				t.Error("it was not killed")
			}
			if state, _ := s.state(t, second); state == "half" {
				t.Error("the dataset is half the release")
			}
			if out, err := s.runChild(t, 0, "publish", second); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			s.checkPublished(t, second, "v2.0.0")
		})
	}
	for _, at := range testsize.Choose([]int{12}, []int{3, 12, 30, 40}) {
		t.Run(fmt.Sprint("pull ", at), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			dest := filepath.Join(t.TempDir(), "got")
			if _, err := s.runChild(t, at, "pull", dest); err == nil {
				t.Error("it was not killed")
			}
			if _, err := os.Stat(dest); err == nil {
				t.Error("a release is there by half")
			}
			s.checkPulled(t, dest, first)
		})
	}
}

// TestPullToAFullDisk has a process that may write no large file, which fails like a disk
// without space.
func TestPullToAFullDisk(t *testing.T) {
	first, _ := twoReleases(t)
	s := newShelf(t, first)
	dest := filepath.Join(t.TempDir(), "got")
	out, err := s.runChild(t, 0, "pull", dest, "limited")
	if err == nil || !strings.Contains(out, "free space and run again") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(dest); err == nil {
		t.Error("a release is there by half")
	}
	s.checkPulled(t, dest, first)
}

// TestPullFaults wants no release, or the whole one.
func TestPullFaults(t *testing.T) {
	first, _ := twoReleases(t)
	for name, tc := range map[string]struct {
		fault testkit.Fault
		says  string // none where it is got over
	}{
		"500 of the content host":     {fault: testkit.Fault{Match: "cdn/", Status: 500, Times: 2}},
		"429":                         {fault: testkit.Fault{Match: "/resolve/", Status: 429, Header: map[string]string{"Retry-After": "1"}, Times: 3}},
		"expired addresses":           {fault: testkit.Fault{Match: "cdn/", Status: 403, Times: 2}},
		"damaged downloads":           {fault: testkit.Fault{Match: "cdn/", Flip: true, Times: 2}},
		"broken connections":          {fault: testkit.Fault{Match: "cdn/", CutAfter: 500, Times: 2}},
		"a truncated listing":         {fault: testkit.Fault{Match: "/tree/", CutAfter: 50, Times: 2}},
		"a lost reply":                {fault: testkit.Fault{Match: "/resolve/", Lost: true, Times: 2}},
		"a host that stays down":      {fault: testkit.Fault{Match: "cdn/", Status: 502}, says: "after 3 tries"},
		"a page instead of files":     {fault: testkit.Fault{Match: "/resolve/", Status: 200, Body: "<html>login</html>"}, says: "got 18 of"},
		"a listing that is none":      {fault: testkit.Fault{Match: "/tree/", Status: 200, Body: "[]"}, says: "no release of memforge"},
		"a missing file":              {fault: testkit.Fault{Match: "/resolve/", After: 3, Status: 404, Header: map[string]string{"X-Error-Code": "EntryNotFound"}}, says: "404"},
		"a gated dataset":             {fault: testkit.Fault{Match: "/resolve/", Status: 403, Header: map[string]string{"X-Error-Code": "GatedRepo"}}, says: "accept its terms"},
		"a version that is not there": {fault: testkit.Fault{Match: "/revision/", Status: 404, Header: map[string]string{"X-Error-Code": "RevisionNotFound"}}, says: "no such revision"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, first)
			s.AddFault(tc.fault)
			dest := filepath.Join(t.TempDir(), "got")
			_, err := publish.Pull(t.Context(), dataset(t), dest, s.options())
			if s.Hit() == 0 {
				t.Error("the fault hit no request")
			}
			if _, failed := os.Stat(dest); (failed == nil) != (err == nil) {
				t.Errorf("%v, and the folder: %v", err, failed)
			}
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			s.ClearFaults()
			s.checkPulled(t, dest, first)
		})
	}
}

// What somebody changed at a place after it was published is named, and not taken.
func TestPullOfAChangedRelease(t *testing.T) {
	first, _ := twoReleases(t)
	for path, says := range map[string]string{"README.md": "README.md has other bytes", "SHA256SUMS": "SHA256SUMS", "manifest.json": "manifest.json has other bytes"} {
		s := newShelf(t, first)
		s.Edit(repoName, path, "edited on the page")
		dest := filepath.Join(t.TempDir(), "got")
		if _, err := publish.Pull(t.Context(), dataset(t), dest, s.options()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", path, err)
		}
		if _, err := os.Stat(dest); err == nil {
			t.Errorf("%s: it was taken", path)
		}
	}
}
