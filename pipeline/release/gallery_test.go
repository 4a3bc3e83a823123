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

	"github.com/memforge/memforge/schemas"
)

// TestGalleryAsksWhatItShows: each medium with a question about it, of another type
// each as far as there are, its right option marked, and the seconds of the evidence
// that lies in that medium.
func TestGalleryAsksWhatItShows(t *testing.T) {
	q := func(id, typ, medium string, evidence ...schemas.Evidence) schemas.Question {
		return schemas.Question{
			QuestionID: id, Type: typ, Question: "What, " + id + "?", Media: []string{medium}, Evidence: evidence, AnswerKey: "B",
			Options: []schemas.Option{{Key: "A", Text: "no"}, {Key: "B", Text: "yes"}},
		}
	}
	seen := func(ref, role string) schemas.Evidence { return schemas.Evidence{Ref: ref, Role: role} }
	w := &writer{
		content: content{
			media: []schemas.Media{{MediaID: "m1", Kind: "image"}, {MediaID: "m2", Kind: "video", Duration: 4, Frames: 100, Recipe: schemas.Recipe{Layout: "split", SwapFrames: []int64{1, 2}}}},
			questions: []schemas.Question{
				q("q2", "a", "m1", seen("m1#t=1.50,2.25", "clue"), seen("m1", "context"), seen("m2#t=0,1", "clue")),
				q("q1", "b", "m2"), q("q0", "a", "m2"), q("q3", "b", "m1"),
			},
		},
		gallery: []embedded{{mediaID: "m1"}, {mediaID: "m2"}},
	}
	got, err := w.pictures()
	if err != nil {
		t.Fatal(err)
	}
	if p := got[0]; p.Question != "What, q2?" || p.Evidence != "a; evidence: clue 1.50 to 2.25 s, context the whole" || p.Options[0].Gold || !p.Options[1].Gold || p.Options[1].Text != "B. yes" || !strings.HasPrefix(p.Caption, "image") {
		t.Errorf("%+v", p)
	}
	if p := got[1]; p.Question != "What, q1?" || p.Evidence != "b; evidence: none in this medium" || p.Caption != "split, 4.0 s, 100 frames, 2 exchanges of sides" {
		t.Errorf("%+v", p)
	}
}

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
		"a medium twice": func(s string) string {
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
			report, err := os.ReadFile(filepath.Join(forged, reportName))
			if err != nil {
				t.Fatal(err)
			}
			now := change(string(report))
			if now == string(report) {
				t.Fatal("nothing is changed")
			}
			overwrite(t, forged, reportName, []byte(now))
			resign(t, forged)
			for _, r := range mustRestate(t, mustRead(t, forged)) {
				if r.Path == reportName && len(r.Differs) == 0 {
					t.Error("it is not found")
				}
			}
		})
	}
	restated := mustRestate(t, mustRead(t, dir))
	if i := slices.IndexFunc(restated, func(r Restated) bool { return r.Path == reportName }); len(restated[i].Differs) > 0 {
		t.Errorf("untouched: %q", restated[i].Differs)
	}
}

// pngPart is a chunk of a PNG.
func pngPart(kind, text string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	out = append(out, kind+text...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
