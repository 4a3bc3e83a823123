package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// scaleVariable is what a child of this test writes and verifies: how many probes
// and how many pictures.
const scaleVariable = "MEMFORGE_TEST_SCALE"

// perGate and gatesOf are the probes of a question: as many as a panel of four in
// all rotations has.
const (
	perGate = 100
	gatesOf = 5
)

// streamedSample has a question for each 500 probes, all of which come as a stream.
func streamedSample(t testing.TB, probes int) (*memoryStore, Input) {
	t.Helper()
	store, in := sample(t, 1)
	questions := max(probes/(perGate*gatesOf), 1)
	for i := 1; i < questions; i++ {
		q := question(i, "t-0", "")
		q.QuestionID, q.Evidence, q.Media, q.Split = fmt.Sprintf("q-%08d", i), nil, nil, "test"
		in.Records = append(in.Records, record(t, schemas.NameQuestion, q.QuestionID, q))
	}
	in.Stream = judgements(t, questions)
	return store, in
}

// judgements are verdicts and probes of questions.
func judgements(t testing.TB, questions int) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for i := questions - 1; i > 0; i-- {
			item := fmt.Sprintf("q-%08d", i)
			for g := range gatesOf {
				gate := fmt.Sprint("gate-", g)
				id := item + "/" + gate
				v := schemas.Verdict{Item: item, Gate: gate, Outcome: schemas.Pass, CallsMade: perGate, CallsFull: perGate}
				var asked schemas.Probes
				for n := range perGate {
					asked.Probes = append(asked.Probes, schemas.Probe{
						Item: item, Gate: gate, View: []string{"none", "text"}[n%2], ViewDigest: string(pipeline.DigestOf([]byte(item))), Role: fmt.Sprint("panel-", n/2%4),
						Model: "model-1", Rotation: int32(n / 8 % 4), Sample: int32(n / 32), Response: fmt.Sprint("Answer: B, for so says ", pipeline.DigestOf(fmt.Append(nil, id, n))), Answer: "B", Mark: schemas.MarkRight, InputTokens: int64(800 + i%97), OutputTokens: 9,
					})
				}
				if !yield(record(t, schemas.NameVerdict, "v/"+id, v), nil) || !yield(record(t, schemas.NameProbes, "p/"+id, asked), nil) {
					return
				}
			}
		}
	}
}

// pictures are a store that makes each of n when it is asked for: the same few pixels,
// told apart by what stands behind them.
type pictures struct {
	*memoryStore
	pixels []byte
	at     map[[sha256.Size]byte]int32
}

func (p *pictures) bytes(i int) []byte {
	return fmt.Appendf(p.pixels[:len(p.pixels):len(p.pixels)], "%d", i)
}

func (p *pictures) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	var key [sha256.Size]byte
	if _, err := hex.Decode(key[:], []byte(d)); err != nil {
		return nil, err
	}
	i, ok := p.at[key]
	if !ok {
		return p.memoryStore.OpenBlob(ctx, d)
	}
	return io.NopCloser(bytes.NewReader(p.bytes(int(i)))), nil
}

// withPictures adds media to the stream, each with a question about it.
func withPictures(t testing.TB, store *memoryStore, in *Input, n int) *pictures {
	t.Helper()
	p := &pictures{store, picturePNG(2, 2, 1), map[[sha256.Size]byte]int32{}}
	before := in.Stream
	in.Stream = func(yield func(pipeline.Record, error) bool) {
		for i := range n {
			b := p.bytes(i)
			sum := sha256.Sum256(b)
			p.at[sum] = int32(i)
			m := schemas.Media{MediaID: hex.EncodeToString(sum[:]), Kind: "image", Mime: "image/png", Bytes: int64(len(b)), Width: 2, Height: 2, License: "CC0-1.0"}
			q := question(i, "t-0", m.MediaID)
			q.QuestionID, q.Split = fmt.Sprintf("p-%08d", i), "test"
			if !yield(record(t, schemas.NameMedia, m.MediaID, m), nil) || !yield(record(t, schemas.NameQuestion, q.QuestionID, q), nil) {
				return
			}
		}
		before(yield)
	}
	return p
}

// TestScaleAsChild writes and verifies in a process of its own and says what it took.
func TestScaleAsChild(t *testing.T) {
	var probes, pictures int
	if n, _ := fmt.Sscan(os.Getenv(scaleVariable), &probes, &pictures); n != 2 {
		return // the tests below run it
	}
	plain, in := streamedSample(t, probes)
	store := withPictures(t, plain, &in, pictures)
	began := time.Now()
	dir := write(t, store, t.TempDir(), in).Dir
	wrote := time.Since(began)
	written := peakKiB(t)
	began = time.Now()
	report, err := Verify(t.Context(), dir)
	if err != nil {
		t.Fatalf("%.2000v", err)
	}
	fmt.Printf("took %d probes, %d media, %d files: write %.1f s, %d KiB, verify %.1f s, %d KiB\n",
		report.Rows[tableProbes], report.Rows[tableMedia], report.Files, wrote.Seconds(), written, time.Since(began).Seconds(), peakKiB(t))
}

