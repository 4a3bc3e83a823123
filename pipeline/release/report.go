package release

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed report.html.tmpl
var reportText string

// reportData is what the report's template sees.
type reportData struct {
	Title, Version, License string
	Private                 bool
	Config                  string
	Seed                    uint64
	Tools                   []string
	Models                  string
	Stats                   statistics
	Facts                   factsTable
	FactsGrid               grid
	Company                 string
	Length, Size            string
	Funnel                  []funnelBar
	Refused, Noted          fileList
	Checked                 []string
	Passed, Types, Gates    grid
	ChecksNote              string
	Tables                  []TableInfo
	Gallery                 []picture
}

type funnelBar struct {
	FunnelRow
	Percent float64
	Main    string
	// Unjudged says what a gate did not judge, and mainly why.
	Unjudged string
	// Noted counts near misses by code.
	Noted string
}

// report renders report.html: one file without outside references, in which all
// text is escaped by the template engine.
func (w *writer) report() ([]byte, error) {
	t, err := template.New("report").Parse(reportText)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	stats := w.content.statistics()
	data := reportData{
		Title: w.title(), Version: w.version.String(), License: w.license.License.SPDX, Private: w.license.Private,
		Config: string(w.in.Config), Seed: w.in.Seed, Tools: tellTools(w.in.Tools), Models: tellModels(w.in.Models),
		Stats: stats, Length: readableTime(stats.Seconds), Size: readableBytes(stats.Bytes),
		Facts: w.facts, FactsGrid: w.facts.grid(), Company: w.facts.companyNote(), Funnel: funnelBars(w.in.Funnel, w.in.Judged), Tables: w.tables,
		Checked: w.checked.sentences(), Passed: w.checked.passedGrid(), Types: w.checked.typesGrid(),
		Gates: w.checked.gatesGrid(w.in.Judged, w.gates), ChecksNote: checksNote,
		Refused: w.refusedFiles(), Noted: w.notedFiles(),
	}
	if data.Gallery, err = w.pictures(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

func funnelBars(rows []FunnelRow, judged []JudgedRow) []funnelBar {
	without := notJudged(judged)
	largest := int64(1)
	for _, r := range rows {
		largest = max(largest, r.Out)
	}
	out := make([]funnelBar, len(rows))
	for i, r := range rows {
		out[i] = funnelBar{FunnelRow: r, Percent: 100 * float64(r.Out) / float64(largest), Main: mainOf(r.Reasons), Unjudged: without[r.Node], Noted: countsOf(r.Notes)}
	}
	return out
}
