package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/publish"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

// places are a folder, and a bucket that is a folder.
func places(t testing.TB) map[string]publish.Place {
	return map[string]publish.Place{
		"folder": {Kind: publish.Folder, Dir: filepath.Join(t.TempDir(), "to", "films")},
		"bucket": {Kind: publish.Bucket, URL: "file://" + filepath.ToSlash(t.TempDir()), Prefix: "data/films"},
	}
}

func TestPublishToFoldersAndBuckets(t *testing.T) {
	first, second := twoReleases(t)
	for name, to := range places(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testPlace(t, to, first, second)
		})
	}
}

// testPlace publishes two versions, pulls them, and publishes what is refused.
func testPlace(t *testing.T, to publish.Place, first, second string) {
	t.Helper()
	opts := publish.Options{}
	dry := publish.Options{DryRun: true}
	if plan, err := publish.Publish(t.Context(), first, to, dry); err != nil || plan.Done || len(plan.Send) != len(filesIn(t, first)) {
		t.Fatalf("dry run: %d to send, %v", len(plan.Send), err)
	}
	for _, dir := range []string{second, first} {
		for again := range 2 {
			if plan, err := publish.Publish(t.Context(), dir, to, opts); err != nil || plan.Done != (again == 1) {
				t.Fatalf("%s: done %t, %v", dir, plan.Done, err)
			}
		}
	}
	for version, dir := range map[string]string{"": second, "1.0.0": first, "2.0.0": second} {
		from := to
		from.Version = version
		dest := filepath.Join(t.TempDir(), "got")
		for again := range 2 {
			if got, err := publish.Pull(t.Context(), from, dest, opts); err != nil || got.Done != (again == 1) {
				t.Fatalf("version %q: done %t, %v", version, got.Done, err)
			}
		}
		if !sameFiles(filesIn(t, dest), filesIn(t, dir)) {
			t.Errorf("version %q has other files", version)
		}
	}
	from := to
	from.Version = "9.9.9"
	var origin *publish.OriginError
	if _, err := publish.Pull(t.Context(), from, filepath.Join(t.TempDir(), "got"), opts); !errors.As(err, &origin) {
		t.Errorf("a version that is not there: %v", err)
	}
	other, err := videorelease.Write(t.Context(), t.TempDir(), func(q []schemas.Question) []schemas.Question { return q[1:] })
	if err != nil {
		t.Fatal(err)
	}
	var taken *publish.TakenError
	if _, err := publish.Publish(t.Context(), other, to, opts); !errors.As(err, &taken) || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("other bytes of a version: %v", err)
	}
}

// versionFiles returns what a place shows of a version: nothing, or what a pull gets.
func versionFiles(t *testing.T, from publish.Place) map[string][]byte {
	t.Helper()
	dest := filepath.Join(t.TempDir(), "got")
	_, err := publish.Pull(t.Context(), from, dest, publish.Options{})
	var none *publish.OriginError
	if errors.As(err, &none) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return filesIn(t, dest)
}

// reads is a context that ends at the n-th time it is asked whether it has ended: copies
// ask before every read.
type reads struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (r *reads) Err() error {
	if r.left--; r.left == 0 {
		r.cancel()
	}
	return r.Context.Err()
}

// cancelled returns a context and options that end at the n-th thing that is told of the
// transfer, or at the read of a file that comes first.
func cancelled(t *testing.T, n int) (context.Context, publish.Options) {
	ctx, cancel := context.WithCancel(t.Context())
	var told atomic.Int64
	tell := func(string) {
		if told.Add(1) == int64(n) {
			cancel()
		}
	}
	return &reads{ctx, cancel, 30 * n}, publish.Options{Tell: tell}
}

