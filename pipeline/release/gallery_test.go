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

// TestCardsTellTheirQuestions: the medium, the options with the right one marked, when
// the evidence is to be seen in which medium, or what it says.
func TestCardsTellTheirQuestions(t *testing.T) {
	long := strings.Repeat("ü", 300)
	w := &writer{
		content: content{
			media: slices.Values([]schemas.Media{{MediaID: "m1", Kind: "image"}, {MediaID: "m2", Kind: "video", Duration: 4, Frames: 100, Recipe: schemas.Recipe{Layout: "split", SwapFrames: []int64{1, 2}}}}),
			questions: slices.Values([]schemas.Question{
				{
					QuestionID: "q/1", Family: "f", Type: "a", Question: "What?", Media: []string{"m1", "m2"}, AnswerKey: "B",
					Options:  []schemas.Option{{Key: "A", Text: "no"}, {Key: "B", Text: "yes"}},
					Evidence: []schemas.Evidence{{Ref: "m2#t=1.50,2.25", Role: "clue"}, {Ref: "m1", Role: "context"}, {Ref: "m1", Role: "context"}},
				},
				{
					QuestionID: "q2", Family: "f", Type: "b", Question: "Who?", AnswerText: "she",
					Evidence: []schemas.Evidence{{Ref: "t", Role: "clue", Text: long}, {Ref: "t", Role: "update", Caption: "A red cup."}, {Ref: "t", Role: "clue"}},
				},
			}),
		},
		gallery: []cardPicture{{question: figureID("q2")}, {question: figureID("q/1")}},
	}
	got, err := w.pictures()
	if err != nil {
		t.Fatal(err)
	}
	if p := got[0]; p.Question != "Who?" || p.Answer != "she" || p.Caption != "f, b" ||
		!slices.Equal(p.Evidence, []string{"clue: " + long[:2*mostText] + "…", "update: A red cup.", "clue: t"}) {
		t.Errorf("%+v", p)
	}
	if p := got[1]; p.Question != "What?" || p.Caption != "f, a, image, 0.0 s, 0 frames, split, 4.0 s, 100 frames, 2 exchanges of sides" ||
		p.Options[0].Gold || !p.Options[1].Gold || p.Options[1].Text != "B. yes" ||
		!slices.Equal(p.Evidence, []string{"clue, medium 2: 1.50 to 2.25 s", "context, medium 1: the whole"}) {
		t.Errorf("%+v", p)
	}
	w.gallery = []cardPicture{{question: figureID("q3")}}
	if _, err := w.pictures(); err == nil {
		t.Error("a card of a question that is not there")
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
	if i := slices.IndexFunc(restated, func(r TextCheck) bool { return r.Path == reportName }); len(restated[i].Differs) > 0 {
		t.Errorf("untouched: %q", restated[i].Differs)
	}
}

// pngPart is a chunk of a PNG.
func pngPart(kind, text string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	out = append(out, kind+text...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
