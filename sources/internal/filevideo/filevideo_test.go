package filevideo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/filelabels"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// run reads files and returns records by name and rejections by id.
func run(t *testing.T, o filevideo.Options, files map[string]string, lost ...pipeline.Asset) (map[string]pipeline.Record, map[string]string, error) {
	t.Helper()
	r, err := filevideo.New(o)
	if err != nil {
		t.Fatal(err)
	}
	assets := lost
	for name, text := range files {
		assets = append(assets, pipeline.Asset{Path: name, Blob: pipeline.DigestOf([]byte(text)), Size: int64(len(text)), License: "upstream"})
	}
	records, rejected := map[string]pipeline.Record{}, map[string]string{}
	err = r.Read(t.Context(), filevideo.Sink{
		Source: "src",
		Open: func(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
			for _, text := range files {
				if pipeline.DigestOf([]byte(text)) == d {
					return io.NopCloser(strings.NewReader(text)), nil
				}
			}
			return nil, pipeline.ErrNoBlob
		},
		Emit: func(rec pipeline.Record) error {
			records[decode(t, rec).Name] = rec
			return nil
		},
		Reject: func(id string, why *pipeline.Rejection) { rejected[id] = why.Code },
	}, assets)
	return records, rejected, err
}

func decode(t *testing.T, rec pipeline.Record) schemas.Video {
	t.Helper()
	v, err := pipeline.Decode[schemas.Video](rec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRecords(t *testing.T) {
	files := map[string]string{
		"asl_wave.mkv": "1", "sub/asl_bow.mkv": "2", "other.mkv": "3", "zz-copy.mkv": "1",
		"labels.csv": "file,action,scene,title,category,description,license\nsub/asl_bow.mkv,curtsey,hall,T,C,D,MIT\n",
	}
	lost := pipeline.Asset{Path: "dead.mkv", Problem: pipeline.Reject("dead", "gone")}
	records, rejected, err := run(t, filevideo.Options{Labels: "labels.csv", LabelsFromName: `asl_(?P<action>\w+)`, Category: "sign"}, files, lost)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"zz-copy.mkv": filevideo.CodeDuplicate, "dead.mkv": "dead"}; !maps.Equal(rejected, want) {
		t.Errorf("rejected %v, want %v", rejected, want)
	}
	wave := decode(t, records["asl_wave.mkv"])
	if wave.Labels["action"] != "wave" || wave.Category != "sign" || wave.License != "upstream" || wave.SourceID != "src" || wave.Media != string(pipeline.DigestOf([]byte("1"))) {
		t.Errorf("wave %+v", wave)
	}
	bow := decode(t, records["sub/asl_bow.mkv"])
	if fmt.Sprint(bow.Labels) != "map[action:curtsey scene:hall]" || bow.Title != "T" || bow.Category != "C" || bow.Description != "D" || bow.License != "MIT" {
		t.Errorf("bow %+v", bow)
	}
	if other := decode(t, records["other.mkv"]); other.Labels != nil {
		t.Errorf("other %+v", other)
	}
	rec := records["asl_wave.mkv"]
	if rec.Schema != schemas.NameVideo || len(rec.Blobs) != 1 || string(rec.Blobs[0]) != wave.Media {
		t.Errorf("record %+v", rec)
	}
	// Golden: the id is part of every release that names it.
	if rec.ID != "video-f97ff46348f50229" {
		t.Errorf("id %s", rec.ID)
	}
}

func TestAChangedLabelChangesItsRecordOnly(t *testing.T) {
	o := filevideo.Options{Labels: "l.jsonl"}
	files := map[string]string{"a.mp4": "1", "b.mp4": "2", "l.jsonl": `{"file":"a.mp4","x":"1"}` + "\n" + `{"file":"b.mp4","x":"2"}`}
	before, _, err := run(t, o, files)
	if err != nil {
		t.Fatal(err)
	}
	files["l.jsonl"] = strings.Replace(files["l.jsonl"], `"2"`, `"3"`, 1)
	after, _, err := run(t, o, files)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string) bool {
		a, errA := before[name].Encode()
		b, errB := after[name].Encode()
		return errA == nil && errB == nil && bytes.Equal(a, b)
	}
	if !same("a.mp4") || same("b.mp4") || before["b.mp4"].ID != after["b.mp4"].ID {
		t.Error("want b.mp4 changed under the same id, and a.mp4 as it was")
	}
}

