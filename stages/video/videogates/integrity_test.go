package videogates

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestIntegrityFindsWhatWasPlanted looks at clean videos of every layout and at
// the same ones after one thing was changed in recipe or file.
func TestIntegrityFindsWhatWasPlanted(t *testing.T) {
	d := newDarkroom(t)
	a, b := d.source(60, 30, 300), d.source(50, 210, 700)
	part := func(s schemas.Segment, from, to int64) schemas.Segment {
		s.From, s.To = from, to
		return s
	}
	concat := d.join(row(a, b))
	woven := d.join(row(part(a, 0, 30), part(b, 0, 20), part(a, 30, 60), part(b, 20, 50)))
	sides := d.split(a, b)
	for i, m := range []schemas.Media{concat, d.join(row(a, a, b)), woven, sides[0], sides[1]} {
		v := d.look(m)
		t.Logf("clean video %d: %s", i, v.Reason)
		if v.Outcome != schemas.Pass || !strings.Contains(v.Reason, "frames") {
			t.Errorf("clean video %d: %+v", i, v)
		}
	}
	shifted, err := media.JoinSound([]media.SoundPiece{{To: 10}, {Path: d.path(b.Audio), To: b.To - 10}}, 25, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	late, brief := b, b
	late.Audio, brief.Audio = d.file(shifted), d.put(first(t, d.path(b.Audio), 0.5))
	planted := map[string]schemas.Media{
		"order of the segments": edit(woven, func(m *schemas.Media) {
			m.Recipe = row(part(b, 0, 20), part(a, 0, 30), part(a, 30, 60), part(b, 20, 50))
		}),
		"a segment of later": edit(woven, func(m *schemas.Media) { m.Recipe.Segments[1].From, m.Recipe.Segments[1].To = 10, 30 }),
		"one frame moved": edit(woven, func(m *schemas.Media) {
			m.Recipe = row(part(a, 0, 31), part(b, 0, 19), part(a, 30, 60), part(b, 20, 50))
		}),
		"the other source":          edit(concat, func(m *schemas.Media) { m.Recipe.Segments[1].Source, m.Recipe.Segments[1].Audio = a.Source, a.Audio }),
		"sound ten frames late":     edit(concat, func(m *schemas.Media) { m.Recipe = row(a, late) }),
		"sound cut within a packet": edit(concat, func(m *schemas.Media) { m.Recipe = row(a, brief) }),
		"sound of the other":        edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Audio, m.Recipe.Segments[1].Audio = b.Audio, a.Audio }),
		"no sound":                  edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Audio, m.Recipe.Segments[1].Audio = "", "" }),
		"two sounds of one source":  edit(woven, func(m *schemas.Media) { m.Recipe.Segments[2].Audio = b.Audio }),
		"a swap a frame later":      edit(sides[1], func(m *schemas.Media) { m.Recipe.SwapFrames[1]++ }),
		"no swaps":                  edit(sides[1], func(m *schemas.Media) { m.Recipe.SwapFrames = nil }),
		"sides exchanged":           edit(sides[0], func(m *schemas.Media) { m.Recipe.Segments[0].Region, m.Recipe.Segments[1].Region = "right", "left" }),
		"another file":              edit(concat, func(m *schemas.Media) { m.MediaID = d.join(row(b, a)).MediaID }),
		"fewer frames stated":       edit(concat, func(m *schemas.Media) { m.Frames--; m.Duration = float64(m.Frames) / 25 }),
		"another rate stated":       edit(concat, func(m *schemas.Media) { m.FPS = 30 }),
		"a name for a source":       edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Source = "kitchen.mp4" }),
		"cut off":                   edit(concat, func(m *schemas.Media) { m.MediaID = d.put(first(t, d.path(m.MediaID), 0.7)) }),
		"no video":                  edit(concat, func(m *schemas.Media) { m.MediaID = d.put([]byte("text")) }),
	}
	for name, m := range planted {
		v := d.look(m)
		if v.Outcome != schemas.Fail || v.Reason == "" {
			t.Errorf("%s: %+v, want fail", name, v)
		}
		t.Logf("%s: %s", name, v.Reason)
	}
	gone := edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Source = strings.Repeat("0", 64) })
	if v := d.look(gone); v.Outcome != schemas.Error || !strings.Contains(v.Reason, "not in the store") {
		t.Errorf("a source that is gone: %+v, want error", v)
	}
	still := edit(concat, func(m *schemas.Media) { m.Kind, m.Recipe.Segments = "image", nil })
	if v := d.look(still); v.Outcome != schemas.NotApplicable {
		t.Errorf("an image: %+v, want not applicable", v)
	}
}

// edit changes a copy of a media row.
func edit(m schemas.Media, change func(*schemas.Media)) schemas.Media {
	m.Recipe.Segments = slices.Clone(m.Recipe.Segments)
	m.Recipe.SwapFrames = slices.Clone(m.Recipe.SwapFrames)
	change(&m)
	return m
}

// first reads a share of a file.
func first(t *testing.T, path string, share float64) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b[:int(share*float64(len(b)))]
}

func TestTellingTags(t *testing.T) {
	tags := slices.Concat(formatTags, []string{"file: title=kitchen", "stream: handler_name=kitchen", "chapter: title=second video"})
	if got := unexpectedTags(tags); len(got) != 3 {
		t.Errorf("telling tags %q, want the last three", got)
	}
}

func TestIntegrityConformance(t *testing.T) {
	d := newDarkroom(t)
	a := d.source(30, 30, 300)
	good := d.join(row(a))
	bad := edit(good, func(m *schemas.Media) { m.Recipe.Segments[0].From++; m.Frames--; m.Duration = float64(m.Frames) / 25 })
	s := testkit.Subject{
		Register: func(r *pipeline.Registry) { Register(r); r.AddTool("ffmpeg", ffmpeg) },
		Use:      "video-integrity", Blobs: d.blobs, Faults: testsize.Choose[int64](2, 4), Unpinned: "the version of ffmpeg shapes the videos",
	}
	for id, m := range map[string]schemas.Media{"good": good, "bad": bad} {
		r, err := pipeline.NewRecord(schemas.NameMedia, id, m)
		if err != nil {
			t.Fatal(err)
		}
		s.Inputs = append(s.Inputs, r)
	}
	testkit.ConformGate(t, s)
}

// BenchmarkIntegrity looks at a minute of 640x360 joined from three times the
// same 20 s, and at the swapped split screen of two times 20 s. It reports CPU
// seconds of the tools for each, and for comparison those that drawing and
// normalising 20 s of a source took.
func BenchmarkIntegrity(b *testing.B) {
	d := newDarkroom(b)
	d.profile = media.DefaultProfile()
	d.width, d.height = 640, 360
	before := toolSeconds(b)
	a, other := d.source(500, 30, 300), d.source(500, 210, 700)
	source := (toolSeconds(b) - before) / 2
	for name, m := range map[string]schemas.Media{"joined": d.join(row(a, a, a)), "split": d.split(a, other)[1]} {
		b.Run(name, func(b *testing.B) {
			before := toolSeconds(b)
			for b.Loop() {
				m.Caption += "." // another record, so that the gate looks again
				if v := d.look(m); v.Outcome != schemas.Pass {
					b.Fatal(v.Reason)
				}
			}
			b.ReportMetric((toolSeconds(b)-before)/float64(b.N), "cpu-s/video")
			b.ReportMetric(source, "cpu-s/source")
		})
	}
}

// toolSeconds is the processor time that ended child processes have taken.
func toolSeconds(t testing.TB) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
