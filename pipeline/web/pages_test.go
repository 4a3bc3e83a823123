package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// attack is a text that runs or moves something where it is not taken as text.
const attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> {{.}} \x1b[31m\u202e \x07 javascript:alert(1)"

// oddIDs are ids that a path cannot hold as they are.
var oddIDs = []string{"q/with/slashes", "../../etc/passwd", "a//b", ".", "q.json", "%2F", "a?b#c&token=x", `\\host\c`, "q index.html", "<b>", "日本"}

// hostile opens a release of which the texts are attacks and the ids odd ones.
func hostile(t testing.TB) *catalog.Catalog {
	t.Helper()
	return open(t, hostileDir(t))
}

func hostileDir(t testing.TB) string {
	t.Helper()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), func(all []schemas.Question) []schemas.Question {
		for i := range all {
			q := &all[i]
			if i < len(oddIDs) {
				q.QuestionID = oddIDs[i]
			}
			q.Question, q.Explanation, q.Setting = attack+" "+q.Question, attack, attack
			for j := range q.Options {
				q.Options[j].Text = q.Options[j].Key + attack
			}
			q.SetOptionsWithStem(q.Question, q.Options...)
			q.Labels["label"+attack] = attack
			if i == 1 {
				q.Explanation = strings.Repeat(attack, 1<<20/len(attack))
			}
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), dir, catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func site(t testing.TB, c *catalog.Catalog) *web.Site {
	t.Helper()
	s, err := web.NewSite(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t testing.TB, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return w
}

var hrefs = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// links returns the addresses in a page.
func links(page string) (out []string) {
	for _, m := range hrefs.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.NewReplacer("&amp;", "&", "&#43;", "+", "&#39;", "'", "&lt;", "<", "&gt;", ">").Replace(m[1]))
	}
	return out
}

// Every page that a page leads to is there, and no text of a release is more than text.
func TestPagesOfAHostileRelease(t *testing.T) {
	h := site(t, hostile(t)).Handler()
	seen, queue := map[string]bool{}, []string{"/", "/rejected", "/tables", "/table/questions?column=family&value=video"}
	items := 0
	for len(queue) > 0 && len(seen) < 400 {
		at, _, _ := strings.Cut(queue[0], "#")
		queue = queue[1:]
		if seen[at] || at == "" || !strings.HasPrefix(at, "/") {
			continue
		}
		seen[at] = true
		w := get(t, h, at)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %.200s", at, w.Code, w.Body)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		page := w.Body.String()
		checkInert(t, at, page)
		if strings.HasPrefix(at, "/item/") {
			items++
		}
		queue = append(queue, links(page)...)
	}
	if items < len(oddIDs) {
		t.Errorf("the pages lead to %d questions, want %d and more", items, len(oddIDs))
	}
}

// checkInert fails where an attack is more than text in a page, or a page has inline code.
func checkInert(t *testing.T, at, page string) {
	t.Helper()
	for _, bad := range []string{"<script>", "<img src=x", "\x1b", "\u202e", "\x07", " style=", " onclick=", "href=\"javascript:"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s holds %q", at, bad)
		}
	}
	if len(page) > 300_000 {
		t.Errorf("%s has %d bytes", at, len(page))
	}
}

func TestIDsSurviveTheirLinks(t *testing.T) {
	c := hostile(t)
	h := site(t, c).Handler()
	for _, id := range oddIDs {
		item, err := c.Item(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		w := get(t, h, "/item/?id="+url.QueryEscape(id)+"&as=json")
		var got catalog.Item
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Question.QuestionID != id || got.Number != item.Number {
			t.Errorf("%q: %d, %v, %q", id, w.Code, err, got.Question.QuestionID)
		}
	}
	for _, at := range []string{"/item/..%2F..%2Fetc%2Fpasswd/x", "/media/..%2F..%2Fmanifest.json", "/media/manifest.json", "/assets/..%2Faccess.go", "/table/..%2Fquestions", "/item/%00"} {
		if w := get(t, h, at); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", at, w.Code)
		}
	}
}

