package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// TestBrokenFiles quarantines each file with its reason or handles it right:
// what is accepted is normalised as well, and its length checked. Unless at full
// size, one file stands for all that come to the same.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	if out, _ := exec.Command("ffmpeg", "-version").Output(); !bytes.Contains(out, []byte("ffmpeg version 5.1")) && !golden.Updating() {
		t.Skip("the golden table names the messages of ffmpeg 5.1")
	}
	s := newWorkshop(t)
	lim := DefaultLimits()
	lim.MaxDuration, lim.Timeout = 60, 2*time.Minute
	rows, seen := brokenRows(t), map[string]bool{}
	var table, want strings.Builder
	for _, c := range append(s.brokenCases(), s.oddCases()...) {
		row, ending := rows[c.name], endingOf(rows[c.name])
		if !testsize.Full() && !golden.Updating() && row != "" && seen[ending] {
			continue
		}
		seen[ending] = true
		path := c.make()
		got := fmt.Sprintf("%-36s %s\n", c.name, judged(t, tl, path, lim))
		if strings.Contains(got, s.dir) {
			t.Errorf("%s: the reason names a path: %s", c.name, got)
		}
		table.WriteString(got)
		want.WriteString(row)
	}
	if golden.Updating() || testsize.Full() {
		golden.Check(t, "broken", table.String())
		return
	}
	compareLines(t, table.String(), want.String())
}

const brokenTable = "testdata/broken.golden"

// brokenRows are the lines of the golden table, by the names of their cases.
func brokenRows(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(brokenTable)
	if err != nil && !golden.Updating() {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for row := range strings.Lines(string(b)) {
		if at := brokenOutcome.FindStringIndex(row); at != nil {
			rows[strings.TrimRight(row[:at[0]], " ")] = row
		}
	}
	return rows
}

// brokenOutcome is what a row says behind its name.
var (
	brokenOutcome = regexp.MustCompile(` (?:normalise )?[A-Za-z-]+ \| .*`)
	brokenNote    = regexp.MustCompile(`rot \d+ sar \S+|vfr true|\{"[a-z-]+"`)
	brokenNumber  = regexp.MustCompile(`[0-9.]+`)
)

// endingOf is what rows have in common that come to the same: the code and how its
// reason begins, or how an accepted file lies and what is noted of it.
func endingOf(row string) string {
	outcome := strings.TrimSpace(brokenOutcome.FindString(row))
	if strings.HasPrefix(outcome, "ok |") {
		return fmt.Sprint(brokenNote.FindAllString(outcome, -1))
	}
	words := strings.Fields(brokenNumber.ReplaceAllString(outcome, "0"))
	return strings.Join(words[:min(len(words), 5)], " ")
}

// judged is the outcome of one file in one line.
func judged(t *testing.T, tl *Tools, path string, lim Limits) string {
	t.Helper()
	ctx := context.Background()
	f, err := tl.Probe(ctx, path, lim)
	var u *Unplayable
	switch {
	case errors.As(err, &u):
		return u.Code + " | " + u.Reason
	case err != nil:
		return "ERROR | " + err.Error()
	}
	dir := t.TempDir()
	m, err := tl.Normalise(ctx, path, f, nil, small(), dir, lim)
	if err != nil {
		return "normalise ERROR | " + err.Error()
	}
	hashes, err := tl.FrameHashes(ctx, m.Video)
	if err != nil || int64(len(hashes)) != m.Frames {
		t.Errorf("%s: normalised video has %d frames, %d decode: %v", filepath.Base(path), m.Frames, len(hashes), err)
	}
	return fmt.Sprintf("ok | %s %dx%d rot %d sar %s %.3f fps vfr %t, %d frames, %.3f s, lag %.3f, sound %t, notes %q -> %d frames",
		f.PixFmt, f.Width, f.Height, f.Rotation, f.SAR, f.FPS, f.VFR, f.Frames, f.Duration, f.StartLag, f.HasAudio, f.Notes, m.Frames)
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, a, b)
		}
	}
}