// scaled runs the child and returns the most memory that it had.
func scaled(t testing.TB, probes, pictures int) (kib int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScaleAsChild$", "-test.v", "-test.timeout=3h")
	// GOGC as users have it, whatever make test sets.
	cmd.Env = append(os.Environ(), "GOGC=100", fmt.Sprintf("%s=%d %d", scaleVariable, probes, pictures))
	out, err := cmd.CombinedOutput()
	_, took, ok := strings.Cut(string(out), "took ")
	if err != nil || !ok {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	took, _, _ = strings.Cut(took, "\n")
	t.Log(took)
	if _, err := fmt.Sscan(took[strings.LastIndex(took, ", ")+2:], &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// TestMemoryDoesNotGrowWithRows writes and verifies five times as many probes.
// BenchmarkScale has the sizes that take minutes.
func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	if testing.Short() {
		t.Skip("writes probes by the ten thousand in processes of their own; run without -short")
	}
	t.Parallel()
	n := testsize.Choose(8_000, 30_000)
	few, many := scaled(t, n, 0), scaled(t, 5*n, 0)
	if most := testsize.Choose(220, 500) << 10; few > most || many > most {
		t.Errorf("%d and %d KiB, at most %d", few, many, most)
	}
}

// BenchmarkScale tells time and memory of the sizes that a release must bear.
func BenchmarkScale(b *testing.B) {
	for _, s := range [][2]int{{1_000_000, 0}, {10_000_000, 0}, {0, 400_000}} {
		b.Run(fmt.Sprintf("probes=%d,media=%d", s[0], s[1]), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(scaled(b, s[0], s[1]))/(1<<10), "peak-MiB")
			}
		})
	}
}

// TestFlawsBetweenShardsAreFound plants one flaw each in a table of several files.
func TestFlawsBetweenShardsAreFound(t *testing.T) {
	t.Parallel()
	store, in := streamedSample(t, 4_000)
	root := t.TempDir()
	done, err := Write(t.Context(), store, root, in, Options{Shard: 200_000, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tab := tableOf(tableProbes)
	m := mustVerify(t, done.Dir).Manifest
	info, _ := m.Table(tableProbes)
	if len(info.Splits) < 3 {
		t.Fatalf("%d shards", len(info.Splits))
	}
	shards := make([][]row, len(info.Splits))
	for i, s := range info.Splits {
		if shards[i], _, err = readTable(files(t, done.Dir)[s.Path], tab); err != nil {
			t.Fatal(err)
		}
	}
	for name, plant := range map[string]struct {
		want   string
		change func([][]row)
	}{
		"a row swapped between shards": {"rows are not in order", func(s [][]row) { s[0][1], s[2][1] = s[2][1], s[0][1] }},
		"a key in two shards":          {"occurs twice", func(s [][]row) { s[1][0] = s[0][len(s[0])-1] }},
		"order broken between shards":  {"rows are not in order", func(s [][]row) { s[0], s[1] = s[1], s[0] }},
		"a shard that is empty":        {"it rests on", func(s [][]row) { s[1] = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() + "/r"
			if err := os.CopyFS(dir, os.DirFS(done.Dir)); err != nil {
				t.Fatal(err)
			}
			now := make([][]row, len(shards))
			for i := range shards {
				now[i] = append([]row{}, shards[i]...)
			}
			plant.change(now)
			for i, s := range info.Splits {
				overwrite(t, dir, s.Path, encode(t, tab, now[i]))
			}
			reseal(t, dir, func(m *manifest.Manifest) {
				for i := range m.Tables {
					if m.Tables[i].Name != tableProbes {
						continue
					}
					m.Tables[i].Rows = 0
					for j := range m.Tables[i].Splits {
						m.Tables[i].Splits[j].Rows = int64(len(now[j]))
						m.Tables[i].Rows += int64(len(now[j]))
					}
				}
			})
			if _, err := Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), plant.want) && name != "a shard that is empty" {
				t.Errorf("%.1000v, want %q", err, plant.want)
			}
		})
	}
	if err := os.Remove(done.Dir + "/" + info.Splits[1].Path); err != nil {
		t.Fatal(err)
	}
	finds(t, done.Dir, info.Splits[1].Path, "is missing")
}
