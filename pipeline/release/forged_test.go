package release

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// forged is a release in the making.
type forged struct {
	*Forger
	rows     map[string][]row
	manifest manifest.Manifest
	// renamed maps the path of a media file to the one it has now.
	renamed map[string]string
	// stated says that the manifest is forged, so that its licence stays.
	stated bool
	// keeps, if set, gets the files of tables.
	keeps map[string]written
}

// restate makes follow what follows from the changed row.
func (g *forged) restate(place string, i int, old row, items bool) error {
	now := g.rows[place][i]
	if items {
		if err := errors.Join(g.restateItems(place, old, now), g.restateRecords()); err != nil {
			return err
		}
	}
	switch place {
	case tableEvents, tableLabels:
		if err := g.restateStatement(place, i, old); err != nil {
			return err
		}
	case tableMedia:
		g.restateFile(old, now)
	case tableSources:
		g.restateSource(recordOf[schemas.Source](tableSources, now))
	}
	for _, t := range shapesOf(g.manifest) {
		t.sort(g.rows[t.name])
	}
	for name := range g.rows {
		if strings.HasSuffix(name, "/") {
			tableOf(tableFiles).sort(g.rows[name])
		}
	}
	return g.restateGates()
}

// restateItems gives verdicts on the changed row the digest that it has now.
func (g *forged) restateItems(place string, old, now row) error {
	digest := func(r row) (d pipeline.Digest, err error) {
		switch place {
		case tableQuestions:
			return pipeline.QuestionDigest(recordOf[schemas.Question](tableQuestions, r))
		case tableFlagged:
			return pipeline.QuestionDigest(recordOf[schemas.FlaggedQuestion](tableFlagged, r).Question)
		case tableMedia:
			return pipeline.MediaDigest(recordOf[mediaRow](tableMedia, r).Media)
		case tableTasks:
			return pipeline.TaskDigest(recordOf[schemas.Task](tableTasks, r))
		}
		return "", nil
	}
	before, err := digest(old)
	after, err2 := digest(now)
	if err = errors.Join(err, err2); err != nil || before == "" {
		return err
	}
	at, _ := tableOf(tableVerdicts).column("item_digest")
	for i, r := range g.rows[tableVerdicts] {
		if r[at] == string(before) {
			g.rows[tableVerdicts][i], _ = replaced(r, []int{at}, string(after)).([]any)
		}
	}
	return nil
}

// restateStatement gives a statement the id that it has now, unless the id is what
// was forged.
func (g *forged) restateStatement(place string, i int, old row) error {
	const at = 1
	now := g.rows[place][i]
	if now[at] != old[at] {
		return nil
	}
	id, err := eventID(recordOf[schemas.StatedEvent](tableEvents, now))
	if place == tableLabels {
		id, err = labelID(recordOf[labelRow](tableLabels, now).label())
	}
	now[at] = id
	return err
}

// restateFile renames a media file whose path is another now, and the row beside
// it.
func (g *forged) restateFile(old, now row) {
	name, _ := tableOf(tableMedia).column("file_name")
	was, _ := old[name].(string)
	is, _ := now[name].(string)
	taken := slices.ContainsFunc(g.rows[tableMedia], func(r row) bool { return r[0] != now[0] && r[name] == is })
	if was == is || taken || manifest.CheckPath(is) != nil {
		return
	}
	g.renamed = map[string]string{was: is}
	folder, base := path.Split(was)
	for i, r := range g.rows[folder] {
		if r[0] == base && strings.HasPrefix(is, folder) {
			g.rows[folder][i] = row{strings.TrimPrefix(is, folder), r[1]}
		}
	}
}

// restateSource gives the funnel the totals that a row of a source now states.
func (g *forged) restateSource(s schemas.Source) {
	g.manifest.RecordCounts = slices.Clone(g.manifest.RecordCounts)
	for i, row := range g.manifest.RecordCounts {
		if row.Step == s.ID {
			g.manifest.RecordCounts[i].Out, g.manifest.RecordCounts[i].Lost = s.Records, s.Losses
		}
	}
}

// restateGates sums up gates again, and counts rejections by node and code.
func (g *forged) restateGates() error {
	c := g.contents()
	totals, err := SumGates(c.Verdicts, c.Probes)
	if err != nil {
		return err
	}
	g.manifest.Gates = slices.Clone(g.manifest.Gates)
	for i, info := range g.manifest.Gates {
		g.manifest.Gates[i].GateTotals = totals[info.Name]
	}
	counts := map[string]map[string]int64{}
	for _, r := range c.Rejections {
		if schemas.Excluded(r.Code) {
			continue
		}
		if counts[r.Stage] == nil {
			counts[r.Stage] = map[string]int64{}
		}
		counts[r.Stage][r.Code]++
	}
	g.restateJudged(c.Rejections)
	g.manifest.RecordCounts = slices.Clone(g.manifest.RecordCounts)
	for i, row := range g.manifest.RecordCounts {
		g.manifest.RecordCounts[i].Reasons = reasonsOf(counts[row.Step])
		if row.Kind != string(pipeline.KindGate) {
			lost := int64(0)
			for _, n := range counts[row.Step] {
				lost += n
			}
			g.manifest.RecordCounts[i].Lost = lost
		}
	}
	return nil
}

// restateJudged counts the codes under which gates dropped items, where they drop
// all that they flag.
func (g *forged) restateJudged(rejections []schemas.Rejection) {
	g.manifest.GateCounts = slices.Clone(g.manifest.GateCounts)
	for i, row := range g.manifest.GateCounts {
		codes := map[string]int64{}
		for _, r := range rejections {
			if !schemas.Excluded(r.Code) && r.Stage == row.Gate && (row.Source == "" || r.Source == row.Source) && r.Code != "gate-error" {
				codes[r.Code]++
			}
		}
		if row.Flagged == row.Dropped && row.Round == 0 {
			g.manifest.GateCounts[i].Reasons = reasonsOf(codes)
		}
	}
}

func reasonsOf(counts map[string]int64) (out []manifest.ReasonCount) {
	for code, n := range counts {
		out = append(out, manifest.ReasonCount{Code: code, Count: n})
	}
	slices.SortFunc(out, func(a, b manifest.ReasonCount) int { return cmp.Compare(a.Code, b.Code) })
	return out
}

func (g *forged) contents() Contents {
	c := contentsOf(Report{Manifest: g.manifest}, func(t table) iter.Seq[row] { return slices.Values(g.rows[t.name]) })
	c.Dir = g.dir
	return c
}

// forgeManifest changes a value of the manifest and restates the texts.
func (f *Forger) forgeManifest(dest, column string, n int) (what string, err error) {
	doc, err := f.document()
	if err != nil {
		return "", err
	}
	left := spread(n, len(f.spots[column]))
	var was, is any
	alter(doc, manifestPart, func(name string, v any) any {
		if name != column {
			return v
		}
		if left--; left != -1 {
			return v
		}
		was, is = v, alteredScalar(v, n)
		return is
	})
	what = fmt.Sprintf("%s: %v instead of %v", column, is, was)
	data, err := json.Marshal(doc)
	if err != nil {
		return what, err
	}
	g := &forged{Forger: f, rows: f.rows, stated: true}
	if err := json.Unmarshal(data, &g.manifest); err != nil {
		return what, err
	}
	if reflect.DeepEqual(g.manifest, f.manifest) {
		return what, errors.New("nothing changed")
	}
	return what, g.write(dest)
}
