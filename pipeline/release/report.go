package release

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
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
	Length, Size            string
	Funnel                  []funnelBar
	Gates                   []JudgedRow
	Tables                  []TableInfo
	Gallery                 []picture
}

type funnelBar struct {
	FunnelRow
	Percent float64
	Main    string
}

type picture struct {
	Caption string
	Source  template.URL
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
		Title: w.title(), Version: w.version.String(), License: w.license.license.spdx, Private: w.license.private,
		Config: string(w.in.Config), Seed: w.in.Seed, Tools: tellTools(w.in.Tools), Models: tellModels(w.in.Models),
		Stats: stats, Length: readableTime(stats.Seconds), Size: readableBytes(stats.Bytes),
		Funnel: funnelBars(w.in.Funnel), Gates: w.in.Judged, Tables: w.tables,
	}
	if data.Gallery, err = pictures(w.opts.Gallery); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

func funnelBars(rows []FunnelRow) []funnelBar {
	largest := int64(1)
	for _, r := range rows {
		largest = max(largest, r.Out)
	}
	out := make([]funnelBar, len(rows))
	for i, r := range rows {
		out[i] = funnelBar{FunnelRow: r, Percent: 100 * float64(r.Out) / float64(largest), Main: mainOf(r.Reasons)}
	}
	return out
}

// pictures embeds the gallery. Only bytes that are PNG or JPEG get in, so that
// the data URI's type is true.
func pictures(gallery []GalleryImage) ([]picture, error) {
	var out []picture
	for i, g := range gallery {
		mime := http.DetectContentType(g.Data)
		if mime != "image/png" && mime != "image/jpeg" {
			return nil, fmt.Errorf("gallery image %d (%q) is %s, not PNG or JPEG", i, g.Caption, mime)
		}
		uri := "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(g.Data)
		out = append(out, picture{Caption: g.Caption, Source: template.URL(uri)})
	}
	return out, nil
}
