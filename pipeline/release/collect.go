package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// content is what tables and texts of a release are made of.
type content struct {
	flagged    []schemas.FlaggedQuestion
	events     []schemas.StatedEvent
	labels     []schemas.StatedLabel
	sources    []schemas.Source
	rejections []schemas.Rejection
	// The others are given in the order of their tables, as often as one asks: they
	// are too many to be held.
	questions iter.Seq[schemas.Question]
	tasks     iter.Seq[schemas.Task]
	media     iter.Seq[schemas.Media]
	verdicts  iter.Seq[schemas.Verdict]
	probes    iter.Seq[schemas.Probe]
	people    review.Tables
	sessions  iter.Seq[schemas.Session] // nil where the release has no such table
}

// mediaRecords is a table of media without the columns that are known only once all
// media are; no release has it.
var mediaRecords = sync.OnceValue(func() table { return newTable[schemas.Media]("media-alone", "media_id") })

// collect sorts the records into the rows of tables, without statements about originals
// that no medium shows.
func (w *writer) collect(in Input) error {
	c := &w.content
	c.questions, c.tasks = recordsOf[schemas.Question](w.each, tableQuestions), recordsOf[schemas.Task](w.each, tableTasks)
	c.media = valuesOf[schemas.Media](w.each, mediaRecords(), mediaRecords().columns)
	c.verdicts, c.probes = recordsOf[schemas.Verdict](w.each, tableVerdicts), recordsOf[schemas.Probe](w.each, tableProbes)
	c.people, c.sessions = reviewTables(w.shapes, w.each), sessionsOf(w.shapes, w.each)
	w.splits, w.kinds = map[string]bool{}, map[string]int{}
	var stated []schemas.Statements
	for r, err := range in.records() {
		if err == nil {
			err = w.addRecord(in, r, &stated)
		}
		if err != nil {
			return fmt.Errorf("collect release: %w", err)
		}
	}
	if w.set.Len(tableQuestions) == 0 && len(w.refused) == 0 {
		return emptyError(in.Rejections)
	}
	c.addSourcesAndRejections(in)
	c.flagged = in.Flagged
	for _, f := range in.FlaggedRecords {
		if err := w.add(declaredTable(flaggedRecords()), rowschema.Cells(flaggedRecords().Columns, f)); err != nil {
			return err
		}
	}
	return errors.Join(c.addStatements(stated), w.failed)
}

func (in Input) records() iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for _, r := range in.Records {
			if !yield(r, nil) {
				return
			}
		}
		if in.Stream != nil {
			in.Stream(yield)
		}
	}
}

// addRecord adds the rows of one record. A question without a split gets the default
// one.
func (w *writer) addRecord(in Input, r pipeline.Record, stated *[]schemas.Statements) error {
	switch r.Schema {
	case schemas.NameQuestion:
		q, err := pipeline.Decode[schemas.Question](r)
		q.Split = cmp.Or(q.Split, schemas.DefaultSplit)
		w.splits[q.Split] = true
		return errors.Join(err, w.add(tableOf(tableQuestions), rowOf(tableQuestions, q)))
	case schemas.NameTask:
		t, err := pipeline.Decode[schemas.Task](r)
		return errors.Join(err, w.add(tableOf(tableTasks), rowOf(tableTasks, t)))
	case schemas.NameMedia:
		m, err := pipeline.Decode[schemas.Media](r)
		w.kinds[m.Kind]++
		return errors.Join(err, w.add(mediaRecords(), rowschema.Cells(mediaRecords().columns, m)))
	case schemas.NameStatements:
		s, err := pipeline.Decode[schemas.Statements](r)
		*stated = append(*stated, s)
		return err
	case schemas.NameVerdict:
		v, err := pipeline.Decode[schemas.Verdict](r)
		return errors.Join(err, w.add(tableOf(tableVerdicts), rowOf(tableVerdicts, v)))
	case schemas.NameProbes:
		asked, err := pipeline.Decode[schemas.Probes](r)
		return errors.Join(err, addAll(w, tableProbes, asked.Probes))
	}
	return w.addDeclared(in.Tables, r)
}

