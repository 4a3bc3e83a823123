package release

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// content is what the tables of a release are made of, before it is checked.
type content struct {
	questions  []schemas.Question
	flagged    []schemas.FlaggedQuestion
	tasks      []schemas.Task
	media      []schemas.Media
	events     []schemas.StatedEvent
	labels     []schemas.StatedLabel
	verdicts   []schemas.Verdict
	probes     []schemas.Probe
	sources    []schemas.Source
	rejections []schemas.Rejection
	plugged    map[string][]row // by table of a plugin
}

// collect decodes the records and leaves out tasks and media that no question
// needs, and statements about originals that no medium shows.
func collect(in Input) (content, error) {
	c := content{plugged: map[string][]row{}}
	var stated []schemas.Statements
	for _, r := range in.Records {
		var err error
		switch r.Schema {
		case schemas.NameQuestion:
			err = appendRecord(&c.questions, r)
		case schemas.NameTask:
			err = appendRecord(&c.tasks, r)
		case schemas.NameMedia:
			err = appendRecord(&c.media, r)
		case schemas.NameStatements:
			err = appendRecord(&stated, r)
		case schemas.NameVerdict:
			err = appendRecord(&c.verdicts, r)
		case schemas.NameProbes:
			var asked schemas.Probes
			asked, err = pipeline.Decode[schemas.Probes](r)
			c.probes = append(c.probes, asked.Probes...)
		default:
			err = c.plug(in.Tables, r)
		}
		if err != nil {
			return c, fmt.Errorf("collect release: %w", err)
		}
	}
	if len(c.questions) == 0 {
		return c, ErrEmpty
	}
	c.takeSplits()
	c.dropUnused(in)
	c.takePlain(in)
	c.flagged = in.Flagged
	slices.SortFunc(c.media, func(a, b schemas.Media) int { return strings.Compare(a.MediaID, b.MediaID) })
	return c, c.takeStatements(stated)
}

// takeSplits puts questions without a split into the default one.
func (c *content) takeSplits() {
	for i := range c.questions {
		if c.questions[i].Split == "" {
			c.questions[i].Split = schemas.DefaultSplit
		}
	}
}

func appendRecord[T any](list *[]T, r pipeline.Record) error {
	v, err := pipeline.Decode[T](r)
	if err == nil {
		*list = append(*list, v)
	}
	return err
}

// dropUnused keeps tasks that a question belongs to or cites, media that a
// question or a task so kept refers to, and what a plugin's table refers to. With the others go the verdicts on
// them.
func (c *content) dropUnused(in Input) {
	used := map[string]bool{}
	for _, q := range c.questions {
		used[q.TaskID] = true
		for _, m := range q.Media {
			used[m] = true
		}
		for _, e := range q.Evidence {
			used[refID(e.Ref)], used[refID(e.Media)] = true, true
		}
	}
	for _, t := range in.Tables {
		for _, r := range c.plugged[t.Name] {
			for _, ref := range t.Refers(r) {
				used[refID(ref.ID)] = true
			}
		}
	}
	dropped := map[string]bool{}
	unused := func(id string) bool {
		dropped[id] = !used[id]
		return dropped[id]
	}
	c.tasks = slices.DeleteFunc(c.tasks, func(t schemas.Task) bool { return unused(t.TaskID) })
	for _, t := range c.tasks {
		for _, m := range t.Media {
			used[m] = true
		}
	}
	c.media = slices.DeleteFunc(c.media, func(m schemas.Media) bool { return unused(m.MediaID) })
	c.verdicts = slices.DeleteFunc(c.verdicts, func(v schemas.Verdict) bool { return dropped[v.Item] })
}

// takePlain copies sources and rejections, whose texts come from outside and
// may be no valid UTF-8.
func (c *content) takePlain(in Input) {
	valid := func(s *string) { *s = strings.ToValidUTF8(*s, "\uFFFD") }
	c.sources = onceEach(in.Sources)
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

// onceEach leaves out a file that two needs of a source want.
func onceEach(sources []schemas.Source) (out []schemas.Source) {
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

// licenseParts groups sources and media by licence.
func (c *content) licenseParts() map[string][]string {
	parts := map[string][]string{}
	for _, s := range c.sources {
		parts[s.License] = append(parts[s.License], "source "+s.ID)
	}
	for _, m := range c.media {
		parts[m.License] = append(parts[m.License], mediaPart+m.MediaID)
	}
	for id := range parts {
		slices.Sort(parts[id])
		parts[id] = slices.Compact(parts[id])
	}
	return parts
}

// maxPicture is the largest picture kept in the media table; rows stay below
// the 2 MB that viewers show.
const maxPicture = 1 << 20

// tableRows turns the content into sorted rows by table name. Pictures are read
// from the store.
func (c *content) tableRows(ctx context.Context, store pipeline.Store, all []table) (map[string][]row, error) {
	rows := c.textRows()
	maps.Copy(rows, c.plugged)
	for _, m := range c.media {
		name, err := mediaPath(m)
		if err != nil {
			return nil, err
		}
		var picture []byte
		if m.Kind == kindOfImage && m.Bytes <= maxPicture {
			if picture, err = readBlob(ctx, store, m); err != nil {
				return nil, err
			}
		}
		rows[tableMedia] = append(rows[tableMedia], rowOf(tableMedia, mediaRowOf(m, name, picture)))
	}
	for _, t := range all {
		t.sort(rows[t.name])
	}
	return rows, nil
}

// textRows are the rows of all tables but media, as they come.
func (c *content) textRows() map[string][]row {
	rows := map[string][]row{
		tableQuestions:  rowsOf(tableQuestions, c.questions),
		tableTasks:      rowsOf(tableTasks, c.tasks),
		tableEvents:     rowsOf(tableEvents, c.events),
		tableSources:    rowsOf(tableSources, c.sources),
		tableVerdicts:   rowsOf(tableVerdicts, c.verdicts),
		tableProbes:     rowsOf(tableProbes, c.probes),
		tableRejections: rowsOf(tableRejections, c.rejections),
	}
	for _, f := range c.flagged {
		rows[tableFlagged] = append(rows[tableFlagged], rowOf(tableFlagged, flaggedRowOf(f)))
	}
	for _, l := range c.labels {
		rows[tableLabels] = append(rows[tableLabels], rowOf(tableLabels, labelRowOf(l)))
	}
	return rows
}

// mediaPath is where a medium's file lies in a release.
func mediaPath(m schemas.Media) (string, error) {
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
	return path.Join("media", folder, m.MediaID+ext), nil
}
