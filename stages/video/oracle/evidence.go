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

// spans lists when a moment is seen, in order: more than once where its film is
// played again or cut meanwhile. A moment lasts a frame at least.
func (w *world) spans(m moment) []span {
	var out []span
	for _, s := range m.film.showings {
		own, length := float64(s.own)/w.fps, float64(s.to-s.from)/w.fps
		from, to := max(m.start, own), min(max(m.end, m.start+1/w.fps), own+length)
		if to-from < instant {
			continue
		}
		at := float64(s.at)/w.fps - own
		next := span{at + from, at + to, s.region}
		if n := len(out); n > 0 && near(out[n-1].end, next.start) {
			out[n-1].end = next.end
			continue
		}
		out = append(out, next)
	}
	return out
}

// proof is a span that an answer or a wrong option comes from, or that shows how
// a film is called.
type proof struct {
	span
	role, source string
}

// evidence lists what the answer and the wrong options come from, as often as it
// is seen, all of the film in which something does not happen that happens in the
// other only, and where the names of the films are. Where a wrong option may come
// from several events it takes those that are stated.
func (w *world) evidence(r ruling, medium string, stated []schemas.Evidence) []schemas.Evidence {
	if len(r.clues) == 0 {
		return []schemas.Evidence{{
			Kind: "media", Ref: medium, Role: schemas.RoleAbsence, Order: 1, Modality: schemas.ModalityVideo, MinimalCaption: w.caption("a video"),
		}}
	}
	var all []proof
	for _, m := range r.clues {
		all = append(all, w.proofs(m, schemas.RoleClue)...)
	}
	for _, from := range r.others {
		chosen := w.proofs(from[0], schemas.RoleDistractor)
		for _, m := range from {
			if ps := w.proofs(m, schemas.RoleDistractor); cites(stated, medium, ps) {
				chosen = ps
				break
			}
		}
		all = append(all, chosen...)
	}
	if only := w.films[r.target]; only != nil && r.typ == schemas.TypeSourceMemory {
		rest := w.other(only)
		all = append(all, w.proofs(moment{rest, happening{end: float64(rest.length) / w.fps}}, schemas.RoleAbsence)...)
	}
	for _, id := range w.names {
		for _, m := range w.signs(w.films[id]) {
			if spans := w.spans(m); len(spans) > 0 {
				all = append(all, proof{spans[0], schemas.RoleContext, ""})
			}
		}
	}
	out := inOrder(all, medium, stated)
	for i := range out {
		out[i].MinimalCaption = w.caption("a few seconds of a video")
	}
	return out
}

// titleSeconds is how long the title of a film takes to be read.
const titleSeconds = 2

// signs are the moments by which a film is known: its beginning, for its title,
// or what it shows first and, where its name tells, last.
func (w *world) signs(f *film) []moment {
	if len(f.valuesOf(schemas.AttributeTitle)) > 0 {
		return []moment{{f, happening{end: titleSeconds}}}
	}
	shown := f.of("shows")
	name, err := w.name(f)
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

// caption says of what kind pictures of the whole are.
func (w *world) caption(of string) string {
	if w.layout == layoutSplit {
		of += " that shows two videos side by side"
	}
	return of
}

func (w *world) proofs(m moment, role string) []proof {
	var out []proof
	for _, s := range w.spans(m) {
		out = append(out, proof{s, role, m.film.source()})
	}
	return out
}

// source is the one source of a film, empty where it has several.
func (f *film) source() string {
	for _, s := range f.stretches {
		if s.sourceID != f.stretches[0].sourceID {
			return ""
		}
	}
	return f.stretches[0].sourceID
}

// cites reports whether all proofs are among the evidence that is stated.
func cites(stated []schemas.Evidence, medium string, ps []proof) bool {
	for _, p := range ps {
		if !slices.ContainsFunc(stated, func(e schemas.Evidence) bool { return e.Role == p.role && refers(e.Ref, medium, p.span) }) {
			return false
		}
	}
	return true
}

// inOrder gives proofs by their beginning and end, then by role and source; one
// that is the same as another is left out.
func inOrder(all []proof, medium string, stated []schemas.Evidence) []schemas.Evidence {
	slices.SortStableFunc(all, func(a, b proof) int {
		return cmp.Or(compareTimes(a.start, b.start), compareTimes(a.end, b.end), cmp.Compare(a.role, b.role), cmp.Compare(a.source, b.source))
	})
	all = slices.CompactFunc(all, func(a, b proof) bool {
		return near(a.start, b.start) && near(a.end, b.end) && a.role == b.role && a.source == b.source
	})
	out := make([]schemas.Evidence, len(all))
	for i, p := range all {
		ref := fmt.Sprintf("%s#t=%.2f,%.2f", medium, p.start, p.end)
		if i < len(stated) && refers(stated[i].Ref, medium, p.span) {
			ref = stated[i].Ref
		}
		out[i] = schemas.Evidence{
			Kind: "media", Ref: ref, Role: p.role, SourceID: p.source, Order: int32(i + 1), Modality: schemas.ModalityVideo,
		}
	}
	return out
}

// refers reports whether a reference means a span: it has two decimals, and may
// be rounded either way where the third is a five.
func refers(ref, medium string, s span) bool {
	from, to, ok := strings.Cut(strings.TrimPrefix(ref, medium+"#t="), ",")
	return ok && strings.HasPrefix(ref, medium+"#t=") && rounds(from, s.start) && rounds(to, s.end)
}

// rounds reports whether a text is a number of seconds with two decimals.
func rounds(text string, seconds float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && fmt.Sprintf("%.2f", v) == text && math.Abs(v-seconds) <= 0.005+instant
}
