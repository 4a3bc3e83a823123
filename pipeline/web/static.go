package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// StaticOptions say what a static copy holds.
type StaticOptions struct {
	// Dir is the folder of the copy; it must not exist, or be empty.
	Dir string
	// Query chooses questions, Sample so many of them at random, 0 is all.
	Query  catalog.Query
	Sample int
	// MediaBase is a URL under which the media of the release are found. Without one they are
	// copied.
	MediaBase string
	// Sealed leaves all out that gives gold away.
	Sealed bool
	// Progress is told how many of the pages of questions are written.
	Progress func(done, all int)
}

// MostStatic bounds the questions of a static copy: one file holds the words of all of them.
const MostStatic = 50_000

// TooManyError says that a static copy would have too many questions.
type TooManyError struct{ Questions int64 }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("a static copy holds at most %s questions, these are %s; choose some with --where or --sample", number(MostStatic), number(e.Questions))
}

// staticCopy is a copy that is being written.
type staticCopy struct {
	StaticOptions
	catalog *catalog.Catalog
	links   *copied
	render  *Renderer
	root    *os.Root
	rows    []catalog.Row
	words   []string        // what a search of the copy looks into, of each row
	known   map[string]bool // ids of questions of the copy
	media   map[string]bool // digests that pages show
	// sessions and sources are those that pages lead to.
	sessions, sources map[string]bool
	policy            string
}

