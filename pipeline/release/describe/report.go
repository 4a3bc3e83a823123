package describe

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	texttemplate "text/template"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

var (
	//go:embed card.md.tmpl
	cardText string
	//go:embed report.html.tmpl
	reportText string
)

// summary is what the templates of card and report see.
type summary struct {
	Title, Version, License string
	Private, OneLicense     bool
	Hub, SizeCategory       string
	Features                []cardFeatures
	Config                  string
	Seed                    uint64
	Tools                   []string
	Models                  string
	Stats                   statistics
	Facts                   factsTable
	FactsGrid               grid
	Wording                 grid
	Repeated                string
	Company                 string
	Length, Size            string
	Steps                   grid
	Funnel                  []funnelBar
	Refused, Noted          fileList
	Checked                 []string
	Passed, Types, Gates    grid
	ChecksNote              string
	People                  reviewSummary
	Tables                  []manifest.TableInfo
	// Shown are the tables that a solver is shown something of, ShownWords says what.
	Shown      []string
	ShownWords string
	Gallery    []galleryCard
}

type funnelBar struct {
	manifest.RecordCounts
	Percent float64
	Main    string
	// Unjudged says what a gate did not judge, and mainly why.
	Unjudged string
	// Noted counts near misses by code.
	Noted string
}

func (rel Release) summary() (summary, error) {
	people, err := rel.summarizeReviews()
	checked, facts, wording := rel.summarizeChecks(), rel.countFacts(), rel.measureWording()
	stats := rel.statistics()
	shown, shownWords := rel.shownToSolver()
	return summary{
		Shown: shown, ShownWords: shownWords,
		Title: rel.title(), Version: rel.Manifest.Version, License: rel.License.License.SPDX, Private: rel.License.Private,
		OneLicense: len(Licenses(rel.Sources, rel.Media)) == 1, Hub: rel.License.License.Hub, SizeCategory: sizeCategory(stats.Questions), Features: rel.features(),
		Config: string(rel.Manifest.Config), Seed: rel.Manifest.Seed, Tools: toolLines(rel.Manifest.Tools), Models: describeModels(rel.Manifest.Models),
		Stats: stats, Length: readableTime(stats.Seconds), Size: readableBytes(stats.Bytes),
		Facts: facts, FactsGrid: facts.grid(), Wording: wordingGrid(wording), Repeated: repeatedNote(wording), Company: facts.companyNote(), Tables: rel.Manifest.Tables,
		Steps: funnelGrid(rel.Manifest.RecordCounts, rel.Manifest.GateCounts), Funnel: funnelBars(rel.Manifest.RecordCounts, rel.Manifest.GateCounts),
		Checked: checked.sentences(), Passed: checked.passedGrid(), Types: checked.typesGrid(),
		Gates: checked.gatesGrid(rel.Manifest.GateCounts, rel.Manifest.Gates), ChecksNote: checksNote, People: people,
		Refused: rel.refusedFiles(), Noted: rel.notedFiles(),
	}, err
}

// cardAndReport are the dataset card, front matter for dataset hubs and then prose,
// and report.html: one file without outside references, in which all text is escaped
// by the template engine.
func (rel Release) cardAndReport() (card, report []byte, err error) {
	data, err := rel.summary()
	if err != nil {
		return nil, nil, err
	}
	if data.Gallery, err = rel.pictures(); err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	forCard, err := cardTemplate()
	if err == nil {
		card, err = execute(forCard, data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("card: %w", err)
	}
	forReport, err := template.New("report").Parse(reportText)
	if err == nil {
		report, err = execute(forReport, data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	return card, report, nil
}

// cardTemplate has the functions that escape what stands in the card.
func cardTemplate() (*texttemplate.Template, error) {
	return texttemplate.New("card").Funcs(texttemplate.FuncMap{
		"md": markdown, "yaml": quoteYAML, "count": count, "grid": grid.markdown, "shares": sharesGrid, "splits": splitPaths,
	}).Parse(cardText)
}

func execute(t interface{ Execute(io.Writer, any) error }, data summary) ([]byte, error) {
	var b bytes.Buffer
	err := t.Execute(&b, data)
	return b.Bytes(), err
}

func funnelBars(rows []manifest.RecordCounts, judged []manifest.GateCounts) []funnelBar {
	without := unjudgedItems(judged)
	largest := int64(1)
	for _, r := range rows {
		largest = max(largest, r.Out)
	}
	out := make([]funnelBar, len(rows))
	for i, r := range rows {
		out[i] = funnelBar{RecordCounts: r, Percent: 100 * float64(r.Out) / float64(largest), Main: manifest.MainReason(r.Reasons), Unjudged: without[r.Step], Noted: joinCounts(r.Notes)}
	}
	return out
}
