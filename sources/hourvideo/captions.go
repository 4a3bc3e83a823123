package hourvideo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// maxCaption bounds the caption of one minute, in bytes.
const maxCaption = 64 << 10

// codeCaption marks the caption of a minute that cannot be used.
const codeCaption = "bad-caption"

// minute is the caption file of one minute, counted from 0.
type minute struct {
	number int
	asset  pipeline.Asset
}

// captionFile is <video>/txt/<minute>.txt or <video>/<minute>.txt below any
// folder.
var captionFile = regexp.MustCompile(`(?:^|/)([^/]+)/(?:txt/)?([0-9]{1,4})\.txt$`)

// indexCaptions collects the caption files by video, in order of minutes as numbers.
// Of two for one minute the fetched one counts.
func indexCaptions(assets []pipeline.Asset) map[string][]minute {
	out := map[string][]minute{}
	for _, a := range assets {
		m := captionFile.FindStringSubmatch(a.Path)
		if m == nil || a.Need == needQuestions {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err == nil {
			out[m[1]] = append(out[m[1]], minute{n, a})
		}
	}
	for uid, ms := range out {
		slices.SortStableFunc(ms, func(a, b minute) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(b.asset.Need, a.asset.Need))
		})
		out[uid] = slices.CompactFunc(ms, func(a, b minute) bool { return a.number == b.number })
	}
	return out
}

// replaceCaptions replaces the timed questions of a record by the captions of its
// minutes, if there are any. A minute that cannot be read is rejected.
func replaceCaptions(ctx context.Context, scope *pipeline.Scope, minutes []minute, v video, out *schemas.Video) error {
	var captions []schemas.Caption
	for _, m := range minutes {
		b, err := benchmark.ReadAll(ctx, scope, m.asset, maxCaption)
		var why *pipeline.Rejection
		if err != nil && !errors.As(err, &why) {
			return err
		}
		text := ""
		if err == nil {
			text, err = captionText(b)
		}
		start, end := float64(m.number*60), float64(m.number*60+60)
		if v.seconds > 0 {
			end = min(end, v.seconds)
		}
		if err == nil && end <= start {
			err = fmt.Errorf("minute %d lies behind the end of the video (%g s)", m.number, v.seconds)
		}
		if err != nil {
			scope.Reject(m.asset.Path, pipeline.Reject(codeCaption, "%v", err))
			continue
		}
		captions = append(captions, schemas.Caption{Start: start, End: end, Text: text})
	}
	if len(captions) > 0 {
		out.Captions, out.Description = captions, benchmark.Describe(benchmark.Texts(captions))
	}
	return nil
}

// fence is how language models mark JSON inside text.
var fence = regexp.MustCompile("(?m)^\\s*```[a-zA-Z]*\\s*$")

// captionText reads what a captioner wrote: JSON, of which all texts but the
// time stamps are taken in order, or anything else as it stands.
func captionText(b []byte) (string, error) {
	b, err := annotation.Prepare(b)
	if err != nil {
		return "", err
	}
	plain := strings.TrimSpace(fence.ReplaceAllString(string(b), ""))
	texts, err := jsonTexts(plain)
	if err != nil {
		texts = []string{plain}
	}
	joined := strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	if joined == "" {
		return "", errors.New("it holds no text")
	}
	return joined, nil
}

func jsonTexts(s string) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	var w textCollector
	for {
		err := w.value(dec, "")
		if errors.Is(err, io.EOF) {
			return w.texts, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

type textCollector struct{ texts []string }

func (w *textCollector) value(dec *json.Decoder, key string) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch tok := tok.(type) {
	case string:
		if k := strings.ToLower(key); k != "time stamp" && k != "timestamp" {
			w.texts = append(w.texts, tok)
		}
	case json.Delim:
		return w.inner(dec, key, tok == '{')
	}
	return nil
}

func (w *textCollector) inner(dec *json.Decoder, key string, object bool) error {
	for dec.More() {
		if object {
			tok, err := dec.Token()
			if err != nil {
				return unexpectedEnd(err)
			}
			key, _ = tok.(string)
		}
		if err := w.value(dec, key); err != nil {
			return unexpectedEnd(err)
		}
	}
	_, err := dec.Token()
	return unexpectedEnd(err)
}

// unexpectedEnd makes the end of the text inside a value an error.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
