package video

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

func oneVideo(t *testing.T, rs []pipeline.Record, lost []pipeline.Rejection) schemas.Video {
	t.Helper()
	vs := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, rs)
	if len(vs) != 1 || len(lost) != 0 {
		t.Fatalf("%d videos, lost %v", len(vs), lost)
	}
	return vs[0]
}

func TestDescribe(t *testing.T) {
	b := newBench(t)
	m := b.script(b.watches)
	out, lost := b.run("video.describe", `{"frames": 2}`, b.cook("bread", "sift", "knead", "bake"))
	v := oneVideo(t, out, lost)
	for i, s := range v.Sections {
		if s.Description == nil || *s.Description != kitchens["bread"][i] || len(s.Frames) != 2 || s.Looks == nil {
			t.Errorf("section %d is %+v", i+1, s)
		}
	}
	if v.Describer != "scripted-1" || v.Summary != "A kitchen in 3 parts." {
		t.Errorf("describer %q, summary %q", v.Describer, v.Summary)
	}
	if len(m.requests) != 4 || m.requests[3].Task != jobSummarise {
		t.Fatalf("%d requests, want one a section and the summary", len(m.requests))
	}
	second := input[sectionInput](t, m.requests[1])
	want := sectionInput{Index: 2, Count: 3, Start: 10, End: 20, Frames: 2, Looks: v.Sections[1].Looks, Captions: []string{"knead"}, Before: &kitchens["bread"][0]}
	if !reflect.DeepEqual(second, want) || len(m.requests[1].Images()) != 2 {
		t.Errorf("section 2 was asked with %+v and %d images", second, len(m.requests[1].Images()))
	}
	whole := input[summaryInput](t, m.requests[3])
	if whole.Seconds != 30 || whole.Sections[2].Description != kitchens["bread"][2] || whole.Sections[2].Captions[0] != "bake" {
		t.Errorf("summarised from %+v", whole)
	}
}

// TestDescribeTellsTimes says of each frame when it is, of those that are shown.
func TestDescribeTellsTimes(t *testing.T) {
	b := newBench(t)
	v := b.video(b.cook("bread"))
	for i := range v.Sections {
		v.Sections[i].At = []float64{float64(10*i) + 2.5, float64(10*i) + 7.5}
	}
	in, images := sectionRequest(v, 1, 1, 100)
	if len(images) != 1 || string(images[0]) != v.Sections[1].Frames[1] || !slices.Equal(in.Shots, []frameTime{{1, 1, 17.5}}) {
		t.Errorf("%+v", in)
	}
	in, _ = sectionRequest(v, 1, 4, 100)
	if !slices.Equal(in.Shots, []frameTime{{1, 2, 12.5}, {2, 2, 17.5}}) {
		t.Errorf("%+v", in.Shots)
	}
}

// TestSectionsMayWaitTogether asks about every section at once where none is
// described knowing the one before, and about the first only where it is.
func TestSectionsMayWaitTogether(t *testing.T) {
	for patch, want := range map[string]int{`{"before": false}`: 3, "": 1} {
		b := newBench(t)
		m := b.script(func(pipeline.Request) (any, error) {
			return nil, &pipeline.Rejection{Code: "model-pending", Reason: "wait", Transient: true}
		})
		b.run("video.describe", patch, b.cook("bread"))
		if len(m.requests) != want {
			t.Errorf("%s: %d requests, want %d", patch, len(m.requests), want)
		}
	}
}

func TestDescribeByTheBuiltInModel(t *testing.T) {
	b := newBench(t)
	out, lost := b.run("video.describe", `{"frames": 0}`, b.cook("bread", "sift"))
	v := oneVideo(t, out, lost)
	d := v.Sections[1].Description
	if v.Describer != pipeline.BuiltInModel || d.FineVisualAttribute != "mostly white and green; rather dark, with medium contrast" || d.ToolProp != "" {
		t.Errorf("%s says %+v", v.Describer, d)
	}
	if !strings.HasPrefix(v.Summary, "Measured in 3 parts, not watched.") {
		t.Errorf("summary %q", v.Summary)
	}
}

// TestDescribeRejects wants a video without a description of each section to be
// lost with its reason, and the others to go on.
func TestDescribeRejects(t *testing.T) {
	tests := map[string]struct {
		spoil func(sectionInput) (any, error)
		code  string
		says  string
	}{
		"refusal": {func(sectionInput) (any, error) { return nil, pipeline.Reject("model-refused", "it will not") }, "model-refused", "describe section 2 of 3: it will not"},
		"invalid": {func(sectionInput) (any, error) { return map[string]string{"main_storyline": "x"}, nil }, "model-invalid", "describe section 2 of 3: "},
		"too long": {func(sectionInput) (any, error) {
			return descriptionAnswer{Description: schemas.Description{ToolProp: strings.Repeat("x", 601)}}, nil
		}, "model-invalid", "maxLength"},
		"declined":    {func(sectionInput) (any, error) { return descriptionAnswer{Cannot: "all is black"}, nil }, "declined", "describe section 2 of 3: scripted-1 declines: all is black"},
		"unsegmented": {nil, "not-segmented", "video.segment"},
	}
	for name, tc := range tests {
		b := newBench(t)
		b.script(func(r pipeline.Request) (any, error) {
			if r.Task == jobDescribe && tc.spoil != nil {
				if in := input[sectionInput](t, r); in.Index == 2 && len(in.Captions) > 0 {
					return tc.spoil(in)
				}
			}
			return b.watches(r)
		})
		bad := b.cook("bread", "a", "b")
		if tc.spoil == nil {
			bad = b.clip("bare", "")
		}
		out, lost := b.run("video.describe", "", bad, b.cook("soup"))
		if len(out) != 1 || len(lost) != 1 || lost[0].Code != tc.code || !strings.Contains(lost[0].Reason, tc.says) {
			t.Errorf("%s: %d videos, lost %+v", name, len(out), lost)
		}
	}
}

func TestCaptionsAreBounded(t *testing.T) {
	var all []schemas.Caption
	for i := range 100 {
		all = append(all, schemas.Caption{Start: float64(i), End: float64(i) + 1, Text: fmt.Sprintf("caption %02d", i)})
	}
	if got := captionTexts(all, 10, 12, 100); !slices.Equal(got, []string{"caption 10", "caption 11"}) {
		t.Errorf("%q", got)
	}
	got := captionTexts(all, 0, 100, 55)
	if len(got) != 5 || !slices.IsSorted(got) || got[0] != "caption 10" || got[4] != "caption 90" {
		t.Errorf("%q", got)
	}
	if got := captionTexts(all, 0, 100, 3); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if got := spreadEvenly([]int{1, 2, 3, 4, 5, 6, 7, 8}, 3); !slices.Equal(got, []int{2, 5, 7}) {
		t.Errorf("%v", got)
	}
}

// TestConformanceModels runs the suite on the stages that ask models, with the
// built-in one.
func TestConformanceModels(t *testing.T) {
	b := newBench(t)
	bread, soup := b.cook("bread", "sift"), b.cook("soup")
	b.conform("video.describe", nil, "2 b5e742b1bd6f3398d648fa539ce857824cb1481b377bf3027492efe0d3fb49e4", bread, soup)
	b.conform("video.annotate", nil, "2 f34ecb8843c28a2c98281710d67cad4532be3d69856cfc7cf732f7e93d82200c", bread, soup)
	made := b.kitchenPair()
	b.conform("video.author", nil, "6 4c1d8b1c006fa067e23b47758c73eec10275fb7f82dc8966a1450a6d5ec2feb1", made["AB"], made["BA"], made["interleaved AB"])
}
