package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Item is one video that the annotations name.
type Item struct {
	// ID is the upstream's, unique among the items; rejections carry it.
	ID string
	// Stem is what the path of its file ends in, see Stem.
	Stem string
	// Video is the record without Media, Name, SourceID and License.
	Video schemas.Video
	// Fill, if set, adds what is read only for a video that is given. An error
	// ends the build.
	Fill func(ctx context.Context, v *schemas.Video) error
}

// Emitter is where records and losses go to.
type Emitter struct {
	Scope *pipeline.Scope
	Emit  func(pipeline.Record) error
	// License of every video, or empty when it is not known. That of the
	// annotations says nothing about the videos.
	License string
}

// EmitVideos emits one record per item whose file is there, in order of id, and
// rejects the others. At most limit records are given (0: all), those that a
// seeded draw puts first: another video more or less changes little in it.
func (s Emitter) EmitVideos(ctx context.Context, items []Item, files *Files, limit int) error {
	chosen := s.pickItems(items, files, limit)
	slices.SortFunc(chosen, func(a, b Item) int { return strings.Compare(a.ID, b.ID) })
	if err := s.extract(ctx, chosen, files); err != nil {
		return err
	}
	first := map[pipeline.Digest]string{}
	for _, it := range chosen {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, _ := files.find(it.Stem)
		if why := f.rejection(); why != nil { // found when it was taken out
			s.Scope.Reject(it.ID, why)
			continue
		}
		if kept, twice := first[f.blob]; twice {
			s.Scope.Reject(it.ID, pipeline.Reject(CodeDuplicate, "its file %q holds the same bytes as that of %q; one of the two is wrong", f.path, kept))
			continue
		}
		first[f.blob] = it.ID
		if err := s.emit(ctx, it, f); err != nil {
			return err
		}
	}
	return nil
}

// extract brings the chosen members of archives into the store.
func (s Emitter) extract(ctx context.Context, chosen []Item, files *Files) error {
	stems := make([]string, len(chosen))
	for i, it := range chosen {
		stems[i] = it.Stem
	}
	return files.Extract(ctx, s.Scope, stems)
}

// pickItems picks items in random order until limit of them have a file. Those without
// one are rejected.
func (s Emitter) pickItems(items []Item, files *Files, limit int) []Item {
	var chosen []Item
	for _, it := range Shuffle(s.Scope, items, func(it Item) string { return it.ID }) {
		if limit > 0 && len(chosen) == limit {
			break
		}
		if why := files.problemOf(it.Stem); why != nil {
			s.Scope.Reject(it.ID, why)
			continue
		}
		chosen = append(chosen, it)
	}
	return chosen
}

// Shuffle puts things in a seeded order in which each has its place by its own
// id: one more or less does not change the order of the others.
func Shuffle[T any](scope *pipeline.Scope, things []T, id func(T) string) []T {
	type drawn struct {
		thing T
		id    string
		place uint64
	}
	all := make([]drawn, len(things))
	for i, t := range things {
		all[i] = drawn{t, id(t), scope.Rand("draw", id(t)).Uint64()}
	}
	slices.SortFunc(all, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.place, b.place), strings.Compare(a.id, b.id))
	})
	out := make([]T, len(all))
	for i, d := range all {
		out[i] = d.thing
	}
	return out
}

func (s Emitter) emit(ctx context.Context, it Item, f *file) error {
	v := it.Video
	if it.Fill != nil {
		if err := it.Fill(ctx, &v); err != nil {
			return fmt.Errorf("video %s: %w", it.ID, err)
		}
	}
	v.Media, v.Name, v.SourceID, v.License = string(f.blob), f.path, s.Scope.Name(), s.License
	rec, err := pipeline.NewRecord(schemas.NameVideo, filevideo.RecordID(v.SourceID, f.blob), v, f.blob)
	if err != nil {
		s.Scope.Reject(it.ID, pipeline.Reject(CodeTooLarge, "%v", err))
		return nil
	}
	return s.Emit(rec)
}

// maxText bounds a description: it is carried by every record that is made of
// the video, up to twelve of them in one.
const maxText = 16 << 10

// Describe joins texts to one of at most 16 KiB. When there are more, every
// n-th is taken, so that the end of a video counts as much as its beginning.
func Describe(texts []string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" })
	size := 0
	for _, t := range texts {
		size += len(t) + 1
	}
	step := (size + maxText - 1) / maxText
	var b strings.Builder
	for i := 0; i < len(texts); i += max(1, step) {
		t := texts[i]
		if b.Len()+len(t)+1 > maxText {
			t = strings.ToValidUTF8(t[:max(0, min(len(t), maxText-b.Len()-1))], "")
		}
		if t != "" && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t)
	}
	return b.String()
}

// Texts returns the texts of captions.
func Texts(captions []schemas.Caption) []string {
	out := make([]string, len(captions))
	for i, c := range captions {
		out[i] = c.Text
	}
	return out
}

// Question is one question about a video as its benchmark asks it. A record
// keeps of it what is true of the video: the question and its right answer.
type Question struct {
	// Text is the question without options; Answer the text of the right one,
	// or empty.
	Text, Answer string
	// Spans are where the answer is seen, if the benchmark says so.
	Spans []annotation.Span
}

func (q Question) statement() string { return strings.TrimSpace(q.Text + " " + q.Answer) }

// Statements returns the questions with their answers, each of them once.
func Statements(questions []Question) []string {
	var out []string
	seen := map[string]bool{}
	for _, q := range questions {
		if text := q.statement(); !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// TimedCaptions returns the questions that name a time, in order of time: the only timed
// texts of a video without captions.
func TimedCaptions(questions []Question) []schemas.Caption {
	var out []schemas.Caption
	for _, q := range questions {
		for _, s := range q.Spans {
			out = append(out, schemas.Caption{Start: s.Start, End: s.End, Text: q.statement()})
		}
	}
	slices.SortStableFunc(out, func(a, b schemas.Caption) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out
}

// Forecast is that of a source which gives at most so many videos, 0 for no bound, of
// those that there are, 0 where the number is unknown beforehand: all are there, and ordinary.
func Forecast(most, all int, meanSeconds float64) pipeline.Forecast {
	if most == 0 && all == 0 {
		return pipeline.Forecast{Unknown: "max_videos is not set, and how many videos there are shows when it is read"}
	}
	if most == 0 || all > 0 && most > all {
		most = all
	}
	videos := media.FootageAmount(float64(most), meanSeconds)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: videos}, CPU: media.ReadingCPU(videos), Bytes: videos.Bytes}
}
