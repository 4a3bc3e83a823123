package assemble

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// sources gives one row per fetched file, or one for a generated source.
func (c *collector) sources() []schemas.Source {
	var out []schemas.Source
	for _, n := range c.nodes {
		if n.Step.Kind != pipeline.KindSource {
			continue
		}
		row := schemas.Source{
			ID: n.Step.Name, Kind: n.Step.Use, License: n.Step.Spec.License,
			Records: int64(n.Summary.Out), Losses: int64(n.Summary.Lost),
		}
		if len(n.Assets) == 0 {
			out = append(out, row)
			continue
		}
		for _, a := range n.Assets {
			file := row
			file.URL, file.Path, file.Revision, file.SHA256, file.Bytes = a.URL, a.Path, a.Revision, string(a.Blob), a.Size
			file.License = assetLicense(n.Step, a)
			out = append(out, file)
		}
	}
	return out
}

func assetLicense(s engine.Step, a pipeline.Asset) string {
	if a.Need >= 0 && a.Need < len(s.Needs) && s.Needs[a.Need].License != "" {
		return s.Needs[a.Need].License
	}
	if a.License != "" {
		return a.License
	}
	return s.Spec.License
}

// funnel gives one row per node.
func (c *collector) funnel(notes noted) []release.RecordCounts {
	var rows []release.RecordCounts
	for _, n := range c.nodes {
		s := n.Summary
		row := release.RecordCounts{
			Step: n.Step.Name, From: n.Step.From, Kind: string(n.Step.Kind), Use: n.Step.Use,
			In: int64(s.In), Out: int64(s.Out), Lost: int64(s.Lost), Flagged: int64(s.Flagged), Revised: int64(s.Revised),
		}
		for _, code := range s.ReasonCodes() {
			row.Reasons = append(row.Reasons, release.ReasonCount{Code: code, Count: int64(s.Reasons[code])})
		}
		found := notes.found[n.Step.Name]
		for _, code := range slices.Sorted(maps.Keys(found)) {
			row.Notes = append(row.Notes, release.ReasonCount{Code: code, Count: found[code]})
		}
		rows = append(rows, row)
	}
	return rows
}

// withWithheld is a funnel that counts what is withheld, by the node that gave it. What a
// source gave is of that source.
func withWithheld(rows []release.RecordCounts, withheld []schemas.Rejection) []release.RecordCounts {
	by, sources := map[string]*codes{}, map[string]bool{}
	for _, row := range rows {
		by[row.Step], sources[row.Step] = &codes{}, row.Kind == string(pipeline.KindSource)
	}
	for i, r := range withheld {
		by[r.Stage].add(r.Code)
		if sources[r.Stage] {
			withheld[i].Source = r.Stage
		}
	}
	out := slices.Clone(rows)
	for i, row := range out {
		out[i].Excluded = by[row.Step].sorted()
	}
	return out
}

// tools unites the tool versions of all nodes.
func (c *collector) tools() map[string]string {
	all := map[string]string{}
	for _, n := range c.nodes {
		maps.Copy(all, n.Step.Identity.Tools)
	}
	return all
}
