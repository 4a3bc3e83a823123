package assemble_test

import (
	"net/url"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

// sharedStore is the URL of a store in a database and a folder, with a cache of its own.
func sharedStore(t *testing.T, db, bucket string) string {
	t.Helper()
	return db + "&" + url.Values{"bucket": {"file://" + bucket}, "cache": {t.TempDir()}}.Encode()
}

// A store that machines share gives the release that one in a folder gives, and what one
// machine built there the next one finds.
func TestSharedStoreGivesTheSameRelease(t *testing.T) {
	needFFmpeg(t)
	db, bucket := testpostgres.URL(t), t.TempDir()
	folder := mustBuild(t, load(t, quick()...))
	for n, machine := range []string{"first", "second"} {
		cfg := load(t, quick()...)
		cfg.Run.Store = sharedStore(t, db, bucket)
		res := mustBuild(t, cfg)
		sameTree(t, folder.Release.Dir, res.Release.Dir)
		if built := res.Built(); (built == 0) != (n == 1) {
			t.Errorf("the %s machine built %d units", machine, built)
		}
		if again := mustBuild(t, cfg); again.Release.Changed || again.Built() != 0 {
			t.Errorf("%s: the second build wrote %t and built %d units, want nothing to do", machine, again.Release.Changed, again.Built())
		}
	}
}
