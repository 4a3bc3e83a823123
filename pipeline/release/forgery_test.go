package release_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// forgeriesPage lists what finds which forgery.
const forgeriesPage = "../../docs/forgeries.md"

// forgeriesEach is how many values of a column are forged, one at a time.
const forgeriesEach = 2

// smith forges a release over and over.
type smith struct {
	*release.Forger
	reg  *pipeline.Registry
	key  signing.PublicKey
	temp string

	mu       sync.Mutex
	made     int
	clean    string   // folder of the release
	absent   []string // lists without an element in all rows
	outcomes map[string]*outcome
}

// outcome is what became of the forgeries of one column.
type outcome struct {
	forged, free int
	by           map[string]bool
	examples     []string
}

// TestForgeries changes one value at a time, restates everything that follows,
// and holds what finds it against docs/forgeries.md: what is not found must
// stand there as free, and what stands there as free must not be found.
func TestForgeries(t *testing.T) {
	t.Parallel()
	s := newSmith(t)
	all := testsize.Full()
	each, step := 1, 36
	if all {
		each, step = forgeriesEach, 1
	}
	s.forgeAll(t, each, step)
	s.behindVerdicts(t, 2*step)
	if all && s.made < 300 {
		t.Errorf("%d forgeries; want at least 300", s.made)
	}
	page, err := os.ReadFile(forgeriesPage)
	if err != nil {
		t.Fatal(err)
	}
	if all && golden.Updating() {
		page = s.rewrite(t, page)
	}
	listed := readForgeries(string(page), forgeriesHead)
	for _, column := range s.absent {
		if s.Count(column+", other families") == 0 {
			t.Errorf("%s: the release has no value to forge", column)
		}
	}
	s.against(t, listed, all)
	found := 0
	for _, o := range s.outcomes {
		found += o.forged - o.free
	}
	t.Logf("%d forgeries over %d values: %d found without a key, all with it", s.made, len(s.outcomes), found)
}

