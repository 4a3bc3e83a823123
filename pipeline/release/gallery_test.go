package release

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/describe"
)

// TestGalleryHoldsPicturesOnly: what stands in the place of a picture, or beside
// one, is found, though the report is restated in every list.
func TestGalleryHoldsPicturesOnly(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	source := regexp.MustCompile(`<img src="[^"]*"`)
	figure := regexp.MustCompile(`<figure .*<img src="[^"]*" (?s:.*?)</figure>\n`)
	address := func(data []byte) string {
		return `<img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(data) + `"`
	}
	whole := picturePNG(320, 180, 1)
	comment := slices.Concat(whole[:33], pngPart("tEXt", "read me first"), whole[33:])
	at := func(where *regexp.Regexp, what string) func(string) string {
		return func(report string) string {
			span := where.FindStringIndex(report)
			return report[:span[0]] + what + report[span[1]:]
		}
	}
	for name, change := range map[string]func(string) string{
		"an address elsewhere":  at(source, `<img src="https://collect.example/?seen"`),
		"another type":          at(source, `<img src="data:text/html;base64,PHNjcmlwdD4="`),
		"a picture of SVG":      at(source, `<img src="data:image/svg&#43;xml;base64,PHN2Zy8+"`),
		"bytes that are no PNG": at(source, address([]byte("no picture"))),
		"bytes behind the PNG":  at(source, address(append(slices.Clone(whole), "behind"...))),
		"text within the PNG":   at(source, address(comment)),
		"a script":              func(s string) string { return strings.Replace(s, "<figure", "<script>alert(1)</script><figure", 1) },
		"a picture of a plain card": func(s string) string {
			return strings.Replace(s, `"><figcaption>`, `"><img src="https://collect.example/?seen"><figcaption>`, -1)
		},
		"a question twice": func(s string) string {
			return strings.Replace(s, figure.FindString(s), strings.Repeat(figure.FindString(s), 2), 1)
		},
		"a section of its own": func(s string) string {
			return strings.Replace(s, "</main>", "<section>\n<h2>Gallery</h2><script>alert(1)</script></section>\n</main>", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forged := filepath.Join(t.TempDir(), "r")
			if err := os.CopyFS(forged, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			report, err := os.ReadFile(filepath.Join(forged, describe.ReportName))
			if err != nil {
				t.Fatal(err)
			}
			now := change(string(report))
			if now == string(report) {
				t.Fatal("nothing is changed")
			}
			overwrite(t, forged, describe.ReportName, []byte(now))
			resign(t, forged)
			for _, r := range mustRestate(t, mustRead(t, forged)) {
				if r.Path == describe.ReportName && len(r.Differs) == 0 {
					t.Error("it is not found")
				}
			}
		})
	}
	restated := mustRestate(t, mustRead(t, dir))
	if i := slices.IndexFunc(restated, func(r TextCheck) bool { return r.Path == describe.ReportName }); len(restated[i].Differs) > 0 {
		t.Errorf("untouched: %q", restated[i].Differs)
	}
}

// pngPart is a chunk of a PNG.
func pngPart(kind, text string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	out = append(out, kind+text...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
