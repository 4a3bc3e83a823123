package evidence_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// within runs work in a scope over a real store, and returns what was rejected.
func within(t *testing.T, work func(*pipeline.Scope)) string {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	left, err := pipeline.RunInScope(pipeline.ScopeOptions{Identity: pipeline.Identity{Name: "node", Seed: 1}, Store: st}, func(s *pipeline.Scope) error { work(s); return nil })
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range left.Rejections {
		out = append(out, r.ID+" "+r.Code)
	}
	return strings.Join(out, "\n")
}

func TestGiver(t *testing.T) {
	var given []pipeline.Record
	lost := within(t, func(s *pipeline.Scope) {
		g := evidence.NewEmitter(s, func(r pipeline.Record) error { given = append(given, r); return nil }, "set", "", nil)
		item := func(id string) schemas.EvidenceItem {
			picture, why, err := g.Album.AddBytes(t.Context(), testkit.PNG(t, 1))
			if why != nil || err != nil {
				t.Fatal(why, err)
			}
			i := schemas.EvidenceItem{UpstreamID: id, Task: schemas.TaskSingleHop, Question: schemas.Question{Question: "Which?"}, Units: []schemas.EvidenceUnit{
				{Modality: schemas.ModalityImage, Media: picture, Role: schemas.RoleClue}, {Dataset: "other", Modality: schemas.ModalityText, Text: "So.", Role: schemas.RoleClue},
			}}
			g.AddOptions(&i.Question, id, "right", "wrong", "worse")
			return i
		}
		bad := item("3")
		bad.Units[1].Revises = []string{"set/3/E09"}
		for _, i := range []schemas.EvidenceItem{item("1"), item("1"), item("../2"), bad, item("4")} {
			if err := g.EmitItem(i); err != nil {
				t.Fatal(err)
			}
		}
		if ok, err := g.EmitProfile(schemas.Profile{UpstreamID: "1"}); !ok || err != nil {
			t.Errorf("a profile with the id of an item: %t, %v", ok, err)
		}
	})
	if want := "set/1 duplicate-id\nset/../2 bad-id\nset/3 dangling-evidence"; lost != want || len(given) != 3 {
		t.Fatalf("%d given, lost\n%s\nwant\n%s", len(given), lost, want)
	}
	one, err := pipeline.Decode[schemas.EvidenceItem](given[0])
	if err != nil || one.SourceID != "node" || one.License != "NOASSERTION" || one.Units[1].UnitID != "set/1/E02" || one.Units[1].Dataset != "other" || one.Units[0].Dataset != "set" || len(given[0].Blobs) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	if q := one.Question; q.AnswerText != "right" || len(q.Options) != 3 || !strings.Contains(q.QuestionMCQ, q.AnswerKey+". right") {
		t.Errorf("question %+v", q)
	}
}

func TestAlbum(t *testing.T) {
	within(t, func(s *pipeline.Scope) {
		a := evidence.NewAlbum(s, "MIT")
		for want, data := range map[string][]byte{"": testkit.PNG(t, 2), "no-picture": []byte("GIF89a"), "explodes": testkit.DecompressionBomb(t)} {
			blob, err := s.PutBlob(t.Context(), bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it is known
				_, why, err := a.AddBytes(t.Context(), data)
				id, again, err2 := a.AddBlob(t.Context(), blob.Digest)
				if err != nil || err2 != nil || code(why) != want || code(again) != want || (want == "") != (id == string(blob.Digest)) {
					t.Errorf("%q: %v, %v; %v, %v", want, why, again, err, err2)
				}
			}
		}
		if rows := a.Rows([]string{string(pipeline.DigestOf(testkit.PNG(t, 2))), "unknown"}); len(rows) != 1 || rows[0].Mime != "image/png" || rows[0].License != "MIT" {
			t.Errorf("rows %+v", rows)
		}
	})
}

func code(why *pipeline.Rejection) string {
	if why == nil {
		return ""
	}
	return why.Code
}

func TestLicences(t *testing.T) {
	for _, tc := range []struct{ known, stated, want string }{
		{"MIT", "", "MIT"}, {"MIT", "mit", "MIT"}, {"MIT", "cc-by-4.0", "MIT AND cc-by-4.0"}, {"", "mit", "mit"}, {"MIT AND CC-BY-NC-4.0", "cc-by-nc-4.0", "MIT AND CC-BY-NC-4.0"},
	} {
		got, notes := evidence.JoinLicences(tc.known, []pipeline.Asset{{License: tc.stated}, {License: tc.stated}, {Need: 1, License: "other"}})
		if got != tc.want || (len(notes) > 0) != (got != tc.known) {
			t.Errorf("%+v: %s, %v", tc, got, notes)
		}
	}
}

func TestChosen(t *testing.T) {
	within(t, func(s *pipeline.Scope) {
		ids := []string{"a", "b", "c", "d", "e"}
		three := evidence.Pick(s, ids, func(id string) string { return id }, 3)
		if len(three) != 3 || !slices.IsSorted(three) || evidence.PickIDs(s, ids, 0) != nil || evidence.PickIDs(s, ids, 5) != nil {
			t.Errorf("drawn %v", three)
		}
		rest := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id != "a" && !slices.Contains(three, id) })
		if again := evidence.Pick(s, rest, func(id string) string { return id }, 3); fmt.Sprint(again) != fmt.Sprint(three) {
			t.Errorf("without one that was not drawn: %v, then %v", three, again)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n\n{\"b\":2}\n{"))
	f.Add([]byte(`[{"a":1}, 2, {"a":1,"a":2}]`))
	st, err := store.Open(f.Context(), f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { st.Close() })
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := pipeline.RunInScope(pipeline.ScopeOptions{Store: st}, func(s *pipeline.Scope) error {
			blob, err := s.PutBlob(t.Context(), bytes.NewReader(text))
			if err != nil {
				return err
			}
			asset := pipeline.Asset{Path: "f.jsonl", Blob: blob.Digest, Size: int64(len(text))}
			last := -1
			return evidence.Lines(context.WithoutCancel(t.Context()), s, []pipeline.Asset{asset}, 0, func(l evidence.Line) error {
				if l.Number <= last || l.Object == nil {
					return fmt.Errorf("line %d behind %d", l.Number, last)
				}
				last = l.Number
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
