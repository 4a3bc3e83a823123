package fetch

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Canonical hosts. Locks and records name these whatever the endpoints are.
const (
	canonicalHub    = "https://huggingface.co"
	canonicalAPI    = "https://api.github.com"
	canonicalRaw    = "https://raw.githubusercontent.com"
	canonicalGitHub = "https://github.com"
)

// Endpoints says where the upstream hosts are really reached: mirrors, sites
// without internet access and tests set them. Empty fields are the public
// hosts.
type Endpoints struct {
	Hub       string
	GitHubAPI string
	GitHubRaw string
	// GitHubLFS serves <owner>/<repo>.git/info/lfs.
	GitHubLFS string
	// HTTP maps prefixes of canonical URLs to prefixes of a mirror. The
	// longest prefix wins.
	HTTP map[string]string
}

// EndpointsFromEnv reads HF_ENDPOINT, MEMFORGE_GITHUB_API, MEMFORGE_GITHUB_RAW,
// MEMFORGE_GITHUB_LFS and MEMFORGE_HTTP_MIRRORS, a comma-separated list of
// prefix=prefix pairs.
func EndpointsFromEnv(getenv func(string) string) (Endpoints, error) {
	e := Endpoints{
		Hub:       getenv("HF_ENDPOINT"),
		GitHubAPI: getenv("MEMFORGE_GITHUB_API"),
		GitHubRaw: getenv("MEMFORGE_GITHUB_RAW"),
		GitHubLFS: getenv("MEMFORGE_GITHUB_LFS"),
	}
	for pair := range strings.SplitSeq(getenv("MEMFORGE_HTTP_MIRRORS"), ",") {
		pair = strings.TrimSpace(pair)
		if pair == "" {
			continue
		}
		from, to, ok := strings.Cut(pair, "=")
		if !ok {
			return Endpoints{}, fmt.Errorf("MEMFORGE_HTTP_MIRRORS: %s: want prefix=mirror", redact(pair))
		}
		if e.HTTP == nil {
			e.HTTP = map[string]string{}
		}
		e.HTTP[strings.TrimSpace(from)] = strings.TrimSpace(to)
	}
	if err := e.Check(); err != nil {
		return Endpoints{}, err
	}
	e.setDefaults()
	return e, nil
}

func (e *Endpoints) setDefaults() {
	for _, f := range []struct {
		field    *string
		fallback string
	}{{&e.Hub, canonicalHub}, {&e.GitHubAPI, canonicalAPI}, {&e.GitHubRaw, canonicalRaw}, {&e.GitHubLFS, canonicalGitHub}} {
		if *f.field == "" {
			*f.field = f.fallback
		}
		*f.field = strings.TrimRight(*f.field, "/")
	}
}

// Check refuses endpoints that are not plain http or https addresses.
func (e Endpoints) Check() error {
	all := []struct{ name, value string }{
		{"hub (HF_ENDPOINT)", e.Hub}, {"GitHub API (MEMFORGE_GITHUB_API)", e.GitHubAPI},
		{"GitHub raw (MEMFORGE_GITHUB_RAW)", e.GitHubRaw}, {"GitHub LFS (MEMFORGE_GITHUB_LFS)", e.GitHubLFS},
	}
	for _, prefix := range e.prefixes() {
		all = append(all, struct{ name, value string }{"mirrored prefix", prefix}, struct{ name, value string }{"mirror", e.HTTP[prefix]})
	}
	for _, a := range all {
		if a.value == "" && !strings.Contains(a.name, "mirror") {
			continue
		}
		if err := checkURL(a.value); err != nil {
			return fmt.Errorf("endpoint %s: %w", a.name, err)
		}
	}
	return nil
}

func (e Endpoints) prefixes() []string {
	var ps []string
	for p := range e.HTTP {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return ps
}

// mirror returns where a canonical URL is really reached. A prefix ends at a
// slash, so that the one of a host does not cover longer host names.
func (e Endpoints) mirror(canonical string) string {
	for _, p := range e.prefixes() {
		rest, ok := strings.CutPrefix(canonical, p)
		if ok && (strings.HasSuffix(p, "/") || rest == "" || rest[0] == '/') {
			return e.HTTP[p] + rest
		}
	}
	return canonical
}

// checkURL accepts absolute http and https URLs without credentials.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s is not a URL", redact(raw))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s: scheme %q: want http or https", redact(raw), u.Scheme)
	case u.Hostname() == "":
		return fmt.Errorf("%s: no host", redact(raw))
	case u.User != nil:
		return fmt.Errorf("%s: credentials do not belong in a URL", redact(raw))
	}
	return nil
}