// WriteStatic writes the pages of a release as files that any web host serves. The folder
// appears when all of it is written.
func WriteStatic(ctx context.Context, c *catalog.Catalog, o StaticOptions) (questions int, err error) {
	if names, err := os.ReadDir(o.Dir); err == nil && len(names) > 0 {
		return 0, fmt.Errorf("%s is not empty; name a new folder", o.Dir)
	}
	temp := filepath.Clean(o.Dir) + ".partial"
	if err := errors.Join(os.RemoveAll(temp), os.MkdirAll(temp, 0o755)); err != nil {
		return 0, fmt.Errorf("folder of the copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	root, err := os.OpenRoot(temp)
	if err != nil {
		return 0, fmt.Errorf("folder of the copy: %w", err)
	}
	defer root.Close()
	s := &staticCopy{
		StaticOptions: o, catalog: c, root: root,
		known: map[string]bool{}, media: map[string]bool{}, sessions: map[string]bool{}, sources: map[string]bool{},
	}
	if err := s.prepare(ctx); err != nil {
		return 0, err
	}
	for _, write := range []func(context.Context) error{s.writeItems, s.writeSessions, s.writeSources, s.writeLists, s.copyMedia, s.copyAssets} {
		if err := write(ctx); err != nil {
			return 0, err
		}
	}
	_ = os.Remove(o.Dir) // an empty folder gives way; anything else makes the next line fail
	if err := os.Rename(temp, o.Dir); err != nil {
		return 0, fmt.Errorf("folder of the copy: %w", err)
	}
	return len(s.rows), nil
}

func (s *staticCopy) prepare(ctx context.Context) error {
	origin := ""
	if s.MediaBase != "" {
		base, err := url.Parse(s.MediaBase)
		if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
			return fmt.Errorf("--media-base %s is no http(s) URL", s.MediaBase)
		}
		origin = " " + base.Scheme + "://" + base.Host
		s.MediaBase = strings.TrimSuffix(s.MediaBase, "/") + "/"
	}
	s.policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'" + origin + "; media-src 'self'" + origin + "; connect-src 'self'; form-action 'none'; base-uri 'none'"
	s.links = &copied{mediaAt: s.mediumPath, texts: map[string]bool{}}
	var err error
	if s.render, err = newRenderer(s.links); err != nil {
		return err
	}
	if s.Query.Text != "" || len(s.Query.Filters) > 0 {
		if err := s.catalog.WaitIndexed(ctx); err != nil {
			return err
		}
	}
	return s.choose(ctx)
}

// choose reads the rows of the copy: all that the query finds, or a sample of them, which a
// release always gives the same.
func (s *staticCopy) choose(ctx context.Context) error {
	q := s.Query
	q.Limit = catalog.MostRows
	var seed [32]byte
	copy(seed[:], s.catalog.Digest)
	rnd := rand.New(rand.NewChaCha8(seed))
	for seen, first := 0, true; first || q.After != ""; first = false {
		page, err := s.catalog.Search(ctx, q)
		if err != nil {
			return err
		}
		if s.Sample == 0 && page.Total > MostStatic || s.Sample > MostStatic {
			return &TooManyError{max(page.Total, int64(s.Sample))}
		}
		for _, row := range page.Rows {
			seen++
			if s.Sample == 0 || len(s.rows) < s.Sample {
				s.rows = append(s.rows, row)
			} else if at := rnd.IntN(seen); at < s.Sample {
				s.rows[at] = row
			}
		}
		q.After = page.Next
	}
	slices.SortFunc(s.rows, func(a, b catalog.Row) int { return int(a.Number - b.Number) })
	for i, row := range s.rows {
		s.known[row.ID] = true
		if s.Sealed {
			s.rows[i].Roles = ""
		}
	}
	return nil
}

func (s *staticCopy) mediumPath(digest string) string {
	name, ok := s.catalog.MediumPath(digest)
	if ok && s.MediaBase != "" {
		return s.MediaBase + name
	}
	if ok {
		s.media[digest] = true
	}
	return name
}

// head is that of a page at a path of the copy; links of the page begin there.
func (s *staticCopy) head(at, title string) Head {
	s.links.up = strings.Repeat("../", strings.Count(at, "/"))
	m := s.catalog.Manifest
	nav := []NavLink{{Name: "Questions", Href: s.links.up + "index.html"}, {Name: "Sources", Href: s.links.up + "sources.html"}}
	if !s.Sealed {
		nav = append(nav, NavLink{Name: "Rejected", Href: s.links.up + "rejected.html"})
	}
	return Head{Title: title, Name: m.Name, Version: m.Version, Skip: "main", SkipWord: "page", Nav: nav, Policy: s.policy, Sealed: s.Sealed}
}

// write writes a page, what it says as JSON, and the long texts that it links to.
func (s *staticCopy) write(at, template string, page, asJSON any) error {
	body, err := s.render.Render(template, page)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(asJSON, "", " ")
	if err != nil {
		return fmt.Errorf("page %s as JSON: %w", at, err)
	}
	files := map[string][]byte{at: body, strings.TrimSuffix(at, ".html") + ".json": data}
	for name := range s.links.texts {
		if text, ok := findText(reflect.ValueOf(asJSON), name); ok {
			files["text/"+name+".txt"] = []byte(text)
		}
	}
	clear(s.links.texts)
	for name, data := range files {
		if err := s.writeFile(name, data); err != nil {
			return err
		}
	}
	return nil
}

func (s *staticCopy) writeFile(name string, data []byte) error {
	if err := s.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if err := s.root.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

func (s *staticCopy) writeItems(ctx context.Context) error {
	for i, row := range s.rows {
		item, err := s.catalog.Item(ctx, row.ID)
		if err != nil {
			return fmt.Errorf("question %.200s: %w", row.ID, err)
		}
		if s.Sealed {
			HideGold(&item)
		}
		s.words = append(s.words, searchWords(item.Question))
		item.SameFact = slices.DeleteFunc(item.SameFact, func(r catalog.Row) bool { return !s.known[r.ID] })
		at := filePath("item", row.ID)
		head := s.head(at, row.ID)
		p, err := newItemPage(ctx, s.catalog, item, s.Sealed)
		if err != nil {
			return err
		}
		head.Title, head.Skip, head.SkipWord, head.Keys = p.Head.Title, "evidence", "evidence", itemKeys
		head.Back, head.BackWord, head.Where = s.links.up+"index.html", plural(int64(len(s.rows)), "question"), fmt.Sprintf("%s of %s", number(int64(i+1)), number(int64(len(s.rows))))
		p.Head, p.JSON = head, "index.json"
		if i > 0 {
			p.Previous = s.links.page("item", s.rows[i-1].ID)
		}
		if i+1 < len(s.rows) {
			p.Next = s.links.page("item", s.rows[i+1].ID)
		}
		for _, t := range p.Evidence.Talks {
			s.sessions[t.Session] = true
		}
		for _, id := range p.Sources {
			s.sources[id] = true
		}
		if err := s.write(at, "item", p, item); err != nil {
			return err
		}
		s.Progress(i+1, len(s.rows))
	}
	return nil
}

// searchWords are the words of a question that a copy searches: all that its page says of it, which
// is without gold in a sealed copy. Those of sessions would be a multiple.
func searchWords(q schemas.Question) string {
	words := []string{q.QuestionID, q.Type, q.Question}
	for _, o := range q.Options {
		words = append(words, o.Text)
	}
	return strings.ToLower(strings.Join(append(words, q.AnswerText, q.AnswerCall, q.Explanation), " "))
}

func (s *staticCopy) writeSessions(ctx context.Context) error {
	for _, id := range sortedKeys(s.sessions) {
		got, err := s.catalog.Session(ctx, id)
		if err != nil {
			return err
		}
		if s.Sealed {
			got.Points = nil
		}
		got.Questions, got.QuestionTotal = nil, 0
		at := filePath("session", id)
		head := s.head(at, id)
		p := newSessionPage(got, 0, len(got.Turns), s.Sealed)
		head.Skip, head.SkipWord = "turns", "turns"
		p.Head = head
		if err := s.write(at, "session", p, got); err != nil {
			return err
		}
	}
	return nil
}

func (s *staticCopy) writeSources(ctx context.Context) error {
	for _, id := range sortedKeys(s.sources) {
		got, err := s.catalog.Source(ctx, id)
		if err != nil {
			return err
		}
		got.Questions, got.QuestionTotal = nil, -1
		at := filePath("source", id)
		p := sourcePage{Head: s.head(at, id), Source: got}
		if err := s.write(at, "source", p, got); err != nil {
			return err
		}
	}
	return nil
}

// copyList is a page of the list of a copy.
type copyList struct {
	Head         Head
	Rows         []catalog.Row
	Query        catalog.Query
	All          int
	Before, Next string
	Sources      []string
	Index        string
}

// searchRow is a question in the file that a copy searches.
type searchRow struct {
	Href  string `json:"href"`
	Text  string `json:"text"`
	Type  string `json:"type"`
	Words string `json:"words"`
}

func (s *staticCopy) writeLists(ctx context.Context) error {
	pages := slices.Collect(slices.Chunk(s.rows, catalog.PageRows))
	name := func(i int) string {
		if i == 0 {
			return "index.html"
		}
		return fmt.Sprintf("list-%d.html", i+1)
	}
	for i, rows := range slices.Concat(pages, [][]catalog.Row{nil})[:max(len(pages), 1)] {
		p := copyList{Head: s.head(name(i), ""), Rows: rows, All: len(s.rows), Index: "search.json"}
		p.Head.Title = fmt.Sprintf("%s · %s %s", plural(int64(len(s.rows)), "question"), p.Head.Name, p.Head.Version)
		p.Head.Skip, p.Head.SkipWord, p.Head.Keys = "rows", "questions", listKeys
		if i > 0 {
			p.Before = name(i - 1)
		}
		if i+1 < len(pages) {
			p.Next = name(i + 1)
		}
		if err := s.write(name(i), "copylist", p, rows); err != nil {
			return err
		}
	}
	s.head("search.json", "")
	index := make([]searchRow, len(s.rows))
	for i, row := range s.rows {
		index[i] = searchRow{s.links.page("item", row.ID), showLine(row.Question, 300), row.Type, s.words[i]}
	}
	data, err := json.Marshal(index)
	if err != nil {
		return fmt.Errorf("words of the copy: %w", err)
	}
	if err := s.writeFile("search.json", data); err != nil {
		return err
	}
	sources := copyList{Head: s.head("sources.html", "Sources"), Sources: sortedKeys(s.sources)}
	if err := s.write("sources.html", "copysources", sources, sources.Sources); err != nil || s.Sealed {
		return err
	}
	got, err := s.catalog.Rejected(ctx, "", catalog.MostRows)
	if err != nil {
		return err
	}
	p := rejectedPage{Head: s.head("rejected.html", "Rejected"), Page: got}
	p.Head.Skip, p.Head.SkipWord = "rows", "records"
	return s.write("rejected.html", "rejected", p, got)
}

func (s *staticCopy) copyMedia(ctx context.Context) error {
	for _, digest := range sortedKeys(s.media) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.copyMedium(digest); err != nil {
			return err
		}
	}
	return nil
}

func (s *staticCopy) copyMedium(digest string) (err error) {
	in, err := s.catalog.OpenMedium(digest)
	if err != nil {
		return err
	}
	defer in.Close()
	name, _ := s.catalog.MediumPath(digest)
	if err := s.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	out, err := s.root.Create(name)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy medium %s: %w", digest, err)
	}
	return nil
}

func (s *staticCopy) copyAssets(context.Context) error {
	for _, name := range []string{sheetName, "pages.css", "app.js", "icon.svg"} {
		data, err := assetFile(name)
		if err != nil {
			return err
		}
		if err := s.writeFile("assets/"+name, data); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
