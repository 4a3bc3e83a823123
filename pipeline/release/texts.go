package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// writeTexts writes everything but tables, media and manifest.
func (w *writer) writeTexts(context.Context) error {
	for _, f := range w.in.Recipe {
		if err := w.addRecipeFile(f); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	of := w.content.describe(w.manifest(), w.license, w.shapes, w.each)
	of.Cards, of.Changes = w.cards, w.changes
	if w.previous != nil {
		of.PreviousChanges = w.previous.changelog
	}
	texts, err := of.Texts()
	if err != nil {
		return err
	}
	for _, t := range texts {
		if t.Path == describe.ChangelogName && w.original != nil && w.original.Previous != "" {
			t.Data = w.original.Changelog
		}
		if err := w.addFile(t.Path, t.Data); err != nil {
			return err
		}
	}
	croissant, err := of.Croissant(w.files)
	if err != nil {
		return err
	}
	return errors.Join(w.addFile(describe.CroissantName, croissant), w.failed)
}

// describe returns what the texts say of the content.
func (c *content) describe(m manifest.Manifest, decided license.Decision, shapes []table, rows rowSource) describe.Release {
	out := describe.Release{
		Manifest: m, License: decided,
		Questions: c.questions, Tasks: c.tasks, Media: c.media, Verdicts: c.verdicts, Probes: c.probes,
		Events: c.events, Labels: c.labels, Flagged: c.flagged, Sources: c.sources, Rejections: c.rejections, Reviews: c.people.Sampled(),
	}
	for _, t := range shapes {
		out.Tables = append(out.Tables, describe.Table{Name: t.name, Columns: t.columns})
	}
	kinds := map[string]int{}
	for medium := range c.media {
		kinds[medium.Kind]++
	}
	out.MediaPath = func(medium schemas.Media) string {
		place, err := mediaPath(medium, kinds[medium.Kind])
		if err != nil || m.References(medium.License) {
			return ""
		}
		return place
	}
	out.Sessions = c.sessions
	if t, ok := findDeclared(shapes, pipeline.TableTurns); ok {
		out.Turns = declaredRecords[schemas.Turn](rows, t)
	}
	if t, ok := findDeclared(shapes, pipeline.TableCheckpoints); ok {
		out.Checkpoints = declaredRecords[schemas.Checkpoint](rows, t)
	}
	return out
}

// describeContents returns what the texts say of a release that was read, whose report
// shows these cards.
func describeContents(c Contents, cards []describe.Card) (describe.Release, error) {
	m := c.Manifest
	all := content{
		questions: slices.Values(c.Questions), flagged: c.Flagged, tasks: slices.Values(c.Tasks), media: slices.Values(c.Media), events: c.Events, labels: c.Labels,
		verdicts: slices.Values(c.Verdicts), probes: slices.Values(c.Probes), sources: c.Sources, rejections: c.Rejections, people: reviewTables(currentShapes(m), c.rows), sessions: sessionsOf(currentShapes(m), c.rows),
	}
	decided, err := all.license(m.Media, m.License, m.Private)
	out := all.describe(m, decided, shapesOf(m), c.rows)
	out.Cards = describe.ReleasedCards(cards, c.Questions)
	return out, err
}

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
	if c.Manifest.Texts != describe.Version {
		return []TextCheck{{Path: describe.CardName, OtherVersion: true, Unknown: fmt.Sprintf("its texts have version %d, this program writes version %d", c.Manifest.Texts, describe.Version)}}, nil
	}
	info := Info{Dir: c.Dir, Manifest: c.Manifest}
	report, err := readText(info, describe.ReportName)
	if err != nil {
		return nil, fmt.Errorf("check texts: %w", err)
	}
	of, err := describeContents(c, describe.CardsIn(report))
	var wrong *license.Error
	if errors.As(err, &wrong) {
		return []TextCheck{{Path: manifest.FileName, Differs: []string{err.Error()}}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check texts: %w", err)
	}
	if l := of.License; c.Manifest.Private != l.Private || c.Manifest.License != l.License.SPDX {
		why := fmt.Sprintf("licence %q, private %t; its parts make it %q, private %t", c.Manifest.License, c.Manifest.Private, l.License.SPDX, l.Private)
		return []TextCheck{{Path: manifest.FileName, Differs: []string{why}}}, nil
	}
	texts, err := of.Texts()
	if err != nil {
		return nil, fmt.Errorf("check texts: %w", err)
	}
	croissant, err := of.Croissant(c.Manifest.Files)
	if err != nil {
		return nil, fmt.Errorf("check texts: %w", err)
	}
	var out []TextCheck
	for _, t := range append(texts, describe.Text{Path: describe.CroissantName, Data: croissant}) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		have, err := readText(info, t.Path)
		if err != nil {
			return nil, fmt.Errorf("check texts: %w", err)
		}
		check := TextCheck{Path: t.Path, Text: true}
		if t.Path == describe.ChangelogName && c.Manifest.Previous != "" {
			check.Unknown = "it compares with version " + c.Manifest.Previous + ", which is not part of this release"
		} else {
			check.Differs = DifferingLines(have, t.Data, "the tables give")
		}
		out = append(out, check)
	}
	return out, nil
}

// DifferingLines returns the first lines in which two texts differ; gives names who says
// what the second holds.
func DifferingLines(have, want []byte, gives string) []string {
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
		out = append(out, fmt.Sprintf("line %d is %q, %s %q", i+1, around(x, y), gives, around(y, x)))
	}
	return out
}

func lineAt(lines []string, i int) string {
	if i >= len(lines) {
		return ""
	}
	return lines[i]
}

func around(line, other string) string {
	const before, length = 20, 80
	at := 0
	for at < min(len(line), len(other)) && line[at] == other[at] {
		at++
	}
	from := max(0, at-before)
	return strings.ToValidUTF8(line[from:min(len(line), from+length)], "")
}
