package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// timed is a text with times in it: texts and numbers of seconds by turns, a text
// first and last.
type timed struct {
	texts []string
	times []float64
}

// say goes on with words.
func (t *timed) say(words string) {
	if len(t.texts) == len(t.times) {
		t.texts = append(t.texts, "")
	}
	t.texts[len(t.texts)-1] += words
}

// tell goes on with a time.
func (t *timed) tell(seconds float64) {
	if len(t.texts) == len(t.times) {
		t.texts = append(t.texts, "")
	}
	t.times = append(t.times, seconds)
}

// as writes the text down, with two decimals to a time; where that may be rounded
// either way, as it is stated.
func (t timed) as(stated string) string {
	var out strings.Builder
	rest, same := stated, true
	for i, text := range t.texts {
		out.WriteString(text)
		if rest, same = strings.CutPrefix(rest, text); i == len(t.times) {
			break
		}
		number := fmt.Sprintf("%.2f", t.times[i])
		end := strings.IndexFunc(rest+" ", func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if said := strings.TrimSuffix(rest[:min(end, len(rest))], "."); same && rounds(said, t.times[i]) {
			number = said
		}
		out.WriteString(number)
		rest = strings.TrimPrefix(rest, number)
	}
	return out.String()
}

// explanation says why the answer is right.
func (w *world) explanation(r ruling) timed {
	var out timed
	out.say("The answer is: " + r.answer + ".")
	for _, m := range r.clues {
		name, err := w.name(m.film)
		if err != nil {
			name = "a video without a name"
		}
		out.say(" In " + name + ", " + told(m.kind, m.value, r.noun) + " from second ")
		out.tell(m.start)
		out.say(" to ")
		out.tell(m.end)
		out.say(" of it.")
	}
	if r.why != "" {
		out.say(" " + r.why)
	}
	return out
}

// mostRuns is how many runs of one film a setting lists.
const mostRuns = 50

// setting says how long the whole is and how it is laid out.
func (w *world) setting() timed {
	var out timed
	total := float64(w.frames) / w.fps
	out.say("The whole video lasts ")
	out.tell(total)
	if w.layout == layoutNBack {
		out.say(fmt.Sprintf(" s and plays %d clips; they begin at ", len(w.names)))
		for i, id := range w.names {
			out.list(i, w.films[id].extent(w.fps).start)
		}
		out.say(" s.")
		return out
	}
	out.say(" s, so its second half begins at ")
	out.tell(total / 2)
	out.say(" s. ")
	if w.layout == layoutSplit {
		out.say("Its picture shows two videos at once, the one in the left half and the other in the right half")
		if len(w.swaps) == 0 {
			out.say(", all the time.")
			return out
		}
		out.say(" at first; they change sides at ")
		for i, f := range w.swaps {
			out.list(i, float64(f)/w.fps)
		}
		out.say(" s.")
		return out
	}
	out.say("It plays two videos: the one ")
	out.when(w.runs(w.films[w.names[0]]))
	out.say("; the other ")
	out.when(w.runs(w.films[w.names[1]]))
	out.say(".")
	return out
}

// list goes on with time i of a list.
func (t *timed) list(i int, seconds float64) {
	if i > 0 {
		t.say(", ")
	}
	t.tell(seconds)
}

// when lists the runs of a film.
func (t *timed) when(runs []span) {
	if len(runs) > mostRuns {
		t.say(fmt.Sprintf("in %d pieces, the first of them ", len(runs)))
		runs = runs[:1]
	}
	for i, r := range runs {
		if i > 0 {
			t.say(", ")
		}
		t.say("from ")
		t.tell(r.start)
		t.say(" s to ")
		t.tell(r.end)
		t.say(" s")
	}
}

// runs lists when a film is seen without anything between, and without going
// back.
func (w *world) runs(f *film) []span {
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
