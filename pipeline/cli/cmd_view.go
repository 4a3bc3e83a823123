package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// listenFlags say where pages are served.
type listenFlags struct {
	Listen string   `default:"${listen}" placeholder:"ADDRESS:PORT" help:"Serve pages at this address (${default}, or a free port)."`
	Host   []string `placeholder:"NAME" help:"A name under which browsers reach the pages, if they are served beyond this machine. Repeatable."`
}

type viewCmd struct {
	listenFlags `embed:""`

	Static    string `placeholder:"DIR" help:"Write the pages as files to this folder instead, for any web host."`
	Where     string `placeholder:"QUERY" help:"With --static, only these questions: the part of a list's address behind the question mark."`
	Sample    int    `placeholder:"N" help:"With --static, so many questions, picked at random."`
	MediaBase string `placeholder:"URL" help:"With --static, link to the release's media below this URL instead of copying them."`
	NoGold    bool   `help:"With --static, leave out answers, labels, roles and verdicts' reasons."`

	Of string `arg:"" name:"release" placeholder:"RELEASE|OUT" help:"Folder of a release, or output folder of builds: then its newest release."`
}

func (viewCmd) Help() string {
	return `Prints a link that holds a token; only browsers that opened it see the pages. Search and
filters need an index, which is built in the background once for each release and kept in
the user's cache.

Examples:
  memforge view out
  memforge view out/releases/NAME/1.0.0 --listen 127.0.0.1:9000
  memforge view RELEASE --static public --no-gold --where 'type=nback' --sample 50`
}

func (c viewCmd) Run(e *env) (err error) {
	if c.Static == "" && (c.Where != "" || c.Sample != 0 || c.MediaBase != "" || c.NoGold) {
		return &usageError{errors.New("--where, --sample, --media-base and --no-gold belong to --static DIR")}
	}
	var build *catalog.Build
	if catalog.IsBuild(c.Of) {
		if build, err = catalog.OpenBuild(c.Of); err != nil {
			return err
		}
	}
	dir, err := releaseIn(c.Of)
	if none := (*inputError)(nil); build != nil && c.Static == "" && errors.As(err, &none) {
		return c.serveBuild(e, build)
	}
	if err != nil {
		return err
	}
	options, err := catalogOptions(e)
	if err != nil {
		return err
	}
	cat, err := catalog.Open(e, dir, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cat.Close()) }()
	if c.Static != "" {
		return c.write(e, cat)
	}
	defer checkMediaBeside(e, cat)()
	site, err := web.NewSite(cat)
	if err != nil {
		return err
	}
	if build != nil {
		site.WithBuild(build)
	}
	return c.serve(e, web.Service{Pages: site.Handler()}, cat.Manifest.Name+" "+cat.Manifest.Version)
}

// checkMediaBeside compares the bytes of a release's media with their digests while pages are
// served: damaged ones are no longer given out. It returns what ends and waits for that.
func checkMediaBeside(ctx context.Context, cat *catalog.Catalog) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cat.CheckMedia(ctx) // ends early only when it is cancelled
	}()
	return func() {
		cancel()
		<-ended
	}
}

// serveBuild serves the page of a build without a release.
func (c viewCmd) serveBuild(e *env, build *catalog.Build) error {
	pages, err := web.BuildHandler(build)
	if err != nil {
		return err
	}
	return c.serve(e, web.Service{Pages: pages}, "the build in "+c.Of)
}

// serve serves pages to whom the printed link is given.
func (c viewCmd) serve(e *env, service web.Service, title string) error {
	token := web.NewToken()
	service.Tokens, service.Listen, service.Names, service.Log = map[string]string{token: ""}, c.Listen, c.Host, e.err
	return service.Serve(e, func(url string) error {
		return e.emit(e.out, "serving", map[string]any{"url": url, "token": token}, fmt.Sprintf("%s: %s/?token=%s\n", title, url, token))
	})
}

// write writes a static copy.
func (c viewCmd) write(e *env, cat *catalog.Catalog) error {
	values, err := url.ParseQuery(c.Where)
	if err != nil {
		return &usageError{fmt.Errorf("--where %q: %w; copy the part behind ? from the address of a list", c.Where, err)}
	}
	query, err := catalog.ParseQuery(values)
	if err != nil {
		return &usageError{fmt.Errorf("--where: %w", err)}
	}
	if c.Sample < 0 {
		return &usageError{fmt.Errorf("--sample %d: want a number of questions", c.Sample)}
	}
	n, err := web.WriteStatic(e, cat, web.StaticOptions{
		Dir: c.Static, Query: query, Sample: c.Sample, MediaBase: c.MediaBase, Sealed: c.NoGold,
		Progress: func(done, all int) {
			if done%1000 == 0 {
				safetext.Fprintf(e.err, "%d of %d pages\n", done, all)
			}
		},
	})
	if err != nil {
		return &inputError{fmt.Errorf("view --static: %w", err)}
	}
	return e.emit(e.out, "written", map[string]any{"folder": c.Static, "questions": n}, fmt.Sprintf("%d questions: %s\n", n, filepath.Join(c.Static, "index.html")))
}

// releaseIn returns a folder that is a release, or the newest release in an output folder.
func releaseIn(dir string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, manifest.FileName)); err == nil {
		return dir, nil
	}
	var newest release.Info
	for _, root := range []string{dir, filepath.Join(dir, "releases")} {
		all, err := release.List(root)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		for _, info := range all {
			newest = info
		}
	}
	if newest.Dir == "" {
		return "", &inputError{fmt.Errorf("%s is no release and holds none; name a folder with a %s, or run `memforge build` first", dir, manifest.FileName)}
	}
	return newest.Dir, nil
}
