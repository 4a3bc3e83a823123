package release

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// picture is one medium of the report's gallery, and one of the questions about it.
type picture struct {
	MediaID, Caption string
	Source           template.URL
	Question, Answer string
	Options          []pictureOption
	Evidence         string
}

type pictureOption struct {
	Text string
	Gold bool
}

// embedded is a medium of the gallery with its picture as an address, which is
// empty where there is none. The address was held against pictureSource.
type embedded struct {
	mediaID string
	source  template.URL
}

// embed looks into every picture, once.
func embed(images []GalleryImage) ([]embedded, error) {
	out := make([]embedded, len(images))
	for i, g := range images {
		out[i].mediaID = g.MediaID
		if len(g.Data) == 0 {
			continue
		}
		var err error
		if out[i].source, err = pictureSource(g.Data); err != nil {
			return nil, fmt.Errorf("report: gallery image %d, of the medium %q: %w", i, g.MediaID, err)
		}
	}
	return out, nil
}

// pictures says what stands beside the gallery's pictures: it follows from the
// tables.
func (w *writer) pictures() (out []picture, err error) {
	shown := map[string]int{}
	for i, g := range w.gallery {
		at := w.content.medium(g.mediaID)
		if at < 0 {
			return nil, fmt.Errorf("gallery image %d is of the medium %q, which the release does not have", i, g.mediaID)
		}
		p := picture{MediaID: g.mediaID, Caption: captionOf(w.content.media[at]), Source: g.source}
		if q := w.content.askedOf(g.mediaID, shown); q != nil {
			shown[q.Type]++
			p.ask(*q)
		}
		out = append(out, p)
	}
	return out, nil
}

// medium is the index of a medium, or negative.
func (c *content) medium(id string) int {
	return slices.IndexFunc(c.media, func(m schemas.Media) bool { return m.MediaID == id })
}

func captionOf(m schemas.Media) string {
	caption := fmt.Sprintf("%s, %.1f s, %d frames", cmp.Or(m.Recipe.Layout, m.Kind), m.Duration, m.Frames)
	if n := len(m.Recipe.SwapFrames); n > 0 {
		caption += fmt.Sprintf(", %d exchanges of sides", n)
	}
	return caption
}

// askedOf is a question about a medium, of a type that was shown least; of equals
// the first by id.
func (c *content) askedOf(medium string, shown map[string]int) *schemas.Question {
	var best *schemas.Question
	for i := range c.questions {
		q := &c.questions[i]
		if !slices.Contains(q.Media, medium) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(shown[q.Type], shown[best.Type]), cmp.Compare(q.QuestionID, best.QuestionID)) < 0 {
			best = q
		}
	}
	return best
}

// ask puts a question with its options, the right one marked, and where in the
// medium its evidence is.
func (p *picture) ask(q schemas.Question) {
	p.Question, p.Answer = q.Question, cmp.Or(q.AnswerText, q.AnswerCall)
	for _, o := range q.Options {
		p.Options = append(p.Options, pictureOption{o.Key + ". " + o.Text, o.Key == q.AnswerKey})
	}
	var spans []string
	for _, e := range q.Evidence {
		id, seconds, found := strings.Cut(cmp.Or(e.Media, e.Ref), "#t=")
		from, to, ranged := strings.Cut(seconds, ",")
		switch {
		case id != p.MediaID:
		case found && ranged:
			spans = append(spans, fmt.Sprintf("%s %s to %s s", e.Role, from, to))
		default:
			spans = append(spans, e.Role+" the whole")
		}
	}
	p.Evidence = q.Type + "; evidence: " + cmp.Or(strings.Join(slices.Compact(spans), ", "), "none in this medium")
}

// galleryFigure finds a medium of the gallery, up to the source of its picture.
// What the source is, is no part of it: an expression is slow over megabytes.
var galleryFigure = regexp.MustCompile(`<figure id="medium-([0-9a-f]{64})"><img src="`)

// shownIn are the media that the report of a release shows, each once, with the
// pictures that stand there as far as they are such. Pictures follow from nothing;
// whatever else the report holds must follow from tables.
func shownIn(c Contents) ([]embedded, error) {
	report, err := readText(Info{Dir: c.Dir, Manifest: c.Manifest}, reportName)
	if err != nil {
		return nil, err
	}
	var out []embedded
	seen := map[string]bool{}
	for _, at := range galleryFigure.FindAllSubmatchIndex(report, -1) {
		id := string(report[at[2]:at[3]])
		source, _, whole := bytes.Cut(report[at[1]:], []byte(`"`))
		if whole && !seen[id] {
			seen[id] = true
			out = append(out, embedded{id, sourceIn(string(source))})
		}
	}
	return out, nil
}