// add adds a row, or notes why its table cannot hold it.
func (w *writer) add(t table, r row) error {
	if n := cellBytes(r); n > maxRow {
		w.refuseRow(t, r, tooLarge(n))
		return nil
	}
	if err := t.check(r); err != nil {
		w.refuseRow(t, r, err.Error())
		return nil
	}
	return w.set.Add(t.name, t.key(r), r)
}

// each yields the rows of a table in its order.
func (w *writer) each(t table) iter.Seq[row] {
	return func(yield func(row) bool) {
		for b, err := range w.set.Rows(t.name) {
			if err != nil {
				w.failed = err
				return
			}
			if !yield(extsort.DecodeRow(b)) {
				return
			}
		}
	}
}

// addSourcesAndRejections copies sources and rejections, whose texts come from outside
// and may be no valid UTF-8.
func (c *content) addSourcesAndRejections(in Input) {
	valid := func(s *string) { *s = strings.ToValidUTF8(*s, "\uFFFD") }
	c.sources = distinctSources(in.Sources)
	for i := range c.sources {
		s := &c.sources[i]
		for _, p := range []*string{&s.ID, &s.Kind, &s.URL, &s.Path, &s.Revision, &s.SHA256, &s.License} {
			valid(p)
		}
		s.Notes = slices.Clone(s.Notes)
		for j := range s.Notes {
			for _, p := range []*string{&s.Notes[j].Item, &s.Notes[j].Code, &s.Notes[j].Text} {
				valid(p)
			}
		}
	}
	c.rejections = slices.Clone(in.Rejections)
	for i := range c.rejections {
		r := &c.rejections[i]
		for _, p := range []*string{&r.ID, &r.Stage, &r.Code, &r.Reason, &r.Source, &r.Path} {
			valid(p)
		}
	}
}

// distinctSources leaves out a file that two needs of a source repeat.
func distinctSources(sources []schemas.Source) (out []schemas.Source) {
	seen := map[[5]string]bool{}
	for _, s := range sources {
		key := [5]string{s.ID, s.Path, s.URL, s.Revision, s.SHA256}
		if !seen[key] {
			out = append(out, s)
		}
		seen[key] = true
	}
	return out
}

// refID strips the media fragment off a reference.
func refID(ref string) string {
	id, _, _ := strings.Cut(ref, "#")
	return id
}

// mediaPart begins the name of a medium among the parts of a release.
const mediaPart = "media "

// license decides on the licence of all parts. Media are named one by one only where an
// error or a note names them.
func (c *content) license(mode, wanted string, private bool) (license.Decision, error) {
	if mode == pipeline.LicensedMedia {
		return c.licenseOfShipped(wanted, private)
	}
	parts := map[string][]string{}
	for id, l := range describe.Licenses(c.sources, c.media) {
		if parts[id] = l.Sources; l.Media > 0 {
			parts[id] = append(parts[id], mediaPart+l.First)
		}
	}
	d, err := license.Decide(parts, wanted, private)
	if err == nil && len(d.Notes) == 0 {
		return d, nil
	}
	named := map[string]bool{}
	for id, l := range describe.Licenses(c.sources, c.media) {
		named[mediaPart+l.First], parts[id] = l.Media > 0, slices.Clone(parts[id])
	}
	for m := range c.media {
		if part := mediaPart + m.MediaID; !named[part] {
			parts[m.License] = append(parts[m.License], part)
		}
	}
	for id := range parts {
		slices.Sort(parts[id])
	}
	return license.Decide(parts, wanted, private)
}

// maxPicture is the largest picture kept in the media table; rows stay below
// the 2 MB that viewers show.
const maxPicture = 1 << 20