func TestLongTextsAreCutAndGivenWhole(t *testing.T) {
	h := site(t, hostile(t)).Handler()
	page := get(t, h, "/item/?id="+url.QueryEscape(oddIDs[1])).Body.String()
	i := strings.Index(page, "?text=")
	if i < 0 {
		t.Fatal("a page with a long text does not lead to it")
	}
	name, _, _ := strings.Cut(page[i+len("?text="):], `"`)
	w := get(t, h, "/item/?id="+url.QueryEscape(oddIDs[1])+"&text="+name)
	if w.Body.Len() < 900_000 || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the whole text: %d bytes of %s", w.Body.Len(), w.Header().Get("Content-Type"))
	}
	if w := get(t, h, "/item/?id=q.json&text="+name); w.Code != http.StatusNotFound {
		t.Errorf("the text of another page: %d", w.Code)
	}
}

func TestBadParametersAreSaid(t *testing.T) {
	h := site(t, hostile(t)).Handler()
	for _, at := range []string{"/?limit=0", "/?q=" + strings.Repeat("a", 2000), "/?a=%zz", "/index.json?limit=-1"} {
		if w := get(t, h, at); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %.100s", at, w.Code, w.Body)
		}
	}
}

func TestMediaComeInRangesAndByTheirBytes(t *testing.T) {
	dir := hostileDir(t)
	c := open(t, dir)
	h := site(t, c).Handler()
	item, err := c.Item(t.Context(), oddIDs[0])
	if err != nil {
		t.Fatal(err)
	}
	medium := item.Media[0]
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/media/"+medium.MediaID, nil)
	r.Header.Set("Range", "bytes=2-5")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusPartialContent || w.Body.Len() != 4 {
		t.Errorf("a range: %d, %d bytes", w.Code, w.Body.Len())
	}
	file := filepath.Join(dir, filepath.FromSlash(medium.Path))
	html := append([]byte("<html><script>alert(1)</script>"), bytes.Repeat([]byte(" "), int(medium.Bytes))...)[:medium.Bytes]
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	w = get(t, h, "/media/"+medium.MediaID)
	if w.Header().Get("Content-Type") != "application/octet-stream" || w.Header().Get("Content-Disposition") != "attachment" {
		t.Errorf("HTML in place of a video is served as %v", w.Header())
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, html, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, file); err != nil {
		t.Fatal(err)
	}
	if w := get(t, h, "/media/"+medium.MediaID); w.Code == http.StatusOK || strings.Contains(w.Body.String(), "script") {
		t.Errorf("a link out of the release is followed: %d", w.Code)
	}
}

// TestASnapshotOfAHubIsShown serves a release whose files are links to blobs beside it, as in the
// cache of huggingface_hub: pages, whole films and parts of them.
func TestASnapshotOfAHubIsShown(t *testing.T) {
	dir := hostileDir(t)
	repo := filepath.Join(t.TempDir(), "datasets--lab--films")
	snapshot := filepath.Join(repo, "snapshots", strings.Repeat("0123456789", 4))
	blobs := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, err2 := filepath.Rel(dir, name)
		if err := errors.Join(err, err2); err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(snapshot, rel), 0o755))
		}
		blobs++
		blob := filepath.Join(repo, "blobs", fmt.Sprint("blob", blobs))
		link := filepath.Join(snapshot, rel)
		to, err := filepath.Rel(filepath.Dir(link), blob)
		return errors.Join(err, os.MkdirAll(filepath.Dir(blob), 0o755), os.Rename(name, blob), os.Symlink(to, link))
	})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, snapshot)
	h := site(t, c).Handler()
	item, err := c.Item(t.Context(), oddIDs[0])
	if err != nil || len(item.Media) == 0 || item.Media[0].Path == "" || len(item.Unread) > 0 {
		t.Fatalf("media %+v, unread %v, %v", item.Media, item.Unread, err)
	}
	for _, at := range []string{"/", "/item/" + oddIDs[0], "/tables", "/table/media"} {
		if w := get(t, h, at); w.Code != http.StatusOK {
			t.Errorf("%s: %d %.200s", at, w.Code, w.Body)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/media/"+item.Media[0].MediaID, nil)
	r.Header.Set("Range", "bytes=4-7")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusPartialContent || w.Body.Len() != 4 {
		t.Errorf("a part of a film: %d %.40q", w.Code, w.Body)
	}
}

// TestAFilmThatIsNotThere says why, and offers nothing that would do nothing.
func TestAFilmThatIsNotThere(t *testing.T) {
	dir := hostileDir(t)
	if err := os.RemoveAll(filepath.Join(dir, "media", "videos")); err != nil {
		t.Fatal(err)
	}
	w := get(t, site(t, open(t, dir)).Handler(), "/item/"+oddIDs[0])
	page := w.Body.String()
	for _, gone := range []string{"<video", `data-do="play"`, "data-span=", `href="/media/`} {
		if w.Code != http.StatusOK || strings.Contains(page, gone) {
			t.Errorf("%d, the page has %s", w.Code, gone)
		}
	}
	if !strings.Contains(page, "This file is missing or damaged.") || !strings.Contains(page, `class="lane`) || !strings.Contains(page, `<td class="t">`) {
		t.Errorf("the page does not say that the film is missing, or lost its time line: %.3000s", page)
	}
}

// The links of a static copy lead to files of it, and a sealed copy holds no gold.
func TestStaticCopy(t *testing.T) {
	c := hostile(t)
	for _, sealed := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "copy")
		n, err := web.WriteStatic(t.Context(), c, web.StaticOptions{Dir: dir, Sealed: sealed, Progress: func(int, int) {}})
		if err != nil {
			t.Fatal(err)
		}
		if rows := c.Tables()[0].Rows; int64(n) != rows {
			t.Errorf("a copy of %d of %d questions", n, rows)
		}
		checkCopy(t, dir, sealed)
		if _, err := web.WriteStatic(t.Context(), c, web.StaticOptions{Dir: dir, Progress: func(int, int) {}}); err == nil {
			t.Error("a copy is written over another")
		}
	}
}

