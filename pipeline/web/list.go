package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// showParameter names facets of a list that are open besides those that always are.
const showParameter = "show"

// ownParameters are those of pages that are no part of a query.
var ownParameters = []string{showParameter, "text", "id", "as", "gold"}

// listPage is a page of questions.
type listPage struct {
	Head   Head
	Query  catalog.Query
	Page   catalog.Page
	Facets []facetView
	Chips  []chip
	// Kept are filters that no check box of the page stands for.
	Kept []param
	// Indexing says how far the index is, where the list needs it or has no facets yet.
	Indexing string
	Waiting  bool
	// Polled says that the page itself asked how far the index is.
	Polled  bool
	Heading string
}

// Listed are the rows with the query that their links keep.
func (p listPage) Listed() rowList { return rowList{p.Page.Rows, p.Query} }

type rowList struct {
	Rows  []catalog.Row
	Query catalog.Query
}

// Last is the place of the last row.
func (p listPage) Last() int64 { return p.Page.First + int64(len(p.Page.Rows)) - 1 }

// Hidden are the filters as fields of the search form.
func (p listPage) Hidden() []param { return keptFilters(p.Query, nil) }

// Before and Following are the queries of the pages around this one, nil for none.
func (p listPage) Before() *catalog.Query { return p.at(p.Page.Previous) }

// Following is the query of the next page.
func (p listPage) Following() *catalog.Query { return p.at(p.Page.Next) }

func (p listPage) at(place string) *catalog.Query {
	if place == "" {
		return nil
	}
	q := p.Query
	q.After = place
	return &q
}

// countedOutcomes returns outcomes with their number, those that ask for attention first.
func countedOutcomes(counts map[string]int) (out []valueView) {
	for _, o := range []string{schemas.Fail, schemas.Error, schemas.Insufficient, schemas.Pass, schemas.NotApplicable} {
		if n := counts[o]; n > 0 {
			text := outcomeWords(o)
			if o == schemas.NotApplicable {
				text = "n/a"
			}
			out = append(out, valueView{Text: text, Class: outcomeClasses[o], Count: int64(n)})
		}
	}
	return out
}

// param is a parameter of a form.
type param struct{ Name, Value string }

// chip is a filter that is in force, and the list without it.
type chip struct {
	Text   string
	Remove catalog.Query
}

// facetView is a facet with its counted values, or a choice among facets of a kind.
type facetView struct {
	Name, Title string
	// Choices are the facets of one kind, of which Name is open.
	Choices []string
	Values  []valueView
	// More values are folded; Left are not listed at all.
	More []valueView
	Left int
}

type valueView struct {
	Name, Value, Text, Class string
	Count                    int64
	Checked                  bool
}

// Values of a facet that are seen, and those that are listed at all.
const (
	seenValues   = 8
	listedValues = 100
)

// plainFacets are always open. Of gates, labels and other columns one is, or those chosen.
var plainFacets = []string{"family", "type", "outcome", "source"}

// facetKinds are the groups of facets in the order of the page.
var facetKinds = []string{"", "gate", "label", "column"}

// facetKind returns the group of a facet.
func facetKind(name string) string {
	kind, _, ok := strings.Cut(name, ".")
	switch {
	case ok:
		return kind
	case slices.Contains(plainFacets, name):
		return ""
	}
	return "column"
}

// openFacets chooses which facets to count: the plain ones, and of each other group those that
// are wanted or filtered, else the first.
func openFacets(all []catalog.Facet, q catalog.Query, wanted []string) (open []string) {
	for _, kind := range facetKinds {
		var first, chosen []string
		for _, f := range all {
			if facetKind(f.Name) != kind {
				continue
			}
			if kind == "" || slices.Contains(wanted, f.Name) || hasFilter(q, f.Name) {
				chosen = append(chosen, f.Name)
			} else if first == nil {
				first = []string{f.Name}
			}
		}
		if len(chosen) == 0 {
			chosen = first
		}
		open = append(open, chosen...)
	}
	return open
}

