package postgres

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Location is a database as a URL names it: postgres://user@host:port/database, with
// schema=NAME for tables in another schema than memforge.
type Location struct {
	// Schema holds the tables.
	Schema string
	// Own are the parameters that the caller named as its own.
	Own url.Values

	url *url.URL // what is left for the database
}

// String is the place as messages show it: no parameter is in it.
func (p Location) String() string {
	shown := *p.url
	shown.RawQuery = ""
	return shown.Redacted()
}

const defaultSchema = "memforge"

// schemaName is what needs no quotes: it stands in statements.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// IsURL reports whether a URL names a database of this kind.
func IsURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Parse reads a URL. own are the names of parameters that the caller keeps; all
// others go to the database. A password in it is refused, because configurations are
// shared: PGPASSWORD and the file ~/.pgpass are read as other programs read them.
func Parse(place string, own ...string) (Location, error) {
	u, err := url.Parse(place)
	if err != nil || !IsURL(place) {
		return Location{}, fmt.Errorf("the URL of a database is not valid: %w", &atomicfile.URLError{URL: "postgres://", Scheme: "postgres"})
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Location{}, fmt.Errorf("%s://%s%s: its parameters are not valid: write %%3B for ; and %%26 for & in them", u.Scheme, u.Host, u.Path)
	}
	if _, has := u.User.Password(); has || q.Has("password") {
		return Location{}, fmt.Errorf("%s://%s%s: the URL holds a password; set PGPASSWORD or write it to ~/.pgpass", u.Scheme, u.Host, u.Path)
	}
	p := Location{Schema: defaultSchema, Own: url.Values{}}
	if s := q.Get("schema"); s != "" {
		p.Schema = s
	}
	if !schemaName.MatchString(p.Schema) {
		return Location{}, fmt.Errorf("schema=%s: use lower-case letters, digits and _", p.Schema)
	}
	for _, name := range append(slices.Clone(own), "schema") {
		if q.Has(name) {
			p.Own[name] = q[name]
			q.Del(name)
		}
	}
	u.RawQuery = q.Encode()
	p.url = u
	return p, nil
}
