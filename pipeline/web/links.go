package web

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// links makes the addresses in pages: those of a server, or those of a static copy.
type links interface {
	// page is the address of the page of a kind (item, session, fact, source, table) about
	// an id; media is that of a file.
	page(kind, id string) string
	media(digest string) string
	// list is the address of the list of a query, item that of a question in it.
	list(q catalog.Query) string
	item(id string, q catalog.Query) string
	// rest is the address of a whole text of the current page, see findText.
	rest(name string) string
	asset(name string) string
}

// served are the addresses of a server.
type served struct{ assets map[string]string }

// page keeps the slashes of ids. Ids that browsers would change on the way, and those that
// look like another form of a page, travel as a parameter.
func (served) page(kind, id string) string {
	parts := strings.Split(id, "/")
	plain := !strings.HasSuffix(id, ".json")
	for i, p := range parts {
		plain = plain && p != "" && p != "." && p != ".."
		parts[i] = url.PathEscape(p)
	}
	if !plain {
		return "/" + kind + "/?id=" + url.QueryEscape(id)
	}
	return "/" + kind + "/" + strings.Join(parts, "/")
}

func (served) media(digest string) string { return "/media/" + digest }

func (served) list(q catalog.Query) string { return strings.TrimSuffix("/?"+q.String(), "?") }

func (s served) item(id string, q catalog.Query) string {
	to, between := s.page("item", id), "?"
	if strings.Contains(to, "?") {
		between = "&"
	}
	q.After, q.Limit = "", 0
	return strings.TrimSuffix(to+between+q.String(), between)
}

func (served) rest(name string) string { return "?text=" + name }

// asset names the version of a file, so that a browser takes a new one after an update.
func (s served) asset(name string) string { return "/assets/" + name + "?v=" + s.assets[name] }

// copied are the addresses of a static copy. They are relative and name files, so that
// pages also open from a folder.
type copied struct {
	// up leads from the current page to the root of the copy: "../../".
	up string
	// media gives the address of a file from the root, or as a whole URL.
	mediaAt func(digest string) string
	// texts collects the whole texts of the current page that it links to.
	texts map[string]bool
}

func (c *copied) page(kind, id string) string { return c.up + filePath(kind, id) }

func (c *copied) media(digest string) string {
	at := c.mediaAt(digest)
	if strings.Contains(at, "://") {
		return at
	}
	return c.up + at
}

func (c *copied) list(catalog.Query) string { return c.up + "index.html" }

func (c *copied) item(id string, _ catalog.Query) string { return c.page("item", id) }

func (c *copied) rest(name string) string {
	c.texts[name] = true
	return c.up + "text/" + name + ".txt"
}

func (c *copied) asset(name string) string { return c.up + "assets/" + name }

// plainID holds characters that every file system and web host takes as they are.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// filePath returns the file of a page in a static copy. Ids that are no plain paths are named
// by their digest.
func filePath(kind, id string) string {
	if !plainID.MatchString(id) || len(id) > 200 || path.Base(id) == "index.html" {
		id = string(pipeline.DigestOf([]byte(id)))
	}
	return kind + "/" + id + "/index.html"
}
