package benchmark_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

type adapterConfig struct {
	Limit    int   `json:"limit"`
	MaxBytes int64 `json:"max_bytes"`
}

// adapter gives the videos of a small data set: needs 0 are videos, 1 archives of them, 2
// subtitles and 3 annotations.
type adapter struct{ cfg adapterConfig }

func (adapter) Spec() pipeline.Spec    { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }
func (adapter) Needs() []pipeline.Need { return nil }

func (a adapter) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	list, err := benchmark.AssetNamed(assets, 3, "list.txt")
	if err != nil {
		return err
	}
	text, err := benchmark.ReadAll(ctx, scope, list, 100)
	if err != nil {
		return err
	}
	benchmark.RejectProblems(scope, "list.txt", []benchmark.Problem{{Where: ":9", Why: "it is no name"}})
	files := benchmark.Index(assets, 0)
	if err := files.AddArchives(ctx, scope, a.cfg.MaxBytes, assets, 1); err != nil {
		return err
	}
	subtitles, err := benchmark.IndexSubtitles(ctx, scope, assets, 2)
	if err != nil {
		return err
	}
	var items []benchmark.Item
	for name := range strings.FieldsSeq(string(text)) {
		items = append(items, benchmark.Item{ID: "id-" + name, Stem: name, Video: schemas.Video{Title: name}, Fill: func(ctx context.Context, v *schemas.Video) error {
			cues, err := subtitles.Captions(ctx, name)
			v.Captions, v.Description = cues, benchmark.Describe(benchmark.Texts(cues))
			return err
		}})
	}
	return benchmark.Emitter{Scope: scope, Emit: emit, License: "CC0-1.0"}.EmitVideos(ctx, items, files, a.cfg.Limit)
}

// dataset returns the assets of the data set with their bytes.
func dataset(t *testing.T) (assets []pipeline.Asset, blobs [][]byte) {
	t.Helper()
	add := func(need int, path string, data []byte) {
		blobs = append(blobs, data)
		assets = append(assets, pipeline.Asset{Need: need, Path: path, Blob: pipeline.DigestOf(data), Size: int64(len(data))})
	}
	add(0, "own/a.mp4", []byte("film a"))
	add(0, "copy.mkv", []byte("film a"))
	assets = append(assets, pipeline.Asset{Need: 0, Path: "dead.mp4", Problem: pipeline.Reject("dead", "it is gone")}, pipeline.Asset{Need: 0, Path: "gated.mp4", Problem: pipeline.Reject("gated", "accept the terms")})
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for _, name := range []string{"in/zipped.mp4", "in/large.mp4", "notes.txt", "in/other.webm"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, name, strings.Repeat("x", map[string]int{"in/large.mp4": 300}[name]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	add(1, "videos.zip", z.Bytes())
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	r := tar.NewWriter(g)
	for _, name := range []string{"deep/tarred.mp4", "deep/second.mp4"} {
		if err := r.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(name))}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(r, name)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	half := b.Len() / 2
	add(1, "films.tar.gz.aa", b.Bytes()[:half])
	add(1, "films.tar.gz.ab", b.Bytes()[half:])
	add(1, "broken.zip", []byte("PK no archive"))
	add(1, "parts.tar.gz.ab", []byte("the first is missing"))
	cue := func(text string) []byte { return []byte("1\n00:00:01,000 --> 00:00:02,500\n" + text + "\n") }
	wrong := "\n2\n00:00:09,000 --> 00:00:03,000\nWrong.\n"
	add(2, "a.srt", append(bytes.Repeat(append(cue("A door opens."), '\n'), 9), wrong...))      // a tenth is wrong
	add(2, "second.srt", append(bytes.Repeat(append(cue("A door opens."), '\n'), 8), wrong...)) // more is
	add(2, "sub/zipped.SRT", append(cue("One."), wrong...))
	add(2, "other.srt", []byte("\xff\xfe no text"))
	assets = append(assets, pipeline.Asset{Need: 2, Path: "tarred.srt", Problem: pipeline.Reject("dead", "it is gone")})
	add(3, "list.txt", []byte("a copy dead gated zipped large other deep/tarred second none"))
	return assets, blobs
}

// TestGoldenVideos shows which videos are given, and why others are not.
func TestGoldenVideos(t *testing.T) {
	var out strings.Builder
	assets, blobs := dataset(t)
	for _, c := range []struct {
		name   string
		cfg    adapterConfig
		change func(assets []pipeline.Asset) []pipeline.Asset
	}{
		{"all", adapterConfig{0, 200}, nil}, {"three", adapterConfig{3, 200}, nil}, {"larger ones", adapterConfig{0, 1000}, nil},
		{"no list", adapterConfig{0, 200}, func(all []pipeline.Asset) []pipeline.Asset { return all[:len(all)-1] }},
		{"a list too large", adapterConfig{0, 200}, func(all []pipeline.Asset) []pipeline.Asset {
			all[len(all)-1].Size = 101
			return all
		}},
		{"a list that is gone", adapterConfig{0, 200}, func(all []pipeline.Asset) []pipeline.Asset {
			all[len(all)-1].Problem = pipeline.Reject("dead", "it is gone")
			return all
		}},
	} {
		s := testkit.Subject{Use: "adapter", Config: c.cfg, Assets: append([]pipeline.Asset(nil), assets...), Blobs: blobs, Register: func(r *pipeline.Registry) {
			pipeline.AddSource(r, "adapter", "1", "gives videos", func(c adapterConfig) (pipeline.Source, error) { return adapter{c}, nil })
		}}
		if c.change != nil {
			s.Assets = c.change(s.Assets)
		}
		records, lost, err := s.Read(t)
		fmt.Fprintf(&out, "# %s: %v\n", c.name, err)
		for _, v := range testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, records) {
			fmt.Fprintf(&out, "%s %s %.8s by %s, %s: %q %v\n", v.Title, v.Name, v.Media, v.SourceID, v.License, v.Description, v.Captions)
		}
		for _, l := range lost {
			fmt.Fprintf(&out, "%s: %s: %s\n", l.ID, l.Code, l.Reason)
		}
	}
	for _, n := range [][3]int{{0, 0, 100}, {5, 0, 100}, {5, 3, 100}, {3, 5, 100}, {0, 7, 50}} {
		fmt.Fprintf(&out, "at most %d of %d: %.120s\n", n[0], n[1], golden.JSON(t, benchmark.Forecast(n[0], n[1], float64(n[2]))))
	}
	for _, err := range []error{benchmark.Check("a/b", strings.Repeat("f", 40), 0, 1), benchmark.Check("a", "main", 0, 1), benchmark.Check("a/b", "main", -1, 1), benchmark.Check("a/b", "main", 0, 0), benchmark.Check("a/b", "main", 0, -1)} {
		fmt.Fprintln(&out, err)
	}
	fmt.Fprintln(&out, benchmark.ArchivePatterns(), benchmark.PicturePatterns())
	golden.Check(t, "videos", out.String())
}