// TestPlacesAreCancelled ends publications to folders and buckets, and pulls from them, at
// 20 moments.
func TestPlacesAreCancelled(t *testing.T) {
	first, _ := twoReleases(t)
	for _, n := range testsize.Choose([]int{2, 6}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		for name, to := range places(t) {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				t.Parallel()
				ctx, opts := cancelled(t, n)
				if _, err := publish.Publish(ctx, first, to, opts); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				if shown := versionFiles(t, to); shown != nil && !sameFiles(shown, filesIn(t, first)) {
					t.Error("the version is there by half")
				}
				if _, err := publish.Publish(t.Context(), first, to, publish.Options{}); err != nil {
					t.Fatal(err)
				}
				dest := filepath.Join(t.TempDir(), "got")
				ctx, opts = cancelled(t, n)
				if _, err := publish.Pull(ctx, to, dest, opts); err != nil {
					if _, failed := os.Stat(dest); failed == nil {
						t.Error("a release is there by half")
					}
				}
				if _, err := publish.Pull(t.Context(), to, dest, publish.Options{}); err != nil || !sameFiles(filesIn(t, dest), filesIn(t, first)) {
					t.Errorf("pulled again: %v", err)
				}
			})
		}
	}
}

// Two processes publish to the same place at once: the version is there whole, and who
// could not write says why.
func TestPlacesTakeTwoAtOnce(t *testing.T) {
	first, _ := twoReleases(t)
	for name, to := range places(t) {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				_, err := publish.Publish(t.Context(), first, to, publish.Options{})
				var busy *publish.BusyError
				if err != nil && !errors.As(err, &busy) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		group.Wait()
		if !sameFiles(versionFiles(t, to), filesIn(t, first)) {
			t.Errorf("%s: the version is not the release", name)
		}
	}
}

