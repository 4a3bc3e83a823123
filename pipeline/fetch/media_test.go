package fetch_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
)

func TestMediaFolder(t *testing.T) {
	w := newWorld(t)
	base, _ := tree(t, map[string]string{"a.mp4": "a", "__MACOSX/._a.mp4": "j", "notes.txt": "n"})
	need := pipeline.Need{From: fetch.Media, Include: []string{"**/*.mp4"}}
	assets, err := w.try(func(o *fetch.Options) { o.BaseDir, o.MediaDirs = base, map[string]string{"s": "clips"} }, need)
	if err != nil || summary(assets) != "0 a.mp4 1 ok\n" {
		t.Errorf("%v: %s", err, summary(assets))
	}
	// A folder of another source, or none, gives no files and no error: the
	// source says of each video that it is missing.
	if assets, err := w.try(func(o *fetch.Options) { o.MediaDirs = map[string]string{"other": base} }, need); err != nil || len(assets) != 0 {
		t.Errorf("%v: %s", err, summary(assets))
	}
	// A folder that is named and not there is a mistake.
	err = w.fail(func(o *fetch.Options) { o.MediaDirs = map[string]string{"s": "none"} }, need, "run.media_dirs", "no such file")
	if strings.Contains(err.Error(), base) {
		t.Errorf("error %v names a path of the machine", err)
	}
}
