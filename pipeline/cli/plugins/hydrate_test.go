package plugins_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/hydrate"
)

// referencing builds videos of two sources, one of which forbids derivatives: clips of red
// and of blue, with sound and without.
const referencing = `version: 1
seed: 3
release:
  name: clips
  version: 1.0.0
  media: licensed
  from: [ask, ask-split, ask-interleaved]
sources:
  kept: {use: dir, with: {path: kept, labels_from_name: '(?P<performer>[a-z]+)_(?P<action>[a-z]+)', category: clips, license: CC-BY-ND-4.0}}
  free: {use: dir, with: {path: free, labels_from_name: '(?P<performer>[a-z]+)_(?P<action>[a-z]+)', category: clips, license: CC-BY-4.0}}
stages:
  probe: {use: video.probe, from: [kept, free]}
  normalise: {use: video.normalise, from: [probe], with: {profile: {width: 160, height: 120}}}
  plan: {use: video.reel-plan, from: [normalise], with: {clips_per_reel: 2, same: [performer]}}
  reel: {use: video.reel, from: [plan]}
  pair: {use: video.pair, from: [reel], with: {min_similarity: 0, apart: [performer]}}
  concat: {use: video.concat, from: [pair]}
  split: {use: video.split, from: [pair], with: {swaps: 1}}
  interleave: {use: video.interleave, from: [pair], with: {segments: 2, min_segment: 0.5}}
  ask: {use: video.ask, from: [concat], with: {shown: gesture, identify: "the video of {performer}"}}
  ask-split: {use: video.ask, from: [split], with: {shown: gesture, identify: "the video of {performer}"}}
  ask-interleaved: {use: video.ask, from: [interleave], with: {shown: gesture, identify: "the video of {performer}"}}
run: {out: out}
`

// buildReferencing draws the clips, builds the release and returns the folders of both.
func buildReferencing(t *testing.T) (dir, originals string) {
	t.Helper()
	root := t.TempDir()
	clips := []string{"kept/red_wave.mkv", "kept/red_clap.mp4", "kept/blue_nod.mkv", "kept/blue_jump.mp4", "free/green_turn.mkv", "free/green_run.mkv", "free/grey_sit.mkv", "free/grey_fall.mkv"}
	for i, name := range clips {
		place := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		args := []string{"-v", "error", "-nostdin", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=128x96:rate=25:duration=1.%d", 2+i)}
		if i%2 == 0 {
			args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("sine=frequency=%d:duration=1.%d", 300+90*i, 2+i))
		}
		args = append(args, "-vf", fmt.Sprintf("hue=h=%d", 40*i), "-threads", "1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", place)
		if said, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
			t.Fatalf("ffmpeg: %v: %s", err, said)
		}
	}
	file := filepath.Join(root, "pipeline.yaml")
	if err := os.WriteFile(file, []byte(referencing), 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := cli.Main(plugins.Registry(), []string{"build", "-f", file}, strings.NewReader(""), &said, &said, os.Getenv); code != 0 {
		t.Fatalf("build: code %d: %s", code, said.String())
	}
	return filepath.Join(root, "out", "releases", "clips", "1.0.0"), filepath.Join(root, "kept")
}

func TestHydrate(t *testing.T) {
	if testing.Short() {
		t.Skip("short: encodes videos")
	}
	dir, originals := buildReferencing(t)
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var shipped, referenced int
	for _, m := range c.Media {
		if c.Files[m.MediaID] != "" {
			shipped++
		} else if referenced++; !strings.Contains(m.License, "ND") {
			t.Errorf("medium %s under %s is not shipped", m.MediaID, m.License)
		}
	}
	if shipped == 0 || referenced == 0 || c.Manifest.Private {
		t.Fatalf("%d media shipped, %d referenced, private: %t", shipped, referenced, c.Manifest.Private)
	}
	t.Run("originals renamed", func(t *testing.T) { hydratesRenamed(t, c, referenced, originals) })
	t.Run("killed and resumed", func(t *testing.T) { hydratesKilled(t, dir, referenced, originals) })
	t.Run("wrong originals", func(t *testing.T) { namesWrongOriginals(t, dir, originals) })
}

// hydratesRenamed hydrates from files without their names, in folders.
func hydratesRenamed(t *testing.T, c release.Contents, referenced int, originals string) {
	media, out := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	entries, err := os.ReadDir(originals)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		copyFile(t, filepath.Join(originals, e.Name()), filepath.Join(media, fmt.Sprint(i), "x"))
	}
	for _, made := range []int{referenced, 0} {
		res, err := hydrate.Hydrate(t.Context(), c.Dir, out, []string{media}, hydrate.Options{})
		if err != nil || res.Made != made || res.Kept != referenced-made {
			t.Fatalf("%+v: %v", res, err)
		}
	}
	whole, err := release.Read(t.Context(), out)
	if err != nil || len(whole.Files) != len(c.Media) || whole.Sums != c.Sums {
		t.Fatalf("the copy has %d of %d media: %v", len(whole.Files), len(c.Media), err)
	}
	for _, m := range c.Media {
		if c.Files[m.MediaID] != "" {
			continue
		}
		place := filepath.Join(out, filepath.FromSlash(whole.Files[m.MediaID]))
		if err := os.WriteFile(place, []byte("another"), 0o644); err != nil {
			t.Fatal(err)
		}
		var damaged *release.DamagedError
		if _, err := release.Verify(t.Context(), out); !errors.As(err, &damaged) || len(damaged.Problems) != 1 {
			t.Errorf("other bytes of a hydrated medium: %v", err)
		}
		return
	}
}

