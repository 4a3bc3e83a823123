package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
)

type storeCmd struct {
	Check storeCheckCmd `cmd:"" help:"Read everything in the store and verify it."`
	GC    storeGCCmd    `cmd:"" name:"gc" help:"Remove results that the newest builds do not use."`
}

// storeDir returns the folder of the configuration's store, which must exist.
func storeDir(cfg *config.Config) (string, error) {
	dir := cfg.StoreDir()
	if _, err := atomicfile.FolderFromURL(dir); err != nil {
		return "", &inputError{fmt.Errorf("this command needs a store in a folder or at a postgres:// URL, and run.store is %s; nothing was checked or removed", scheme(dir))}
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return "", &inputError{fmt.Errorf("there is no store in %s; run `memforge build` first", dir)}
	}
	return dir, nil
}

// scheme returns the scheme of a URL.
func scheme(url string) string {
	kind, _, _ := strings.Cut(url, "://")
	return kind + "://"
}

type storeCheckCmd struct {
	Repair bool `help:"Move damaged files aside and drop the results that need them; the next build makes them again."`
}

func (storeCheckCmd) Help() string {
	return `Without --repair nothing is changed, and a build may run at the same time.

Examples:
  memforge store check
  memforge store check --repair`
}

// damageError says that a store needs repair.
type damageError struct{ dir string }

func (e *damageError) Error() string {
	return fmt.Sprintf("the store in %s is damaged; `memforge store check --repair` repairs it, and the next build makes what was lost again", e.dir)
}

func (c storeCheckCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	if at := cfg.StoreDir(); postgres.IsURL(at) {
		return c.checkShared(e, at)
	}
	dir, err := storeDir(cfg)
	if err != nil {
		return err
	}
	if c.Repair {
		report, err := store.Repair(e, dir)
		if err != nil {
			return err
		}
		printCheck(e, report.CheckReport)
		if report.NewDatabase {
			fmt.Fprintln(e.out, "the database could not be saved; the next build starts without results")
		}
		return nil
	}
	d, err := store.OpenDiskReadOnly(e, dir)
	if err != nil {
		return err
	}
	report, err := d.Check(e)
	return c.finish(e, dir, report, errors.Join(err, d.Close()))
}

// checkShared checks or repairs a store that machines share.
func (c storeCheckCmd) checkShared(e *env, url string) error {
	open, look := sharedstore.OpenReadOnly, (*sharedstore.Store).Check
	if c.Repair {
		open, look = sharedstore.Open, (*sharedstore.Store).Repair
	}
	s, err := open(e, url)
	if err != nil {
		return err
	}
	report, err := look(s, e)
	return c.finish(e, scheme(url), report, errors.Join(err, s.Close()))
}

// finish prints what was found.
func (c storeCheckCmd) finish(e *env, where string, report encoding.CheckReport, err error) error {
	if err != nil {
		return err
	}
	printCheck(e, report)
	if !c.Repair && !report.OK() {
		return &damageError{where}
	}
	return nil
}

func printCheck(e *env, r encoding.CheckReport) {
	fmt.Fprintf(e.out, "checked %d blobs (%d bytes), %d results, %d records, %d builds\n", r.Blobs, r.BlobBytes, r.Results, r.Records, r.Builds)
	for _, d := range r.Corrupt {
		fmt.Fprintf(e.out, "corrupt blob %s\n", d)
	}
	for _, s := range r.Strays {
		fmt.Fprintf(e.out, "stray file %q\n", s)
	}
	for _, k := range r.Broken {
		fmt.Fprintf(e.out, "result %s lacks a blob or record\n", k)
	}
	if r.Damaged > 0 {
		fmt.Fprintf(e.out, "%d rows of the database cannot be read\n", r.Damaged)
	}
	for _, seq := range r.BrokenBuilds {
		fmt.Fprintf(e.out, "build %d is incomplete\n", seq)
	}
	for _, line := range r.Database {
		fmt.Fprintf(e.out, "database: %s\n", line)
	}
}

type storeGCCmd struct {
	Keep int `default:"2" placeholder:"BUILDS" help:"How many of the newest builds to keep (${default})."`
}

func (storeGCCmd) Help() string {
	return `Two builds are kept by default because explain compares the last two. The results of
an interrupted build are removed, too: finish it first.

Other machines that share the store may build at the same time. If results that they
used before may still be needed, nothing is removed (exit code 10); run the command
again when they have ended.

Examples:
  memforge store gc
  memforge store gc --keep 5`
}

// garbageStore is a store whose garbage can be collected.
type garbageStore interface {
	GC(ctx context.Context, keepBuilds int) (encoding.GCReport, error)
	Close() error
}

// openGarbageStore opens the configuration's store, of any kind.
func openGarbageStore(e *env) (garbageStore, error) {
	cfg, err := e.load()
	if err != nil {
		return nil, err
	}
	if at := cfg.StoreDir(); postgres.IsURL(at) {
		return sharedstore.Open(e, at)
	}
	dir, err := storeDir(cfg)
	if err != nil {
		return nil, err
	}
	return store.OpenDisk(e, dir)
}

func (c storeGCCmd) Run(e *env) (err error) {
	if c.Keep < 1 {
		return &usageError{fmt.Errorf("--keep %d: keep at least one build, or delete the store's folder", c.Keep)}
	}
	d, err := openGarbageStore(e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r, err := d.GC(e, c.Keep)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "removed %d builds, %d results, %d records, %d blobs (%d bytes)\n", r.Builds, r.Results, r.Records, r.Blobs, r.BlobBytes)
	return err
}