// What a bucket or folder got wrong is noticed: an object that is cut, gone or damaged, and
// pointers that lie.
func TestPullFromADamagedPlace(t *testing.T) {
	first, _ := twoReleases(t)
	pointer := func(change func(map[string]any)) func(t *testing.T, root string) {
		return func(t *testing.T, root string) {
			name := filepath.Join(root, "1.0.0.json")
			text, err := os.ReadFile(name)
			var p map[string]any
			if err = errors.Join(err, json.Unmarshal(text, &p)); err != nil {
				t.Fatal(err)
			}
			change(p)
			text, err = json.Marshal(p)
			if err = errors.Join(err, os.WriteFile(name, text, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := func(change func(name string) error) func(t *testing.T, root string) {
		return func(t *testing.T, root string) {
			found, err := filepath.Glob(filepath.Join(root, ".releases", "*", "README.md"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			if err := change(found[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tc := range map[string]struct {
		damage func(t *testing.T, root string)
		says   string
	}{
		"cut":          {file(func(name string) error { return os.Truncate(name, 10) }), "README.md has other bytes"},
		"gone":         {file(os.Remove), "files are missing"},
		"damaged":      {file(func(name string) error { return os.WriteFile(name, []byte("x"), 0o644) }), "README.md has other bytes"},
		"other sums":   {pointer(func(p map[string]any) { p["sums"] = strings.Repeat("0", 64) }), "SHA256SUMS has other bytes"},
		"leads out":    {pointer(func(p map[string]any) { p["folder"] = "../../etc" }), "contradicts itself"},
		"newer format": {pointer(func(p map[string]any) { p["format"] = 2 }), "use a newer one"},
		"no pointer": {func(t *testing.T, root string) {
			_ = os.WriteFile(filepath.Join(root, "1.0.0.json"), []byte("{"), 0o644)
		}, "does not name a release"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := places(t)["bucket"]
			if _, err := publish.Publish(t.Context(), first, to, publish.Options{}); err != nil {
				t.Fatal(err)
			}
			tc.damage(t, filepath.Join(strings.TrimPrefix(to.URL, "file://"), to.Prefix))
			dest := filepath.Join(t.TempDir(), "got")
			if _, err := publish.Pull(t.Context(), to, dest, publish.Options{}); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			if _, err := os.Stat(dest); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

// A bucket that lost a file after a publication broke off gets it again.
func TestPublishCompletesABucket(t *testing.T) {
	first, _ := twoReleases(t)
	to := places(t)["bucket"]
	root := filepath.Join(strings.TrimPrefix(to.URL, "file://"), to.Prefix)
	if _, err := publish.Publish(t.Context(), first, to, publish.Options{}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, ".releases", "*", "README.md"))
	if err = errors.Join(err, os.Remove(found[0]), os.Remove(filepath.Join(root, "1.0.0.json"))); err != nil {
		t.Fatal(err)
	}
	if plan, err := publish.Publish(t.Context(), first, to, publish.Options{}); err != nil || len(plan.Send) != 1 {
		t.Errorf("%d files sent, %v; want the one that was missing", len(plan.Send), err)
	}
}

// What fails before anything is sent.
func TestChecksBeforePublishing(t *testing.T) {
	first, _ := twoReleases(t)
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.CopyFS(damaged, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "README.md"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	to := places(t)["folder"]
	var broken *release.DamagedError
	if _, err := publish.Publish(t.Context(), damaged, to, publish.Options{}); !errors.As(err, &broken) {
		t.Errorf("a damaged release: %v", err)
	}
	private, err := videorelease.WritePrivate(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var terms *license.Error
	if _, err := publish.Publish(t.Context(), private, to, publish.Options{}); !errors.As(err, &terms) {
		t.Errorf("a private release: %v", err)
	}
	if _, err := os.Stat(to.Dir); err == nil {
		t.Error("something was written")
	}
	if _, err := publish.Publish(t.Context(), private, to, publish.Options{Private: true}); err != nil {
		t.Errorf("a private release with --private: %v", err)
	}
	plan, err := publish.Publish(t.Context(), first, places(t)["folder"], publish.Options{DryRun: true})
	if err != nil || len(plan.Notes) != 0 {
		t.Errorf("notes %q, %v", plan.Notes, err)
	}
	bare, err := videorelease.WriteUndescribed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var lacks *publish.CheckError
	if _, err := publish.Publish(t.Context(), bare, places(t)["folder"], publish.Options{}); !errors.As(err, &lacks) || !strings.Contains(err.Error(), "no creator, datePublished, url, citeAs, rai:dataBiases, rai:dataUseCases, rai:dataSocialImpact") || !strings.Contains(err.Error(), "release.about") {
		t.Errorf("a public release that says nothing of itself: %v", err)
	}
	if _, err := publish.Publish(t.Context(), bare, places(t)["folder"], publish.Options{Private: true}); err != nil {
		t.Errorf("the same with --private: %v", err)
	}
}

func TestParsePlaces(t *testing.T) {
	for text, want := range map[string]publish.Place{
		"hf:lab/films":        {Kind: publish.Hub, Repo: "lab/films"},
		"hf:lab/films@1.0.0":  {Kind: publish.Hub, Repo: "lab/films", Version: "1.0.0"},
		"hf:lab/films@v1.0.0": {Kind: publish.Hub, Repo: "lab/films", Version: "1.0.0"},
		"hf:lab/films@main":   {Kind: publish.Hub, Repo: "lab/films", Version: "main"},
		"s3://b/x/y":          {Kind: publish.Bucket, URL: "s3://b", Prefix: "x/y"},
		"s3://b":              {Kind: publish.Bucket, URL: "s3://b"},
		"gs://b/x@1.2.3?a=b":  {Kind: publish.Bucket, URL: "gs://b?a=b", Prefix: "x", Version: "1.2.3"},
		"some/dir":            {Dir: "some/dir"},
		"/a@b/c@1.0.0":        {Dir: "/a@b/c", Version: "1.0.0"},
		"file:///a/b":         {Dir: "/a/b"},
	} {
		if got, err := publish.ParseSource(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "hf:", "hf:films", "hf:a/b/c", "hf:a/b@../c", "hf:../x", "ftp://x/y", "s3://", "s3://user:pw@b/x", "s3://b/../x", "s3://b/a b", "file://host/x"} {
		if got, err := publish.ParseSource(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		} else if strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: the error repeats the password: %v", text, err)
		}
	}
	if _, err := publish.ParseTarget("hf:lab/films@1.0.0"); err == nil {
		t.Error("a target with a version is taken")
	}
}

func FuzzParsePlaces(f *testing.F) {
	for _, seed := range []string{"hf:lab/films@1.0.0", "s3://b/x@1.0.0?endpoint=http://h", "gs://b", "file:///a", "dir@1.0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := publish.ParseSource(text)
		if err == nil && (p.Kind == publish.Folder) != (p.Dir != "") {
			t.Errorf("%q: %+v", text, p)
		}
	})
}