// newListPage loads a list with its facets. What needs the index and does not have it yet says
// how far it is.
func newListPage(ctx context.Context, c *catalog.Catalog, q catalog.Query, shown []string) (listPage, error) {
	p := listPage{Query: q}
	page, err := c.Search(ctx, q)
	var indexing *catalog.IndexingError
	if errors.As(err, &indexing) {
		p.Indexing, p.Waiting = indexing.Error(), indexing.State.Err == nil
		page, err = catalog.Page{State: indexing.State}, nil
	}
	if err != nil {
		return p, err
	}
	p.Page = page
	if !page.State.Ready && p.Indexing == "" {
		p.Indexing, p.Waiting = (&catalog.IndexingError{State: page.State}).Error(), page.State.Err == nil
	}
	p.Chips = chipsOf(q)
	all, err := c.Facets(ctx, q)
	if err == nil {
		all, err = c.Facets(ctx, q, openFacets(all, q, shown)...)
	}
	if err != nil && !errors.As(err, &indexing) {
		return p, err
	}
	p.Facets = facetViews(all, q)
	p.Kept = keptFilters(q, p.Facets)
	return p, nil
}

func chipsOf(q catalog.Query) (out []chip) {
	for _, f := range q.Filters {
		values := slices.Clone(f.Values)
		if f.Missing {
			values = append(values, "no value")
		}
		text := showLine(f.Field, 40) + ": " + showLine(joinSome(values, 4), 80)
		if f.Not {
			text = "not " + text
		}
		out = append(out, chip{text, q.Without(f.Field)})
	}
	return out
}

// facetViews lays counted facets out in the order of the page. The first of a group has the
// choice among all of it.
func facetViews(all []catalog.Facet, q catalog.Query) (out []facetView) {
	for _, kind := range facetKinds {
		var choices []string
		var views []facetView
		for _, f := range all {
			if facetKind(f.Name) != kind {
				continue
			}
			choices = append(choices, f.Name)
			if !f.Counted || len(f.Values) == 0 && !hasFilter(q, f.Name) {
				continue
			}
			v := facetView{Name: f.Name, Title: capital(showLine(strings.TrimPrefix(f.Name, kind+"."), 40))}
			v.addValues(f, q, kind == "gate" || f.Name == "outcome")
			views = append(views, v)
		}
		if kind != "" && len(views) > 0 {
			views[0].Title, views[0].Choices = capital(kind), choices
		}
		out = append(out, views...)
	}
	return out
}

func hasFilter(q catalog.Query, field string) bool {
	return slices.ContainsFunc(q.Filters, func(f catalog.Filter) bool { return f.Field == field })
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (v *facetView) addValues(f catalog.Facet, q catalog.Query, outcomes bool) {
	var all []valueView
	for _, value := range f.Values {
		if value.Count == 0 && !outcomes && !q.Has(f.Name, value.Value) {
			continue
		}
		view := valueView{Name: f.Name, Value: catalog.FormValue(value.Value), Text: showLine(value.Value, 60), Count: value.Count, Checked: q.Has(f.Name, value.Value)}
		if outcomes {
			view.Text, view.Class = outcomeWords(value.Value), outcomeClasses[value.Value]
		}
		all = append(all, view)
	}
	if f.None > 0 || q.Has(f.Name, catalog.NoValue) {
		all = append(all, valueView{Name: f.Name, Value: catalog.NoValue, Text: "no value", Count: f.None, Checked: q.Has(f.Name, catalog.NoValue)})
	}
	if outcomes {
		rank := func(v valueView) int { return slices.Index(append(schemas.Outcomes(), catalog.NoValue), v.Value) }
		slices.SortStableFunc(all, func(a, b valueView) int { return cmp.Compare(rank(a), rank(b)) })
	}
	if len(all) > listedValues {
		all, v.Left = all[:listedValues], len(all)-listedValues
	}
	slices.SortStableFunc(all, func(a, b valueView) int {
		return cmp.Compare(map[bool]int{false: 1}[a.Checked], map[bool]int{false: 1}[b.Checked])
	})
	if len(all) > seenValues+2 {
		v.More = all[seenValues:]
		all = all[:seenValues]
	}
	v.Values = all
}

// keptFilters returns the filters without a check box, as hidden fields.
func keptFilters(q catalog.Query, facets []facetView) (out []param) {
	boxes := map[param]bool{}
	for _, f := range facets {
		for _, v := range slices.Concat(f.Values, f.More) {
			boxes[param{f.Name, v.Value}] = true
		}
	}
	filters := catalog.Query{Filters: q.Filters}.Values()
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		for _, value := range filters[name] {
			if !boxes[param{name, value}] {
				out = append(out, param{name, value})
			}
		}
	}
	return out
}

// listTitle says what a list holds.
func listTitle(p catalog.Page, q catalog.Query) string {
	if p.Total < 0 {
		return "Questions"
	}
	title := plural(p.Total, "question")
	if q.Text != "" {
		title += fmt.Sprintf(" with “%s”", showLine(q.Text, 40))
	}
	return title
}