func TestSidecarRowsThatFitNoFile(t *testing.T) {
	files := map[string]string{"A.mp4": "1", "l.csv": "file,x\na.mp4,1\nnone.mp4,1\nnone.txt,1\nlost.mp4,1\n../a.mp4,1\n"}
	_, rejected, err := run(t, filevideo.Options{Labels: "l.csv"}, files, pipeline.Asset{Path: "lost.mp4", Problem: pipeline.Reject("gated", "x")})
	want := map[string]string{"l.csv:2": filevideo.CodeNoSuchFile, "l.csv:3": filevideo.CodeNoSuchFile, "l.csv:6": filelabels.CodeBadPath, "lost.mp4": "gated"}
	if err != nil || !maps.Equal(rejected, want) {
		t.Errorf("rejected %v, %v, want %v", rejected, err, want)
	}
}

func TestUnusableSidecar(t *testing.T) {
	o := filevideo.Options{Labels: "l.csv"}
	_, _, err := run(t, o, map[string]string{"a.mp4": "1"})
	if err == nil || !strings.Contains(err.Error(), "labels l.csv: no such file") {
		t.Errorf("absent: %v", err)
	}
	_, _, err = run(t, o, map[string]string{"a.mp4": "1", "l.csv": "a.mp4,wave\n"})
	if err == nil || !strings.Contains(err.Error(), "l.csv:1: header") {
		t.Errorf("no header: %v", err)
	}
	_, _, err = run(t, o, nil, pipeline.Asset{Path: "l.csv", Problem: pipeline.Reject("gated", "accept the terms")})
	var why *pipeline.Rejection
	if !errors.As(err, &why) || why.Code != "gated" {
		t.Errorf("gated: %v", err)
	}
}

// Labels that no file's name gives would be missed at the end of a build.
func TestAPatternThatMatchesNoFileIsAnError(t *testing.T) {
	o := filevideo.Options{LabelsFromName: `^asl_(?P<action>\w+)$`}
	records, _, err := run(t, o, map[string]string{"ASL-bow.mkv": "1", "sub/zz.mkv": "2"})
	var mismatch *pipeline.SettingError
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), `"^asl_(?P<action>\\w+)$" matches no file`) || !strings.Contains(err.Error(), `is "ASL-bow"`) || len(records) > 0 {
		t.Errorf("%d records, error %v", len(records), err)
	}
	if _, _, err := run(t, o, map[string]string{"a.mkv": "1", "asl_bow.mkv": "2"}); err != nil {
		t.Errorf("one file matches: %v", err)
	}
	if _, _, err := run(t, o, nil); err != nil {
		t.Errorf("no files: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	tests := map[string]filevideo.Options{
		"exclude pattern":  {Exclude: []string{"["}},
		"include pattern":  {Include: []string{"../x"}},
		".csv or .jsonl":   {Labels: "l.txt"},
		"below the source": {Labels: "../l.csv"},
		"labels_from_name": {LabelsFromName: "("},
		"no named group":   {LabelsFromName: "a(b)"},
	}
	for want, o := range tests {
		if _, err := filevideo.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestIncludeTakesVideosInAnySpellingAndTheSidecar(t *testing.T) {
	r, err := filevideo.New(filevideo.Options{Labels: "l[1].csv"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Include(), " "); !strings.HasPrefix(got, "**/*.[mM][pP]4 ") || !strings.HasSuffix(got, ` l\[1].csv`) {
		t.Errorf("include %s", got)
	}
}

// TestExtensionsOfVideos: a .ts file is TypeScript in a repository of source code, and a video elsewhere.
func TestExtensionsOfVideos(t *testing.T) {
	if got := strings.Join(filevideo.Extensions(false), " "); got != ".mp4 .mkv .webm .mov .avi .m4v .ts" {
		t.Errorf("videos: %s", got)
	}
	if got := strings.Join(filevideo.Extensions(true), " "); got != ".mp4 .mkv .webm .mov .avi .m4v" {
		t.Errorf("videos among source code: %s", got)
	}
	if got := filevideo.Patterns(true); len(got) != 6 || len(filevideo.Patterns(false)) != 7 {
		t.Errorf("patterns %q", got)
	}
}
