package release

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/schemas"
)

// A release of licensed media ships the media that it may and references the others: their
// rows stand in table media, table hydration says how their files are made of files of
// table sources. No list names these files, so that the release is the same whether
// somebody has made them or not.

// mediaMode returns what the manifest says of media.
func (in Input) mediaMode() string {
	if in.Spec.Media == pipeline.AllMedia {
		return ""
	}
	return in.Spec.Media
}

// references reports whether the release has a medium by reference.
func (w *writer) references(m schemas.Media) bool {
	return w.in.mediaMode() == pipeline.LicensedMedia && !license.AllowsShipping(m.License)
}

// addHydration adds the rows that the referenced media need. That one of them cannot be
// made is a *license.Error.
func (w *writer) addHydration() error {
	steps, originals, added := map[string]*schemas.HydrationStep{}, map[string]bool{}, map[string]bool{}
	for i := range w.in.Hydration {
		s := &w.in.Hydration[i]
		steps[s.Output] = s
		if s.Second != "" {
			steps[s.Second] = s
		}
	}
	for _, s := range w.content.sources {
		originals[s.SHA256] = true
	}
	var add func(file string) bool
	add = func(file string) bool {
		s := steps[file]
		switch {
		case originals[file] || s != nil && added[s.Output]:
			return true
		case s == nil:
			return false
		}
		added[s.Output] = true
		for _, in := range s.Inputs {
			if !add(in.File) || in.Sound != "" && !add(in.Sound) {
				return false
			}
		}
		return true
	}
	for m := range w.content.media {
		if w.references(m) && !add(m.MediaID) {
			return &license.Error{License: m.License, Parts: []string{mediaPart + m.MediaID}, Detail: "it must not be shipped, and no step says how its file is made of files of the sources, so that it cannot be referenced either; leave its source out, or write a private release with --allow-unlicensed and release.media: all"}
		}
	}
	t := hydrationTable()
	for _, output := range slices.Sorted(maps.Keys(added)) {
		if err := w.add(declaredTable(t), rowschema.Cells(t.Columns, *steps[output])); err != nil {
			return err
		}
	}
	return nil
}

// licenseOfShipped decides on the licence of what a release ships that references media.
// Sources whose licence forbids shipping may give such media alone, no texts.
func (c *content) licenseOfShipped(wanted string, private bool) (license.Decision, error) {
	parts, originals := map[string][]string{}, map[string]bool{}
	for m := range c.media {
		originals[m.MediaID] = true
		for _, s := range m.Recipe.Segments {
			originals[s.Original] = true
		}
		switch shipped := license.AllowsShipping(m.License); {
		case shipped && parts[m.License] == nil:
			parts[m.License] = []string{mediaPart + m.MediaID}
		case !shipped && m.Caption != "":
			parts[m.License] = append(parts[m.License], "the caption of "+mediaPart+m.MediaID)
		}
	}
	telling := map[string]bool{} // sources that give sessions
	if c.sessions != nil {
		for s := range c.sessions {
			telling[s.SourceID] = true
		}
	}
	for _, s := range c.sources {
		part := "source " + s.ID
		if license.AllowsShipping(s.License) || telling[s.ID] && !originals[s.SHA256] {
			parts[s.License] = append(parts[s.License], part)
		}
	}
	for id := range parts {
		parts[id] = slices.Compact(slices.Sorted(slices.Values(parts[id])))
		if !license.AllowsShipping(id) && !private {
			return license.Decision{}, &license.Error{License: id, Parts: parts[id], Detail: "release.media: licensed references media, and these are texts, which the release would ship; leave the source out, or write a private release with --allow-unlicensed"}
		}
	}
	if len(parts) == 0 && wanted == "" {
		return license.Decision{}, &license.Error{Parts: []string{"the release"}, Detail: "all its sources are under licences that forbid shipping, so that none follows for its questions and tables; set release.license"}
	}
	if len(parts) == 0 {
		parts[wanted] = []string{"release.license"}
	}
	return license.Decide(parts, wanted, private)
}

// sessionsOf returns the sessions of a release, nil where it has no such table.
func sessionsOf(shapes []table, rows rowSource) iter.Seq[schemas.Session] {
	t, ok := findDeclared(shapes, pipeline.TableSessions)
	if !ok {
		return nil
	}
	return declaredRecords[schemas.Session](rows, t)
}

// Hydration is what it takes to make the files of the referenced media of a release.
type Hydration struct {
	Report
	Dir string
	// Media are the referenced ones, with the places of their files.
	Media []HydratedMedium
	// Sources have the originals, Steps make files of them.
	Sources []schemas.Source
	Steps   []schemas.HydrationStep
}

// HydratedMedium is a referenced medium and the slash-separated place of its file.
type HydratedMedium struct {
	schemas.Media
	FileName string
}

// ReadHydration verifies the release in dir and returns how the files of its referenced
// media are made.
func (l Limits) ReadHydration(ctx context.Context, dir string) (Hydration, error) {
	v := l.verifier(ctx, dir)
	if err := v.verifyAll(); err != nil {
		return Hydration{}, err
	}
	h := Hydration{Report: v.report, Dir: v.dir, Sources: slices.Collect(recordsOf[schemas.Source](v.each, tableSources))}
	for m := range recordsOf[mediaRow](v.each, tableMedia) {
		if h.Manifest.References(m.License) {
			h.Media = append(h.Media, HydratedMedium{m.Media, m.FileName})
		}
	}
	if t, found := findDeclared(currentShapes(h.Manifest), tableHydration); found {
		h.Steps = slices.Collect(declaredRecords[schemas.HydrationStep](v.each, t))
	}
	return h, v.failed
}
