package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Query asks for a page of questions.
type Query struct {
	// Text is searched in question, options, answer and explanation: words all of which must
	// occur, "phrases in quotation marks", beginnings of words with a star at the end.
	Text    string
	Filters []Filter
	// After is Page.Next or Page.Previous of another page.
	After string
	// Limit is how many rows a page has, PageRows if it is 0.
	Limit int
}

// Filter keeps questions whose value of a field is one of Values, or with Not none of them.
// Fields are those of facets, and what questions refer to: id, fact, task, session, media, and
// source.
type Filter struct {
	Field  string
	Values []string
	// Missing keeps those without a value as well.
	Missing bool
	Not     bool
}

const (
	// PageRows is how many rows a page has by default.
	PageRows = 50
	// MostRows is how many it has at most.
	MostRows = 500

	mostText    = 1000
	mostFilters = 64
	mostValues  = 64
)

// NoValue is the value of a field in a URL that asks for questions without one.
const NoValue = "!"

// Names of parameters of a query in a URL; every other one is a field with a value. A value
// that begins with "!" is excluded; of one that begins with "=" the rest counts.
const (
	textParameter  = "q"
	afterParameter = "after"
	limitParameter = "limit"
)

// ParseQuery reads a query from the parameters of a URL. Parameters in ignore belong to others.
func ParseQuery(v url.Values, ignore ...string) (Query, error) {
	q := Query{Text: v.Get(textParameter), After: v.Get(afterParameter)}
	if len(q.Text) > mostText || !utf8.ValidString(q.Text) {
		return q, fmt.Errorf("a search has at most %d bytes of UTF-8", mostText)
	}
	if text := v.Get(limitParameter); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > MostRows {
			return q, fmt.Errorf("limit %.40q is no number from 1 to %d", text, MostRows)
		}
		q.Limit = n
	}
	ignore = append([]string{textParameter, afterParameter, limitParameter}, ignore...)
	for field, values := range v {
		if slices.Contains(ignore, field) {
			continue
		}
		for _, not := range []bool{false, true} {
			if f := filterOf(field, values, not); len(f.Values) > 0 || f.Missing {
				q.Filters = append(q.Filters, f)
			}
		}
	}
	if len(q.Filters) > mostFilters || slices.ContainsFunc(q.Filters, func(f Filter) bool { return len(f.Values) > mostValues }) {
		return q, fmt.Errorf("a search has at most %d filters of %d values", mostFilters, mostValues)
	}
	q.sort()
	return q, nil
}

// filterOf collects the values of a parameter that are excluded, or those that are not.
func filterOf(field string, values []string, not bool) Filter {
	f := Filter{Field: field, Not: not}
	for _, v := range values {
		switch excluded := strings.HasPrefix(v, NoValue) && v != NoValue; {
		case v == "" || excluded != not:
		case v == NoValue:
			f.Missing = true
		case excluded && v[1:] == NoValue:
			f.Missing = true
		case excluded:
			f.Values = append(f.Values, strings.TrimPrefix(v[1:], "="))
		default:
			f.Values = append(f.Values, strings.TrimPrefix(v, "="))
		}
	}
	slices.Sort(f.Values)
	f.Values = slices.Compact(f.Values)
	return f
}

func (q *Query) sort() {
	slices.SortFunc(q.Filters, func(a, b Filter) int {
		if c := strings.Compare(a.Field, b.Field); c != 0 || a.Not == b.Not {
			return c
		}
		if b.Not {
			return -1
		}
		return 1
	})
}

// Values returns the parameters that ParseQuery reads as this query.
func (q Query) Values() url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set(textParameter, q.Text)
	set(afterParameter, q.After)
	if q.Limit != 0 {
		set(limitParameter, strconv.Itoa(q.Limit))
	}
	for _, f := range q.Filters {
		before := ""
		if f.Not {
			before = NoValue
		}
		for _, value := range f.Values {
			v.Add(f.Field, before+FormValue(value))
		}
		if f.Missing {
			v.Add(f.Field, before+NoValue)
		}
	}
	return v
}

// FormValue writes a value of a field as ParseQuery takes it.
func FormValue(value string) string {
	if value == "" || strings.HasPrefix(value, "=") || strings.HasPrefix(value, NoValue) {
		return "=" + value
	}
	return value
}

// String encodes the query as the part of a URL behind the question mark.
func (q Query) String() string { return q.Values().Encode() }

// Without returns the query, from its first page, without filters on a field.
func (q Query) Without(field string) Query {
	q.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f Filter) bool { return f.Field == field })
	q.After = ""
	return q
}

// Has reports whether a value of a field is asked for.
func (q Query) Has(field, value string) bool {
	return slices.ContainsFunc(q.Filters, func(f Filter) bool {
		return f.Field == field && !f.Not && (slices.Contains(f.Values, value) || f.Missing && value == NoValue)
	})
}

func (q Query) limit() int {
	if q.Limit <= 0 {
		return PageRows
	}
	return min(q.Limit, MostRows)
}
