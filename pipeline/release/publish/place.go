package publish

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Kind of a place.
type Kind int

// The kinds of places.
const (
	Folder Kind = iota
	Hub
	Bucket
)

// Place is where releases are published. All versions of one release share it.
type Place struct {
	Kind Kind
	// Repo is owner/name of a dataset of the hub.
	Repo string
	// URL opens a bucket, Prefix is the folder in it.
	URL, Prefix string
	// Dir is a folder.
	Dir string
	// Version is wanted of a place that is pulled from: a version, of a hub also a branch
	// or commit; empty for the newest.
	Version string
}

var versionSuffix = regexp.MustCompile(`@v?(\d+\.\d+\.\d+)$`)

// ParseTarget reads hf:OWNER/NAME, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or a folder.
func ParseTarget(text string) (Place, error) {
	p, err := parsePlace(text)
	if err == nil && p.Version != "" {
		err = fmt.Errorf("%q: the version is that of the release; name the place without @%s", text, p.Version)
	}
	return p, err
}

// ParseSource reads the same, each with @VERSION behind it if a version is wanted.
func ParseSource(text string) (Place, error) { return parsePlace(text) }

func parsePlace(text string) (p Place, err error) {
	if repo, ok := strings.CutPrefix(text, "hf:"); ok {
		repo, version, _ := strings.Cut(repo, "@")
		p = Place{Kind: Hub, Repo: repo, Version: version}
		if m := versionSuffix.FindStringSubmatch("@" + version); m != nil {
			p.Version = m[1]
		}
		if err := fetch.CheckHub(repo, orMain(version)); err != nil || !strings.Contains(repo, "/") {
			return p, fmt.Errorf("%q: want hf:OWNER/NAME, or hf:OWNER/NAME@VERSION", text)
		}
		return p, nil
	}
	scheme, _, isURL := strings.Cut(text, "://")
	switch {
	case isURL && (scheme == "s3" || scheme == "gs" || scheme == "azblob"):
		return parseBucket(text)
	case isURL && scheme != "file":
		return p, fmt.Errorf("%q: want hf:OWNER/NAME, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or a folder", text)
	}
	if m := versionSuffix.FindStringSubmatch(text); m != nil {
		p.Version, text = m[1], strings.TrimSuffix(text, m[0])
	}
	if p.Dir, err = atomicfile.FolderFromURL(text); err == nil && p.Dir == "" {
		err = fmt.Errorf("a place without a name; want hf:OWNER/NAME, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or a folder")
	}
	return p, err
}

// parseBucket takes the prefix, and a version behind it, out of the URL of a bucket.
func parseBucket(text string) (Place, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return Place{}, fmt.Errorf("the URL of a bucket cannot be read; want s3://BUCKET/PREFIX or gs://BUCKET/PREFIX, and credentials in the environment")
	}
	p := Place{Kind: Bucket, Prefix: strings.Trim(u.Path, "/")}
	if m := versionSuffix.FindStringSubmatch(p.Prefix); m != nil {
		p.Version, p.Prefix = m[1], strings.TrimSuffix(p.Prefix, m[0])
	}
	if p.Prefix != "" && manifest.CheckPath(p.Prefix) != nil {
		return Place{}, fmt.Errorf("prefix %q of a bucket: want letters, digits, dots, dashes and slashes", p.Prefix)
	}
	u.Path = ""
	p.URL = u.String()
	return p, nil
}

func orMain(version string) string {
	if version == "" {
		return "main"
	}
	return version
}

// String names the place for people. A query, which may hold addresses, is left out.
func (p Place) String() string {
	switch p.Kind {
	case Hub:
		return "hf:" + p.Repo
	case Bucket:
		bucket, _, _ := strings.Cut(p.URL, "?")
		return strings.TrimSuffix(bucket+"/"+p.Prefix, "/")
	}
	return p.Dir
}

// name returns the name of an object below the prefix.
func (p Place) name(path string) string {
	if p.Prefix == "" {
		return path
	}
	return p.Prefix + "/" + path
}
