package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// timedText is a text with times in it: texts and numbers of seconds alternate,
// a text first and last.
type timedText struct {
	texts []string
	times []float64
}

func (t *timedText) addText(words string) {
	if len(t.texts) == len(t.times) {
		t.texts = append(t.texts, "")
	}
	t.texts[len(t.texts)-1] += words
}

func (t *timedText) addTime(seconds float64) {
	if len(t.texts) == len(t.times) {
		t.texts = append(t.texts, "")
	}
	t.times = append(t.times, seconds)
}

// format writes the text, with two decimals to a time; where that may be
// rounded either way, as it is stated.
func (t timedText) format(stated string) string {
	var out strings.Builder
	rest, same := stated, true
	for i, text := range t.texts {
		out.WriteString(text)
		if rest, same = strings.CutPrefix(rest, text); i == len(t.times) {
			break
		}
		number := fmt.Sprintf("%.2f", t.times[i])
		end := strings.IndexFunc(rest+" ", func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if given := strings.TrimSuffix(rest[:min(end, len(rest))], "."); same && roundsTo(given, t.times[i]) {
			number = given
		}
		out.WriteString(number)
		rest = strings.TrimPrefix(rest, number)
	}
	return out.String()
}

func (w *composition) explanation(r solution) timedText {
	var out timedText
	out.addText("The answer is: " + r.answer + ".")
	for _, m := range r.clues {
		name, err := w.videoName(m.video)
		if err != nil {
			name = "a video without a name"
		}
		said := statement(m.kind, m.value, r.noun)
		if r.detail == schemas.DetailHandled || r.detail == schemas.DetailDeed {
			said = deed(m.kind, m.actors[0], m.value)
		}
		out.addText(" In " + name + ", " + said + " from second ")
		out.addTime(m.start)
		out.addText(" to ")
		out.addTime(m.end)
		out.addText(" of it.")
	}
	if r.why != "" {
		out.addText(" " + r.why)
	}
	return out
}

// maxRuns is how many runs of one video a setting lists.
const maxRuns = 50

func (w *composition) setting() timedText {
	var out timedText
	total := float64(w.frames) / w.fps
	out.addText("The whole video lasts ")
	out.addTime(total)
	if w.layout == layoutNBack {
		out.addText(fmt.Sprintf(" s and plays %d clips; they begin at ", len(w.names)))
		for i, id := range w.names {
			out.addListed(i, w.videos[id].shownSpan(w.fps).start)
		}
		out.addText(" s.")
		return out
	}
	out.addText(" s, so its second half begins at ")
	out.addTime(total / 2)
	out.addText(" s. ")
	if w.layout == layoutSplit {
		out.addText("Its picture shows two videos at once, the one in the left half and the other in the right half")
		if len(w.swaps) == 0 {
			out.addText(", all the time.")
			return out
		}
		out.addText(" at first; they change sides at ")
		for i, f := range w.swaps {
			out.addListed(i, float64(f)/w.fps)
		}
		out.addText(" s.")
		return out
	}
	out.addText("It plays two videos: the one ")
	out.addRuns(w.runs(w.videos[w.names[0]]))
	out.addText("; the other ")
	out.addRuns(w.runs(w.videos[w.names[1]]))
	out.addText(".")
	return out
}

func (t *timedText) addListed(i int, seconds float64) {
	if i > 0 {
		t.addText(", ")
	}
	t.addTime(seconds)
}

func (t *timedText) addRuns(runs []span) {
	if len(runs) > maxRuns {
		t.addText(fmt.Sprintf("in %d pieces, the first of them ", len(runs)))
		runs = runs[:1]
	}
	for i, r := range runs {
		if i > 0 {
			t.addText(", ")
		}
		t.addText("from ")
		t.addTime(r.start)
		t.addText(" s to ")
		t.addTime(r.end)
		t.addText(" s")
	}
}

// runs lists when a video is seen without anything between, and without going
// back.
func (w *composition) runs(f *video) []span {
	var out []span
	for i, s := range f.showings {
		next := span{float64(s.at) / w.fps, float64(s.at+s.to-s.from) / w.fps, s.region}
		if i > 0 && f.showings[i-1].at+f.showings[i-1].to-f.showings[i-1].from == s.at && s.own > f.showings[i-1].own {
			out[len(out)-1].end = next.end
			continue
		}
		out = append(out, next)
	}
	return slices.Clip(out)
}
