package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// span is a run of the composed video, in seconds, in a region of the picture.
type span struct {
	start, end float64
	region     string
}

// spans lists when a moment is seen, in order: more than once where its video
// is played again or cut meanwhile. A moment lasts a frame at least.
func (w *composition) spans(m moment) []span {
	var out []span
	for _, s := range m.video.showings {
		own, length := float64(s.own)/w.fps, float64(s.to-s.from)/w.fps
		from, to := max(m.start, own), min(max(m.end, m.start+1/w.fps), own+length)
		if to-from < instant {
			continue
		}
		at := float64(s.at)/w.fps - own
		next := span{at + from, at + to, s.region}
		if n := len(out); n > 0 && almostEqual(out[n-1].end, next.start) {
			out[n-1].end = next.end
			continue
		}
		out = append(out, next)
	}
	return out
}

// evidenceSpan is a span that an answer or a wrong option comes from, or that
// shows a video's name.
type evidenceSpan struct {
	span
	role, source string
}

// evidence lists what the answer and the wrong options come from, as often as
// it is seen, all of the video in which something does not happen that happens
// only in the other, and where the names of the videos are. Where a wrong
// option may come from several events it takes those that are stated.
func (w *composition) evidence(r solution, medium string, stated []schemas.Evidence) []schemas.Evidence {
	if len(r.clues) == 0 {
		return []schemas.Evidence{{
			Kind: "media", Ref: medium, Role: schemas.RoleAbsence, Order: 1, Modality: schemas.ModalityVideo, MinimalCaption: w.minimalCaption("a video"),
		}}
	}
	var all []evidenceSpan
	for _, m := range r.clues {
		all = append(all, w.evidenceSpans(m, schemas.RoleClue)...)
	}
	for _, from := range r.others {
		chosen := w.evidenceSpans(from[0], schemas.RoleDistractor)
		for _, m := range from {
			if ps := w.evidenceSpans(m, schemas.RoleDistractor); citesAll(stated, medium, ps) {
				chosen = ps
				break
			}
		}
		all = append(all, chosen...)
	}
	if only := w.videos[r.target]; only != nil && r.typ == schemas.TypeSourceMemory {
		rest := w.other(only)
		all = append(all, w.evidenceSpans(moment{rest, seenEvent{end: float64(rest.length) / w.fps}}, schemas.RoleAbsence)...)
	}
	for _, id := range w.names {
		for _, m := range w.nameMoments(w.videos[id]) {
			if spans := w.spans(m); len(spans) > 0 {
				all = append(all, evidenceSpan{spans[0], schemas.RoleContext, ""})
			}
		}
	}
	out := orderEvidence(all, medium, stated)
	for i := range out {
		out[i].MinimalCaption = w.minimalCaption("a few seconds of a video")
	}
	return out
}

// titleSeconds is how long reading the title of a video takes.
const titleSeconds = 2

// nameMoments returns the moments at which a video's name is seen: its
// beginning, for its title, or what it shows first and, where its name says so,
// last.
func (w *composition) nameMoments(f *video) []moment {
	if len(f.labelValues(schemas.AttributeTitle)) > 0 {
		return []moment{{f, seenEvent{end: titleSeconds}}}
	}
	shown := f.eventsOf("shows")
	name, err := w.videoName(f)
	if err != nil || len(shown) == 0 {
		return nil
	}
	out := []moment{{f, shown[0]}}
	rest := strings.Replace(name, `"`+shown[0].value+`"`, "", 1)
	if last := shown[len(shown)-1]; len(shown) > 1 && strings.Contains(rest, `"`+last.value+`"`) {
		out = append(out, moment{f, last})
	}
	return out
}

func (w *composition) minimalCaption(of string) string {
	if w.layout == layoutSplit {
		of += " that shows two videos side by side"
	}
	return of
}

func (w *composition) evidenceSpans(m moment, role string) []evidenceSpan {
	var out []evidenceSpan
	for _, s := range w.spans(m) {
		out = append(out, evidenceSpan{s, role, m.video.singleSource()})
	}
	return out
}

func (f *video) singleSource() string {
	for _, s := range f.stretches {
		if s.sourceID != f.stretches[0].sourceID {
			return ""
		}
	}
	return f.stretches[0].sourceID
}

func citesAll(stated []schemas.Evidence, medium string, ps []evidenceSpan) bool {
	for _, p := range ps {
		if !slices.ContainsFunc(stated, func(e schemas.Evidence) bool { return e.Role == p.role && refersTo(e.Ref, medium, p.span) }) {
			return false
		}
	}
	return true
}

// orderEvidence sorts spans by their beginning and end, then by role and
// source, and leaves out equal ones.
func orderEvidence(all []evidenceSpan, medium string, stated []schemas.Evidence) []schemas.Evidence {
	slices.SortStableFunc(all, func(a, b evidenceSpan) int {
		return cmp.Or(compareTimes(a.start, b.start), compareTimes(a.end, b.end), cmp.Compare(a.role, b.role), cmp.Compare(a.source, b.source))
	})
	all = slices.CompactFunc(all, func(a, b evidenceSpan) bool {
		return almostEqual(a.start, b.start) && almostEqual(a.end, b.end) && a.role == b.role && a.source == b.source
	})
	out := make([]schemas.Evidence, len(all))
	for i, p := range all {
		ref := fmt.Sprintf("%s#t=%.2f,%.2f", medium, p.start, p.end)
		if i < len(stated) && refersTo(stated[i].Ref, medium, p.span) {
			ref = stated[i].Ref
		}
		out[i] = schemas.Evidence{
			Kind: "media", Ref: ref, Role: p.role, SourceID: p.source, Order: int32(i + 1), Modality: schemas.ModalityVideo,
		}
	}
	return out
}

// refersTo reports whether a reference means a span: it has two decimals, and
// may be rounded either way where the third is a five.
func refersTo(ref, medium string, s span) bool {
	from, to, ok := strings.Cut(strings.TrimPrefix(ref, medium+"#t="), ",")
	return ok && strings.HasPrefix(ref, medium+"#t=") && roundsTo(from, s.start) && roundsTo(to, s.end)
}

func roundsTo(text string, seconds float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && fmt.Sprintf("%.2f", v) == text && math.Abs(v-seconds) <= 0.005+instant
}
