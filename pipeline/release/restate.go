package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// textsVersion is that of the wording of README.md, LICENSES.md, report.html
// and croissant.json: it rises when the same tables would give other texts.
const textsVersion = 11

// TextCheck is one text of a release as its manifest and tables give it, or what the
// manifest says of itself.
type TextCheck struct {
	Path string
	// Text says that it is a text, which follows from all else.
	Text bool
	// Unknown says why the text cannot be worked out; else Differs says where
	// the one in the release is another, line by line, and is empty when none is.
	Unknown string
	Differs []string
	// OtherVersion says that it is unknown to this program only: its wording is of
	// another version of memforge.
	OtherVersion bool
}

// CheckTexts works out every text that follows from the manifest and the tables,
// with all figures in it, and compares it with the one in the release. The
// pictures of the report follow from nothing and are taken as they are there.
func CheckTexts(ctx context.Context, c Contents) ([]TextCheck, error) {
	if c.Manifest.Texts != textsVersion {
		return []TextCheck{{Path: cardName, OtherVersion: true, Unknown: fmt.Sprintf("its texts have version %d, this program writes version %d", c.Manifest.Texts, textsVersion)}}, nil
	}
	w, err := newTextWriter(c)
	var wrong *license.Error
	if errors.As(err, &wrong) {
		return []TextCheck{{Path: manifest.FileName, Differs: []string{err.Error()}}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("restate release: %w", err)
	}
	if c.Manifest.Private != w.license.Private || c.Manifest.License != w.license.License.SPDX {
		why := fmt.Sprintf("licence %q, private %t; its parts make it %q, private %t", c.Manifest.License, c.Manifest.Private, w.license.License.SPDX, w.license.Private)
		return []TextCheck{{Path: manifest.FileName, Differs: []string{why}}}, nil
	}
	texts, err := w.texts()
	if err != nil {
		return nil, fmt.Errorf("restate release: %w", err)
	}
	croissant, err := w.croissant()
	if err != nil {
		return nil, fmt.Errorf("restate release: %w", err)
	}
	texts = append(texts, textFile{croissantName, croissant})
	var out []TextCheck
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		have, err := readText(Info{Dir: c.Dir, Manifest: c.Manifest}, t.path)
		if err != nil {
			return nil, fmt.Errorf("restate release: %w", err)
		}
		out = append(out, checkText(t, have, c.Manifest.Previous))
	}
	return out, nil
}

func checkText(t textFile, have []byte, previous string) TextCheck {
	r := TextCheck{Path: t.path, Text: true}
	switch {
	case t.path == changelogName && previous != "":
		r.Unknown = "it compares with version " + previous + ", which is not part of this release"
	default:
		r.Differs = differingLines(have, t.data)
	}
	return r
}

// newTextWriter is a writer of the texts that the release has, from what it holds.
func newTextWriter(c Contents) (*writer, error) {
	shown, err := cardsInReport(c)
	if err != nil {
		return nil, err
	}
	return newTextWriterWith(c, shown)
}

// newTextWriterWith is a rewriter whose report shows those of the questions that the
// release has.
func newTextWriterWith(c Contents, shown []cardPicture) (*writer, error) {
	m := c.Manifest
	v, err := manifest.ParseVersion(m.Version)
	if err != nil {
		return nil, err
	}
	w := &writer{
		in: Input{
			Spec: pipeline.Release{Name: m.Name, Version: m.Version, Title: m.Title, License: m.License}, Seed: m.Seed, Config: m.Config,
			Tools: m.Tools, Models: m.Models, RecordCounts: m.RecordCounts, GateCounts: m.GateCounts,
		},
		version: v, tables: m.Tables, gates: m.Gates,
		content: content{
			questions: slices.Values(c.Questions), flagged: c.Flagged, tasks: slices.Values(c.Tasks), media: slices.Values(c.Media), events: c.Events, labels: c.Labels,
			verdicts: slices.Values(c.Verdicts), probes: slices.Values(c.Probes), sources: c.Sources, rejections: c.Rejections, people: reviewTables(currentShapes(m), c.rows),
		},
	}
	w.shapes = shapesOf(m)
	w.counts = map[string]int64{}
	for _, t := range m.Tables {
		w.counts[t.Name] = t.Rows
	}
	w.checked = summarizeChecks(&w.content, w.gates)
	w.facts = countFacts(&w.content, w.gates)
	w.wording = measureWording(w.content.questions, w.shapes, c.rows)
	for _, f := range m.Files {
		if f.Path != croissantName {
			w.files = append(w.files, f)
		}
	}
	w.gallery = releasedCards(shown, c.Questions)
	if w.people, err = w.content.summarizeReviews(m.Reviewed, m.Seed); err != nil {
		return nil, err
	}
	w.license, err = w.content.license(m.License, m.Private)
	return w, err
}

// differingLines says where one text is not the other: the first few lines.
func differingLines(have, want []byte) []string {
	const shown = 5
	if bytes.Equal(have, want) {
		return nil
	}
	a, b := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	var out []string
	for i := range max(len(a), len(b)) {
		x, y := lineAt(a, i), lineAt(b, i)
		if x == y {
			continue
		}
		if len(out) == shown {
			return append(out, "and further lines")
		}
		out = append(out, fmt.Sprintf("line %d is %q, the tables give %q", i+1, around(x, y), around(y, x)))
	}
	return out
}

func lineAt(lines []string, i int) string {
	if i >= len(lines) {
		return ""
	}
	return lines[i]
}

// around is the part of a line where it departs from another.
func around(line, other string) string {
	const before, length = 20, 80
	at := 0
	for at < min(len(line), len(other)) && line[at] == other[at] {
		at++
	}
	from := max(0, at-before)
	return strings.ToValidUTF8(line[from:min(len(line), from+length)], "")
}