// behindVerdicts leaves the digests of items as they were: then every value of
// what gates judged is held. Tasks are judged by none here.
func (s *smith) behindVerdicts(t *testing.T, step int) {
	t.Helper()
	for i, column := range s.Columns() {
		table, _, _ := strings.Cut(column, ".")
		if i%step != 0 || s.Count(column) == 0 || !slices.Contains([]string{"questions", "flagged", "media"}, table) || slices.Contains(unbound(), column) {
			continue
		}
		what, by, err := s.forge(t.Context(), column, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(by) == 0 && table == "media" && !s.judged(t, what) {
			continue // a picture of the album, which no gate looks at
		}
		if len(by) == 0 {
			t.Errorf("%s, the digest in the verdict left as it was: nothing finds it", what)
		}
	}
}

// judged reports whether a verdict is on the row that a forgery is said to be of.
func (s *smith) judged(t *testing.T, what string) bool {
	t.Helper()
	c, err := release.Read(t.Context(), s.clean)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(c.Verdicts, func(v schemas.Verdict) bool { return strings.Contains(what, v.Item[:min(len(v.Item), 40)]) })
}

// unbound are values that no verdict of the release is on: the count of a form,
// and captions, which only the album's pictures have.
func unbound() []string { return []string{"flagged.version, other families", "media.caption"} }

func newSmith(t *testing.T) *smith {
	t.Helper()
	s := &smith{reg: forgeRegistry(t), temp: t.TempDir(), outcomes: map[string]*outcome{}}
	built, clean := buildForged(t, s.reg), t.TempDir()
	if err := release.WithSmallPictures(t.Context(), built, clean); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{built, clean} {
		if by, err := s.finders(t.Context(), dir); err != nil || len(by) > 0 {
			t.Fatalf("the release itself: %v, %v", by, err)
		}
	}
	s.clean, s.key = clean, signForged(t, clean)
	var err error
	if s.Forger, err = release.NewForger(t.Context(), clean); err != nil {
		t.Fatal(err)
	}
	return s
}

// signForged signs a release with a key of minisign's own.
func signForged(t *testing.T, dir string) signing.PublicKey {
	t.Helper()
	k, err := signing.LoadKey(filepath.Join("signing", "testdata", "plain.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := k.Sign([]byte(r.Sums), r.Manifest.ID)
	if err == nil {
		err = release.AddSignature(dir, signature)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err = release.Verify(t.Context(), dir); err != nil || signing.Verify(k.Public(), []byte(r.Sums), r.Signature) != nil {
		t.Fatalf("its own signature does not hold: %v", err)
	}
	return k.Public()
}

// forgeAll forges some values of every step-th column.
func (s *smith) forgeAll(t *testing.T, each, step int) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(runtime.NumCPU())
	for i, column := range s.Columns() {
		if s.Count(column) == 0 {
			s.absent = append(s.absent, column)
			continue
		}
		for n := range each {
			if i%step != 0 {
				continue
			}
			group.Go(func() error {
				what, by, err := s.forge(ctx, column, n, true)
				if err != nil {
					return fmt.Errorf("%s: %w", what, err)
				}
				s.note(column, what, by)
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// forge makes one forgery and says what finds it without a key. With the key it
// must be found.
func (s *smith) forge(ctx context.Context, column string, n int, items bool) (what string, by []string, err error) {
	dest, err := os.MkdirTemp(s.temp, "forged")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dest)
	if what, err = s.Forge(dest, column, n, items); err != nil {
		return what, nil, err
	}
	by, err = s.finders(ctx, dest)
	if err != nil {
		return what, nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dest, "SHA256SUMS"))
	if err != nil {
		return what, nil, err
	}
	signature, err := os.ReadFile(filepath.Join(dest, release.SignatureName))
	if err != nil {
		return what, nil, err
	}
	var wrong *signing.Error
	if err := signing.Verify(s.key, sums, signature); !errors.As(err, &wrong) {
		return what, nil, fmt.Errorf("the signature holds: %w", err)
	}
	return what, by, nil
}

// finders names everything that finds a release wrong, without a key.
func (s *smith) finders(ctx context.Context, dir string) ([]string, error) {
	c, err := release.Read(ctx, dir)
	var damaged *release.DamagedError
	if errors.As(err, &damaged) {
		return []string{"verify"}, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := audit.Run(ctx, s.reg, c)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, g := range r.Gates {
		if g.State == audit.Differs || g.State == audit.Errored {
			out = append(out, "verdicts of gates")
		}
	}
	for _, p := range r.Parts {
		name, _, _ := strings.Cut(p.Name, " of ")
		if p.State == audit.Differs || p.State == audit.Errored {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (s *smith) note(column, what string, by []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	o := s.outcomes[column]
	if o == nil {
		o = &outcome{by: map[string]bool{}}
		s.outcomes[column] = o
	}
	o.forged++
	if len(by) == 0 {
		o.free++
		o.examples = append(o.examples, what)
	}
	for _, b := range by {
		o.by[b] = true
	}
}

// listing is what the page says of a value: what finds it forged, and whether it is free.
type listing struct{ by, free string }

func (o *outcome) listing() listing {
	out := listing{by: strings.Join(slices.Sorted(maps.Keys(o.by)), ", ")}
	switch o.free {
	case 0:
	case o.forged:
		out.free = "yes"
	default:
		out.free = "part"
	}
	return out
}

// forgeriesHead begins the table of the page that this test writes, and only that.
const forgeriesHead = "| table | found by | free | values |\n| --- | --- | --- | --- |\n"

// otherFamilies ends the names of columns in rows of families without a derivation.
const otherFamilies = ", other families"

// place returns the table of a column and its name there, as the page lists them.
func place(column string) (table, value string) {
	column, other := strings.CutSuffix(column, otherFamilies)
	table, value, cut := strings.Cut(column, ": ")
	if !cut {
		table, value, _ = strings.Cut(column, ".")
	}
	if other {
		table += otherFamilies
	}
	return table, value
}

// readForgeries returns what the table of the page that begins with head lists, by
// table and value.
func readForgeries(page, head string) map[[2]string]listing {
	out := map[[2]string]listing{}
	_, table, _ := strings.Cut(page, head)
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for i, text := range strings.Split(cells[4], "`") {
			if i%2 == 0 {
				continue // between two values
			}
			record, fields, _ := strings.Cut(strings.TrimSuffix(text, "}"), "{")
			values := []string{text}
			if fields != "" {
				values = strings.Split(fields, ", ")
			} else {
				record = ""
			}
			for _, value := range values {
				out[[2]string{strings.TrimSpace(cells[1]), record + value}] = listing{strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])}
			}
		}
	}
	return out
}

// forgeryRows returns the rows of the page: one for each table and listing, in the order
// in which they first appear among columns.
func forgeryRows(columns []string, outcomes map[string]*outcome) string {
	type group struct {
		table string
		listing
	}
	var groups []group
	values := map[group][]string{}
	for _, column := range columns {
		o := outcomes[column]
		if o == nil {
			continue
		}
		table, value := place(column)
		g := group{table, o.listing()}
		if values[g] == nil {
			groups = append(groups, g)
		}
		values[g] = append(values[g], value)
	}
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.table, g.by, g.free, strings.Join(folded(values[g]), ", "))
	}
	return b.String()
}

// folded returns values as code, the fields of one record that follow each other as one.
func folded(values []string) (out []string) {
	for len(values) > 0 {
		dot := strings.LastIndex(values[0], ".") + 1
		record, fields := values[0][:dot], []string{values[0][dot:]}
		for dot > 0 && len(fields) < len(values) {
			next := values[len(fields)]
			if end := strings.LastIndex(next, ".") + 1; next[:end] != record {
				break
			}
			fields = append(fields, next[dot:])
		}
		values = values[len(fields):]
		if len(fields) == 1 {
			out = append(out, "`"+record+fields[0]+"`")
		} else {
			out = append(out, "`"+record+"{"+strings.Join(fields, ", ")+"}`")
		}
	}
	return out
}

// rewrite puts the measured rows into the page.
func (s *smith) rewrite(t *testing.T, page []byte) []byte {
	t.Helper()
	before, _, found := strings.Cut(string(page), forgeriesHead)
	if !found {
		t.Fatalf("%s has no table", forgeriesPage)
	}
	out := []byte(before + forgeriesHead + forgeryRows(s.Columns(), s.outcomes))
	if err := os.WriteFile(forgeriesPage, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return out
}