// addRows adds the rows of what no record gives, and of media now that their number is
// known. Pictures are read from the store.
func (w *writer) addRows(ctx context.Context) error {
	c := &w.content
	errs := []error{
		addAll(w, tableEvents, c.events), addAll(w, tableSources, c.sources), addAll(w, tableRejections, c.rejections),
		addAll(w, tableFlagged, c.flagged),
	}
	for _, l := range c.labels {
		errs = append(errs, w.add(tableOf(tableLabels), rowOf(tableLabels, labelRowOf(l))))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for m := range c.media {
		name, err := mediaPath(m, w.kinds[m.Kind])
		if err != nil {
			w.refused = append(w.refused, Violation{tableMedia, m.MediaID, err.Error()})
			continue
		}
		var picture []byte
		if m.Kind == kindOfImage && m.Bytes <= maxPicture && !w.references(m) {
			if picture, err = readBlob(ctx, w.store, m); err != nil {
				return err
			}
		}
		if err := w.add(tableOf(tableMedia), rowOf(tableMedia, mediaRowOf(m, name, picture))); err != nil {
			return err
		}
	}
	return errors.Join(w.addHydration(), w.failed)
}

func addAll[T any](w *writer, name string, values []T) error {
	for _, v := range values {
		if err := w.add(tableOf(name), rowOf(name, v)); err != nil {
			return err
		}
	}
	return nil
}

// maxFolder bounds the files in a folder of media, since hubs refuse longer ones. More
// media are spread over folders by the first byte of their ids.
const maxFolder = 10_000 - 1

// mediaPath returns the path of a medium's file in a release with so many of its kind.
func mediaPath(m schemas.Media, ofKind int) (string, error) {
	if _, err := pipeline.ParseDigest(m.MediaID); err != nil {
		return "", fmt.Errorf("media id: %w", err)
	}
	types := map[string]string{
		"video/mp4": "videos/.mp4", "video/webm": "videos/.webm", "video/x-matroska": "videos/.mkv",
		"image/png": "images/.png", "image/jpeg": "images/.jpg", "image/webp": "images/.webp",
	}
	place, ok := types[m.Mime]
	if !ok || !strings.HasPrefix(place, m.Kind+"s/") {
		return "", fmt.Errorf("media %s: a %s of type %q cannot be released; videos are MP4, WebM or Matroska, images PNG, JPEG or WebP", m.MediaID, m.Kind, m.Mime)
	}
	folder, ext := path.Split(place)
	if ofKind >= maxFolder {
		folder += m.MediaID[:2]
	}
	return path.Join("media", folder, m.MediaID+ext), nil
}

// maxRow bounds a row: viewers show no larger ones.
const maxRow = 2 << 20

// maxAdded bounds what the row of a medium, or of a form that was not released, adds to
// the record, without a picture.
const maxAdded = 64 << 10

// TooLarge says why a row of a record cannot stand in a table of records, or in that
// of what was judged and not released; empty where it can.
func TooLarge(table string, cells []any) string {
	n := cellBytes(cells) + maxAdded
	if table == tableMedia {
		n += maxPicture
	}
	if n <= maxRow {
		return ""
	}
	return tooLarge(n)
}

// RowProblem says why a row of a record of a table cannot stand in a release, with the code
// of it: it is too large, or a value is none that its column takes. Empty where it can.
func RowProblem(t pipeline.Table, r pipeline.Row) (code, why string) {
	if why := TooLarge(r.Table, r.Cells); why != "" {
		return schemas.ExcludedSize, why
	}
	for _, of := range t.Tables() {
		if of.Name != r.Table {
			continue
		}
		if err := declaredTable(of).check(r.Cells); err != nil {
			return schemas.ExcludedRule, err.Error()
		}
		if why := rowschema.Violation(of.Columns, r.Cells); why != "" {
			return schemas.ExcludedRule, "breaks a rule of its columns: " + why
		}
	}
	return "", ""
}

func tooLarge(n int64) string {
	return fmt.Sprintf("has %d bytes in the release; at most %d are possible: make the record smaller, or keep what is large in a blob", n, maxRow)
}
