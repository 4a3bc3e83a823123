package infinibench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// entry is one question. Ids are not global, so it has none.
type entry struct {
	benchmark.Question
	// stem is the path of the video without slash and extension:
	// show/season_N/episode_NN.
	stem, show, subtitles string
}

// episode is all that is asked about one video.
type episode struct {
	show, subtitles string
	questions       []benchmark.Question
}

// parse reads the list of a skill and keeps the questions about videos of one
// origin. A bad entry ("#3") loses itself only.
func parse(text []byte, origin string) ([]entry, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	items, err := annotation.ParseList(text)
	if err != nil {
		return nil, nil, err
	}
	var out []entry
	var bad []benchmark.Problem
	for i, item := range items {
		o, err := annotation.ParseObject(item)
		var from string
		if err == nil {
			from, err = originOf(o)
		}
		if err == nil && from != origin {
			continue
		}
		var e entry
		if err == nil {
			e, err = parseEntry(o)
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf("#%d", i), Why: err.Error()})
			continue
		}
		out = append(out, e)
	}
	return out, bad, nil
}

// originOf takes an entry without an origin but with a show for one of TVQA.
func originOf(o annotation.Object) (string, error) {
	from, err1 := o.Text("source")
	show, err2 := o.Text("show")
	if from == "" && show != "" {
		from = "tvqa"
	}
	return strings.ToLower(from), errors.Join(err1, err2)
}

func parseEntry(o annotation.Object) (entry, error) {
	question, err1 := o.Text("question")
	show, err2 := o.Text("show")
	subtitles, err3 := o.Text("video_subtitles")
	stem, err4 := stemOf(o)
	answer, err5 := answerOf(o)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return entry{}, err
	}
	if question == "" {
		return entry{}, errors.New("the question is empty")
	}
	return entry{benchmark.Question{Text: question, Answer: answer}, stem, show, subtitles}, nil
}

// stemOf finds the video's path under the names that the generators use, with
// or without a leading slash, or makes it of show, season and episode.
func stemOf(o annotation.Object) (string, error) {
	var path string
	for _, key := range []string{"video_path_mp4", "video_path"} {
		p, err := o.Text(key)
		if err != nil {
			return "", err
		}
		path = cmp.Or(path, p)
	}
	if path == "" {
		parts := make([]string, 3)
		for i, key := range []string{"show", "season", "episode"} {
			p, err := o.Text(key)
			if err != nil || p == "" {
				return "", errors.Join(errors.New("it names no video"), err)
			}
			parts[i] = p
		}
		path = strings.Join(parts, "/")
	}
	path = strings.TrimLeft(path, "/")
	if !fs.ValidPath(path) || path == "." || strings.Contains(path, `\`) || len(path) > 512 {
		return "", fmt.Errorf("video %q is not a path below the dataset", annotation.Truncate(path))
	}
	return benchmark.Stem(path), nil
}

// answerOf is the text of the right option, which is counted from 0, or the
// answer of an open question.
func answerOf(o annotation.Object) (string, error) {
	options, err1 := o.Texts("options")
	index, err2 := o.Text("answer_idx")
	answer, err3 := o.Text("answer")
	at, err4 := o.Number("answer_idx")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return "", err
	}
	if index == "" {
		return answer, nil
	}
	if at != float64(int(at)) || at < 0 || int(at) >= len(options) {
		return "", fmt.Errorf("answer_idx %s is none of %d options counted from 0", annotation.Truncate(index), len(options))
	}
	return options[int(at)], nil
}

// groupByVideo adds entries to the episodes they are about.
func groupByVideo(episodes map[string]*episode, entries []entry) {
	for _, e := range entries {
		one := episodes[e.stem]
		if one == nil {
			one = &episode{}
			episodes[e.stem] = one
		}
		one.show, one.subtitles = cmp.Or(one.show, e.show), cmp.Or(one.subtitles, e.subtitles)
		one.questions = append(one.questions, e.Question)
	}
}

// record says what is known of the video without its subtitles. The show is
// its category and stands in no title: it is not visible in the picture.
func (e *episode) record() schemas.Video {
	return schemas.Video{Category: e.show, Description: benchmark.Describe(benchmark.Statements(e.questions))}
}

// addSubtitles adds the subtitles, found by the name the annotations give or beside
// the video.
func (e *episode) addSubtitles(ctx context.Context, subtitles *benchmark.Subtitles, stem string, v *schemas.Video) error {
	for _, name := range []string{strings.TrimLeft(e.subtitles, "/"), stem} {
		captions, err := subtitles.Captions(ctx, name)
		if err != nil {
			return err
		}
		if len(captions) > 0 {
			v.Captions, v.Description = captions, benchmark.Describe(benchmark.Texts(captions))
			return nil
		}
	}
	return nil
}
