package catalog_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// Variables of BenchmarkMillion: a release whose questions are multiplied instead of those of
// the small one, and a folder where what was written stays for the next time.
const (
	modelVariable = "MEMFORGE_BENCH_RELEASE"
	keptVariable  = "MEMFORGE_BENCH_KEEP"
)

// multiplied writes a release with n questions: those of another one again and again, with words
// and facts of their own, and with their verdicts.
func multiplied(ctx context.Context, model, root string, n int) (string, error) {
	c, err := release.Read(ctx, model)
	if err != nil {
		return "", err
	}
	verdicts := map[string][]schemas.Verdict{}
	for _, v := range c.Verdicts {
		verdicts[v.Item] = append(verdicts[v.Item], v)
	}
	in := release.Input{
		Spec: pipeline.Release{Name: "many", Version: "1.0.0"}, Config: pipeline.DigestOf([]byte("plan")), BuildKey: "many",
		Sources: []schemas.Source{{ID: "films", Kind: "generated", License: "CC0-1.0"}}, Gates: c.Manifest.Gates,
	}
	in.Stream = func(yield func(pipeline.Record, error) bool) {
		for _, t := range c.Tasks {
			t.Media, t.SourceRecords = nil, nil
			if r, err := pipeline.NewRecord(schemas.NameTask, t.TaskID, t); !yield(r, err) {
				return
			}
		}
		for i := range n {
			q := c.Questions[i%len(c.Questions)]
			judged := verdicts[q.QuestionID]
			q.QuestionID = fmt.Sprintf("%s-%07d", q.QuestionID, i)
			q.Question += fmt.Sprintf(" (lot %s, shelf %d)", word(i), i/len(c.Questions))
			q.Media, q.QuestionMedia, q.CheckpointID, q.Revisions = nil, nil, "", nil
			q.Labels = maps.Clone(q.Labels)
			delete(q.Labels, schemas.LabelMirror)
			q.Labels[schemas.LabelFact] = fmt.Sprint(q.Labels[schemas.LabelFact], i/2)
			evidence := q.Evidence
			q.Evidence = nil
			for _, e := range evidence {
				e.Kind, e.Ref, e.SessionID, e.SourceID, e.Media = schemas.EvidenceTask, q.TaskID, "", "films", ""
				q.Evidence = append(q.Evidence, e)
			}
			if r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q); !yield(r, err) {
				return
			}
			for _, v := range judged {
				v.Item, v.CallsMade, v.CallsFull = q.QuestionID, 0, 0
				if r, err := pipeline.NewRecord(schemas.NameVerdict, v.Item+"/"+v.Gate, v); !yield(r, err) {
					return
				}
			}
		}
	}
	done, err := release.Write(ctx, nil, root, in, release.Options{})
	return done.Dir, err
}

// word makes one of some hundred thousand words.
func word(i int) string {
	var b strings.Builder
	for n := uint64(i%300_000)*2654435761 + 12345; n > 0; n /= 400 {
		b.WriteByte("bcdfghklmnprstvwxyz"[n%19])
		b.WriteByte("aeiou"[n/19%5])
	}
	return b.String()
}

// multiply writes a release in a process of its own, whose memory is not ours.
func multiply(t testing.TB, n int) string {
	t.Helper()
	root := os.Getenv(keptVariable)
	if root == "" {
		root = t.TempDir()
	}
	dir := filepath.Join(root, strconv.Itoa(n), "many", "1.0.0")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	model := os.Getenv(modelVariable)
	if model == "" {
		var err error
		if model, err = videorelease.Write(t.Context(), t.TempDir(), nil); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "multiply", model, filepath.Join(root, strconv.Itoa(n)), strconv.Itoa(n))
	return dir
}

// run runs this program as TestMain says, and returns what it prints.
func run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOGC=100")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// runTestChild does what tests ask of children that are not the catalog's own.
func runTestChild(ctx context.Context, args []string) (handled bool, err error) {
	switch {
	case len(args) == 4 && args[0] == "multiply":
		n, err := strconv.Atoi(args[3])
		if err == nil {
			_, err = multiplied(ctx, args[1], args[2], n)
		}
		return true, err
	case len(args) == 3 && args[0] == "measure":
		return true, measure(ctx, args[1], args[2])
	}
	return false, nil
}

