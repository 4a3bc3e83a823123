package video

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// evidenceSpan is a span of the composed video as evidence.
type evidenceSpan struct {
	timeline.Span
	role, source, caption string
}

// evidenceRows points at the clues, at what the wrong options come from, each as
// often as it is shown, and at where the videos' names can be seen, in the order
// of the composed video. What happens in neither video has the whole of it as
// evidence, for it occurs nowhere in that; what happens in one only has all of
// the other beside its clues.
func evidenceRows(c schemas.Composition, it ask.Item, lines map[ask.Side]timeline.Line) []schemas.Evidence {
	if len(it.Clues) == 0 {
		return []schemas.Evidence{{
			Kind: "media", Ref: c.Media.MediaID, Role: schemas.RoleAbsence, Order: 1, Modality: schemas.ModalityVideo,
			Caption: captionsWithin(it.Described, lines, timeline.Span{End: lines[ask.A].Total()}), MinimalCaption: minimalCaption(c, "a video"),
		}}
	}
	var runs []evidenceSpan
	for role, ms := range map[string][]ask.Moment{schemas.RoleClue: it.Clues, schemas.RoleDistractor: it.Distractors, schemas.RoleContext: it.NameMoments} {
		for _, m := range ms {
			shown := lines[m.Side].Spans(m.Event.Start, m.Event.End)
			source := singleSource(sideVideo(c.Pair, m.Side))
			if role == schemas.RoleContext {
				// A name is read once; what it names stands in no source's debt.
				shown, source = shown[:min(len(shown), 1)], ""
			}
			for _, span := range shown {
				runs = append(runs, evidenceSpan{span, role, source, m.Caption})
			}
		}
	}
	runs = append(runs, absenceSpans(c.Pair, it, lines)...)
	slices.SortFunc(runs, func(a, b evidenceSpan) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.role, b.role), cmp.Compare(a.source, b.source), cmp.Compare(a.caption, b.caption))
	})
	// Both names may be read at once, as when a split screen begins.
	runs = slices.CompactFunc(runs, func(a, b evidenceSpan) bool { return a == b })
	var out []schemas.Evidence
	for i, r := range runs {
		out = append(out, schemas.Evidence{
			Kind: "media", Ref: mediaFragment(c.Media.MediaID, r.Start, r.End), Role: r.role, SourceID: r.source,
			Order: int32(i + 1), Modality: schemas.ModalityVideo,
			Caption: r.caption, MinimalCaption: minimalCaption(c, "a few seconds of a video"),
		})
	}
	return out
}

// absenceSpans are the runs of the video in which something does not happen that
// happens in the other one only.
func absenceSpans(p schemas.Pair, it ask.Item, lines map[ask.Side]timeline.Line) []evidenceSpan {
	here := ask.Side(it.Target)
	if it.Type != schemas.TypeSourceMemory || here != ask.A && here != ask.B {
		return nil
	}
	side := here.Other()
	v := sideVideo(p, side)
	of := slices.DeleteFunc(slices.Clone(it.Described), func(m ask.Moment) bool { return m.Side != side })
	var out []evidenceSpan
	for _, s := range lines[side].Spans(0, playSeconds(v.Normalised)) {
		out = append(out, evidenceSpan{s, schemas.RoleAbsence, singleSource(v), captionsWithin(of, lines, s)})
	}
	return out
}

// minimalCaption says of what kind pictures are, and nothing of what they show
// (MemEye 3.3). The category of the videos is no part of it: the two have it in
// common, so that it would be said of every picture of a pair.
func minimalCaption(c schemas.Composition, of string) string {
	if c.Media.Recipe.Layout == schemas.LayoutSplit {
		of += " that shows two videos side by side"
	}
	return of
}