func checkCopy(t *testing.T, dir string, sealed bool) {
	t.Helper()
	files := os.DirFS(dir)
	pages, golden := 0, 0
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".html" || path.Ext(name) == ".json" {
			for _, gold := range []string{`"role": "c`, `"answer_key": "A`, "intrusion", "clue", "mirror", `id="gold"`, `class="opt right"`, "label" + attack[:8]} {
				if !bytes.Contains(data, []byte(gold)) {
					continue
				}
				golden++
				if sealed {
					t.Errorf("%s of a sealed copy holds %q", name, gold)
				}
			}
		}
		if path.Ext(name) != ".html" {
			return nil
		}
		pages++
		checkInert(t, name, string(data))
		for _, to := range links(string(data)) {
			to, _, _ = strings.Cut(to, "#")
			if _, err := fs.Stat(files, path.Join(path.Dir(name), to)); to != "" && err != nil {
				t.Errorf("%s leads to %q: %v", name, to, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 10 || !sealed && golden < pages {
		t.Errorf("%d pages, %d signs of gold", pages, golden)
	}
}

func TestSampleOfACopy(t *testing.T) {
	c := hostile(t)
	var first []byte
	for range 2 {
		dir := filepath.Join(t.TempDir(), "copy")
		n, err := web.WriteStatic(t.Context(), c, web.StaticOptions{Dir: dir, Sample: 3, MediaBase: "https://media.example/r", Progress: func(int, int) {}})
		if err != nil || n != 3 {
			t.Fatalf("%d questions, %v", n, err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "search.json"))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(got, first) {
			t.Error("two samples of a release differ")
		}
		first = got
		if _, err := os.Stat(filepath.Join(dir, "media")); err == nil {
			t.Error("media were copied that are elsewhere")
		}
	}
}

// TestRejectedRecordsLeadToTheirPages: questions do, what else was rejected has none.
func TestRejectedRecordsLeadToTheirPages(t *testing.T) {
	dir, err := videorelease.WriteRejecting(t.Context(), t.TempDir(),
		schemas.Rejection{ID: "film-7", Stage: "compose", Code: "bad", Reason: "too short"}, schemas.Rejection{ID: "q-0001", Stage: "blind", Code: "bad", Reason: "guessed"})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	got, err := c.Rejected(t.Context(), "", 0)
	if err != nil || len(got.Rows) != 2 || len(got.Questions) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	h := site(t, c).Handler()
	page := get(t, h, "/rejected").Body.String()
	for _, r := range got.Rows {
		at := "/item/" + r.ID
		code := get(t, h, at).Code
		if linked := strings.Contains(page, `href="`+at+`"`); linked != (code == http.StatusOK) || linked != got.Questions[r.ID] || !strings.Contains(page, r.ID) {
			t.Errorf("%s is linked: %t, and its page gives %d", r.ID, linked, code)
		}
	}
}

// TestCopiesAreSearchedByAllTheyTell: options and answers, no answer in a sealed copy.
func TestCopiesAreSearchedByAllTheyTell(t *testing.T) {
	dir, err := videorelease.Write(t.Context(), t.TempDir(), func(all []schemas.Question) []schemas.Question {
		for i := range all {
			all[i].Explanation = "Seen by OKAPI."
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	item, err := c.Search(t.Context(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.Item(t.Context(), item.Rows[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []bool{false, true} {
		copied := filepath.Join(t.TempDir(), "copy")
		if _, err := web.WriteStatic(t.Context(), c, web.StaticOptions{Dir: copied, Sealed: sealed, Progress: func(int, int) {}}); err != nil {
			t.Fatal(err)
		}
		words, err := os.ReadFile(filepath.Join(copied, "search.json"))
		page, err2 := os.ReadFile(filepath.Join(copied, "index.html"))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if option := strings.ToLower(first.Question.Options[1].Text); !strings.Contains(string(words), option) || !strings.Contains(string(page), "Searched are questions, options") {
			t.Errorf("option %q is not searched: %.300s", option, words)
		}
		if has := strings.Contains(string(words), "okapi"); has == sealed {
			t.Errorf("explanations are searched: %t, sealed: %t", has, sealed)
		}
	}
}

// TestVersionsAreCompared: with those that lie beside a release, and with nothing else.
func TestVersionsAreCompared(t *testing.T) {
	root := t.TempDir()
	var dirs []string
	for i, version := range []string{"1.0.0", "2.0.0"} {
		dir, err := videorelease.WriteVersion(t.Context(), root, version, func(all []schemas.Question) []schemas.Question { return all[i:] })
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	for i, dir := range dirs {
		h := site(t, open(t, dir)).Handler()
		other := filepath.Base(dirs[1-i])
		if page := get(t, h, "/").Body.String(); !strings.Contains(page, `href="/compare"`) {
			t.Error("no link to what changed")
		}
		if page := get(t, h, "/compare").Body.String(); !strings.Contains(page, `href="/compare/`+other+`"`) {
			t.Errorf("%s: no link to %s: %s", dir, other, page)
		}
		w := get(t, h, "/compare/"+other)
		if page := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(page, "1.0.0 → 2.0.0") || !strings.Contains(page, "questions: gone") || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%d %.2000s", w.Code, page)
		}
		for _, at := range []string{"/compare/9.9.9", "/compare/..", "/compare/" + filepath.Base(dir), "/compare/%2e%2e%2f1.0.0"} {
			if w := get(t, h, at); w.Code == http.StatusOK && strings.Contains(w.Body.String(), "→") {
				t.Errorf("%s: %d", at, w.Code)
			}
		}
	}
	alone, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, site(t, open(t, alone)).Handler(), "/").Body.String(); strings.Contains(page, "/compare") {
		t.Error("a release without others leads to a comparison")
	}
}

func TestPageOfABuild(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, progress.StatusName), []byte(`{"steps":[{"name":"films","known":10,"done":4,"out":4,"reasons":{"<b>gone":1}}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := catalog.OpenBuild(out)
	if err != nil {
		t.Fatal(err)
	}
	h, err := web.BuildHandler(b)
	if err != nil {
		t.Fatal(err)
	}
	page := get(t, h, "/build").Body.String()
	checkInert(t, "/build", page)
	for _, want := range []string{"The build is running", `hx-trigger="every 2s"`, "4 of 10", "&lt;b&gt;gone 1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of a build lacks %q:\n%s", want, page)
		}
	}
	if w := get(t, h, "/"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/build" {
		t.Errorf("/ leads to %d %q", w.Code, w.Header().Get("Location"))
	}
	if err := os.WriteFile(filepath.Join(out, progress.StatusName), []byte(`{"steps":[],"ended":true,"error":"no room"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := get(t, h, "/build").Body.String(); !strings.Contains(page, "The build failed") || !strings.Contains(page, "no room") || strings.Contains(page, "every 2s") {
		t.Errorf("a build that failed: %s", page)
	}
}