// hydratesKilled kills a run after its first files and goes on.
func hydratesKilled(t *testing.T, dir string, referenced int, originals string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "copy")
	cmd := exec.Command(self, "hydrate", dir, "--media-dir", originals, "--out", out, "--jobs", "1")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(said); lines.Scan() && !strings.Contains(lines.Text(), "steps done"); {
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait() == nil {
		t.Fatal("the run was done before it was killed")
	}
	if _, err := release.Verify(t.Context(), out); err != nil {
		t.Errorf("what the killed run left: %v", err)
	}
	// Without the originals it goes on, from what was made of them.
	res, err := hydrate.Hydrate(t.Context(), dir, out, []string{t.TempDir()}, hydrate.Options{})
	if err != nil || res.Made+res.Kept != referenced {
		t.Fatalf("%+v: %v", res, err)
	}
	if _, err := os.Stat(out + ".work"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of work is still there: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// namesWrongOriginals puts something other in the place of one original.
func namesWrongOriginals(t *testing.T, dir, originals string) {
	const name = "red_wave.mkv"
	good := filepath.Join(originals, name)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(data)
	flipped[len(data)/2] ^= 1
	ffmpeg := func(to string, args ...string) error {
		args = slices.Concat([]string{"-v", "error", "-nostdin", "-i", good}, args, []string{"-threads", "1", to})
		return exec.CommandContext(t.Context(), "ffmpeg", args...).Run()
	}
	write := func(b []byte) func(string) error {
		return func(to string) error { return os.WriteFile(to, b, 0o644) }
	}
	for _, tc := range []struct {
		is   string
		make func(to string) error
		want string
	}{
		{"missing", func(string) error { return nil }, "is missing: no file has its digest or name"},
		{"folder", func(to string) error { return os.Mkdir(to, 0o755) }, "is a folder"},
		{"link", func(to string) error { return os.Symlink(good, to) }, "is a symbolic link, and links are not followed"},
		{"dead link", func(to string) error { return os.Symlink("nowhere", to) }, "is a symbolic link"},
		{"empty", write(nil), "is empty"},
		{"pointer", write([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")), "is a pointer of Git LFS in place of the file: run git lfs pull"},
		{"web page", write([]byte("<!DOCTYPE html><html><title>Sign in</title></html>")), "is a web page, want Matroska or WebM"},
		{"text", write([]byte("no video at all")), "is no video or picture, want Matroska or WebM"},
		{"other container", func(to string) error { return ffmpeg(to, "-c", "copy", "-f", "mp4") }, "is MP4 or QuickTime, want Matroska or WebM: another file, or the video in another container"},
		{"encoded again", func(to string) error { return ffmpeg(to, "-crf", "40", "-f", "matroska") }, "it plays, and is another encoding or another video"},
		{"cut off", write(data[:len(data)/2]), "it is cut off or damaged: get it again"},
		{"one bit", write(flipped), "has the right size and other bytes: it is damaged or was edited"},
		{"sparse", func(to string) error {
			return errors.Join(os.WriteFile(to, data[:600], 0o644), os.Truncate(to, 1<<40))
		}, "is a sparse file of 1099511627776 bytes"},
		{"unreadable", func(to string) error {
			if os.Getuid() == 0 {
				return os.Mkdir(to, 0o755) // root reads everything
			}
			return os.WriteFile(to, flipped, 0)
		}, map[bool]string{true: "is a folder", false: "cannot be read: permission denied"}[os.Getuid() == 0]},
	} {
		t.Run(tc.is, func(t *testing.T) {
			media := t.TempDir()
			if err := tc.make(filepath.Join(media, name)); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			code := cli.Main(plugins.Registry(), []string{"hydrate", dir, "--media-dir", media, "--out", filepath.Join(t.TempDir(), "copy")}, strings.NewReader(""), &said, &said, os.Getenv)
			if i := strings.Index(said.String(), "original red_wave.mkv of source kept"); code != 4 || i < 0 || !strings.Contains(strings.SplitN(said.String()[i:], "\n", 2)[0], tc.want) {
				t.Errorf("code %d: %s", code, said.String())
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := hydrate.Hydrate(ctx, dir, filepath.Join(t.TempDir(), "copy"), []string{originals}, hydrate.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled run: %v", err)
		}
	})
}