// measure uses a catalog as pages do and prints a line "name milliseconds" for each step, and
// the most memory in KiB of this process and of its largest child.
func measure(ctx context.Context, dir, cache string) (err error) {
	began := time.Now()
	said := func(name string) {
		fmt.Printf("%s %.1f\n", name, float64(time.Since(began).Microseconds())/1000)
		began = time.Now()
	}
	c, err := catalog.Open(ctx, dir, catalog.Options{Command: []string{os.Args[0]}, Cache: cache})
	if err != nil {
		return err
	}
	page, err := c.Search(ctx, catalog.Query{})
	if err != nil || len(page.Rows) == 0 {
		return fmt.Errorf("first page: %d rows: %w", len(page.Rows), err)
	}
	said("first-page")
	id := page.Rows[len(page.Rows)/2].ID
	if _, err := c.Item(ctx, id); err != nil {
		return err
	}
	said("first-item")
	if err := c.WaitIndexed(ctx); err != nil {
		return err
	}
	said("indexed")
	rare := strings.Fields(page.Rows[0].Question)
	queries := map[string]catalog.Query{
		"all": {}, "common-word": {Text: "the"}, "rare-word": {Text: strings.Trim(rare[len(rare)-3], "(,)")},
		"two-words": {Text: "which lot"}, "beginning": {Text: "wa*"},
		"filter": {Filters: []catalog.Filter{{Field: catalog.FieldType, Values: []string{page.Rows[0].Type}}, {Field: catalog.FieldOutcome, Values: []string{schemas.Pass}}}},
		"middle": {After: strconv.FormatInt(c.State().Rows/2, 10)},
	}
	for name, q := range queries {
		began = time.Now()
		page, err := c.Search(ctx, q)
		if err != nil {
			return err
		}
		said(fmt.Sprintf("search-%s-of-%d", name, page.Total))
	}
	facets, err := c.Facets(ctx, catalog.Query{})
	if err != nil {
		return err
	}
	var open []string
	for _, f := range facets {
		open = append(open, f.Name)
	}
	began = time.Now()
	if _, err := c.Facets(ctx, queries["filter"], open[:min(len(open), 12)]...); err != nil {
		return err
	}
	said("facets-12")
	if _, err := c.Facets(ctx, queries["filter"], open...); err != nil {
		return err
	}
	said(fmt.Sprintf("facets-%d", len(open)))
	item, err := c.Item(ctx, id)
	if err != nil {
		return err
	}
	said("item")
	if item.SameFactTotal < 1 {
		return fmt.Errorf("item %s shares its fact with %d questions", id, item.SameFactTotal)
	}
	own := memory("VmHWM")
	if err := c.Close(); err != nil {
		return err
	}
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return err
	}
	fmt.Printf("memory-own %d\nmemory-largest-child %d\n", own, children.Maxrss)
	return nil
}

// memory reads a line of /proc/self/status in KiB.
func memory(name string) (kib int) {
	status, _ := os.ReadFile("/proc/self/status") // 0 where there is none
	_, line, _ := strings.Cut(string(status), name+":")
	fmt.Sscan(line, &kib)
	return kib
}

// measured runs measure twice, first without an index in the cache.
func measured(t testing.TB, dir string) (without, with map[string]float64) {
	t.Helper()
	cache := t.TempDir()
	var runs []map[string]float64
	for range 2 {
		steps := map[string]float64{}
		out := run(t, "measure", dir, cache)
		t.Log(out)
		for line := range strings.Lines(out) {
			var name string
			var value float64
			if n, _ := fmt.Sscan(line, &name, &value); n == 2 {
				steps[name] = value
			}
		}
		runs = append(runs, steps)
	}
	return runs[0], runs[1]
}

// TestMemoryDoesNotGrow compares the memory of many questions with that of few.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("writes questions by the thousand in processes of their own; run without -short")
	}
	t.Parallel()
	few, _ := measured(t, multiply(t, testsize.Choose(500, 2_000)))
	many, _ := measured(t, multiply(t, testsize.Choose(5_000, 20_000)))
	for _, name := range []string{"memory-own", "memory-largest-child"} {
		if many[name] > few[name]+testsize.Choose(60.0, 150.0)*1024 {
			t.Errorf("%s: %.0f KiB of few and %.0f of ten times as many", name, few[name], many[name])
		}
	}
}

// BenchmarkMillion has, with all tests, the size that pages must bear: the first page within a
// second, and all processes within 500 MB.
func BenchmarkMillion(b *testing.B) {
	dir := multiply(b, testsize.Choose(20_000, 1_000_000))
	for b.Loop() {
		without, with := measured(b, dir)
		b.ReportMetric(without["first-page"], "ms-first-page")
		b.ReportMetric(with["item"], "ms-item")
		b.ReportMetric((without["memory-own"]+without["memory-largest-child"])/1024, "MiB-while-indexing")
		b.ReportMetric((with["memory-own"]+with["memory-largest-child"])/1024, "MiB")
		if kib := without["memory-own"] + without["memory-largest-child"]; without["first-page"] > 1000 || kib > 500<<10 {
			b.Errorf("the first page took %.0f ms, processes %.0f KiB", without["first-page"], kib)
		}
	}
}
