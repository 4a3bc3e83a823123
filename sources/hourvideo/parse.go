package hourvideo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// video is one entry of the annotations.
type video struct {
	uid       string
	seconds   float64
	canary    string
	questions []question
}

type question struct {
	benchmark.Question
	task string
}

// dataset is a whole annotation file, videos sorted by uid.
type dataset struct {
	videos []video
	bad    []benchmark.Problem
	// canary is what stands beside the videos, as written.
	canary string
}

// uidForm is an Ego4D uid.
var uidForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// parse reads the object of videos. A key that is no video is kept as canary;
// a bad video (".uid") loses itself, a bad question (".uid.qid") at most
// itself. A file without a single video is an error.
func parse(text []byte) (dataset, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return dataset{}, err
	}
	all, err := annotation.ParseObject(text)
	if err != nil {
		return dataset{}, err
	}
	var out dataset
	for _, uid := range slices.Sorted(maps.Keys(all)) {
		entry, err := annotation.ParseObject(all[uid])
		if err != nil || entry["benchmark_dataset"] == nil && entry["video_metadata"] == nil {
			out.canary = joinPath(out.canary, uid+": "+asText(all[uid]))
			continue
		}
		v, lost, err := parseVideo(uid, entry)
		if err != nil {
			out.bad = append(out.bad, benchmark.Problem{Where: "." + annotation.Truncate(uid), Why: err.Error()})
			continue
		}
		out.videos, out.bad = append(out.videos, v), append(out.bad, lost...)
	}
	if len(out.videos) == 0 {
		return dataset{}, errors.New("it names no video; is it a file of HourVideo?")
	}
	return out, nil
}

// asText is a JSON text's content unchanged, or the JSON itself.
func asText(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func joinPath(a, b string) string { return strings.TrimPrefix(a+"\n"+b, "\n") }

func parseVideo(uid string, o annotation.Object) (video, []benchmark.Problem, error) {
	if !uidForm.MatchString(uid) {
		return video{}, nil, errors.New("the key is not a video's uid")
	}
	meta, err1 := o.Object("video_metadata")
	asked, err2 := o.Objects("benchmark_dataset")
	if err := errors.Join(err1, err2); err != nil {
		return video{}, nil, err
	}
	seconds, err := meta.Number("duration_in_seconds")
	if err != nil {
		return video{}, nil, err
	}
	v := video{uid: uid, seconds: max(0, seconds), canary: joinPath(canaryIn(o), canaryIn(meta))}
	var lost []benchmark.Problem
	for i, q := range asked {
		one, id, err := parseQuestion(q)
		if err != nil {
			lost = append(lost, benchmark.Problem{Where: "." + uid + "." + cmp.Or(annotation.Truncate(id), fmt.Sprint(i)), Why: err.Error()})
		}
		if one.Text != "" {
			v.questions = append(v.questions, one)
		}
	}
	return v, lost, nil
}

// canaryIn finds keys that call themselves a canary.
func canaryIn(o annotation.Object) string {
	found := ""
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if strings.Contains(strings.ToLower(key), "canary") {
			found = joinPath(found, key+": "+asText(o[key]))
		}
	}
	return found
}

func parseQuestion(o annotation.Object) (question, string, error) {
	id, err1 := o.Text("qid")
	task, err2 := o.Text("task")
	text, err3 := o.Text("question")
	label, err4 := o.Text("correct_answer_label")
	when, err5 := o.Texts("relevant_timestamps")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return question{}, id, err
	}
	if text == "" {
		return question{}, id, errors.New("the question is empty")
	}
	q := question{benchmark.Question{Text: text}, task}
	// Options of image tasks are paths, which say nothing in a text.
	if len(label) == 1 && label >= "A" && label <= "E" && !strings.HasSuffix(task, "_image") {
		answer, err := o.Text(fmt.Sprintf("answer_%d", label[0]-'A'+1))
		if err != nil {
			return q, id, err
		}
		q.Answer = answer
	}
	var err error
	q.Spans, err = annotation.ParseSpans(strings.Join(when, ","))
	return q, id, err
}

// record says what is known of the video without its captions: the questions,
// with their right answers where they name a time.
func (v video) record(canary string) schemas.Video {
	out := schemas.Video{Category: v.category(), StatedDuration: v.seconds, Canary: strings.Trim(joinPath(canary, v.canary), "\n")}
	asked := make([]benchmark.Question, len(v.questions))
	for i, q := range v.questions {
		asked[i] = q.Question
	}
	out.Captions, out.Description = benchmark.TimedCaptions(asked), benchmark.Describe(benchmark.Statements(asked))
	return out
}

// category is the kind of task that asks most about the video: the first part
// of the tasks' paths.
func (v video) category() string {
	counts := map[string]int{}
	for _, q := range v.questions {
		kind, _, _ := strings.Cut(q.task, "/")
		counts[kind]++
	}
	best := ""
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if kind != "" && (best == "" || counts[kind] > counts[best]) {
			best = kind
		}
	}
	return best
}
