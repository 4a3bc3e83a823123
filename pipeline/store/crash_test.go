package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// Children are this test binary again, told apart by the environment.
const (
	childEnv    = "MEMFORGE_STORE_CHILD"
	childDirEnv = "MEMFORGE_STORE_DIR"
)

func TestMain(m *testing.M) {
	child, ok := map[string]func(dir string) error{
		"write": writeForever,
		"full":  writeOnFullDisk,
	}[os.Getenv(childEnv)]
	if !ok {
		os.Exit(testpostgres.RunTests(m))
	}
	if err := child(os.Getenv(childDirEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func childCommand(kind, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+kind, childDirEnv+"="+dir)
	return cmd
}

// writeForever commits results and prints the name of each once acknowledged.
func writeForever(dir string) error {
	ctx := context.Background()
	d, err := openPlace(ctx, dir)
	if err != nil {
		return err
	}
	if disk, ok := d.(*Disk); ok && os.Getpid()%2 == 0 {
		disk.write.leastRecent = 1
	}
	byMove := func(text string) (pipeline.Digest, error) {
		f, err := os.CreateTemp(d.ScratchRoot(), "scratch-")
		if err != nil {
			return "", err
		}
		if _, err := f.WriteString(text); err != nil {
			return "", errors.Join(err, f.Close())
		}
		if err := f.Close(); err != nil {
			return "", err
		}
		b, err := d.PutFile(ctx, f.Name(), true)
		return b.Digest, err
	}
	byStream := func(text string) (pipeline.Digest, error) {
		b, err := d.PutBlob(ctx, strings.NewReader(text))
		return b.Digest, err
	}
	for n := 0; ; n++ {
		var batch []pipeline.Committed
		var names string
		for i, putText := range []func(string) (pipeline.Digest, error){byMove, byStream, byStream} {
			name := fmt.Sprintf("%d-%d-%d", os.Getpid(), n, i)
			o, err := storetest.CrashOutcome(name, putText)
			if err != nil {
				return err
			}
			batch = append(batch, o)
			names += name + "\n"
		}
		if err := d.Commit(ctx, batch); err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString(names); err != nil {
			return err
		}
	}
}

// TestKilledWriter kills writers at random moments. Each acknowledged result
// must be there, and nothing in the store may fail its digest.
func TestKilledWriter(t *testing.T) { eachKind(t, testKilledWriter) }

func testKilledWriter(t *testing.T, k kind) {
	rounds := testsize.Choose(6, 12)
	if testing.Short() {
		rounds = 3
	}
	dir := k.place(t)
	var acknowledged []string
	for round := range rounds {
		acknowledged = append(acknowledged, killedChild(t, dir, time.Duration(50+rand.IntN(350))*time.Millisecond)...)
		assertAllThere(t, dir, acknowledged)
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	t.Logf("%d results acknowledged over %d kills", len(acknowledged), rounds)
	if len(acknowledged) == 0 {
		t.Error("no writer got as far as one commit; the test proves nothing")
	}
}

// killedChild runs a writer, lets it acknowledge something, kills it after
// another while and returns the names of the results it acknowledged.
func killedChild(t *testing.T, dir string, after time.Duration) []string {
	t.Helper()
	cmd := childCommand("write", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	storetest.MustDo(t, err)
	storetest.MustDo(t, cmd.Start())
	var names []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if len(names) == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		names = append(names, lines.Text())
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the writer ended by itself: %v: %s", err, stderr.String())
	}
	return names
}

func assertAllThere(t *testing.T, dir string, names []string) {
	t.Helper()
	ctx := context.Background()
	d, err := openPlace(ctx, dir)
	storetest.MustDo(t, err)
	defer func() { storetest.MustDo(t, d.Close()) }()
	assertNoTemp(t, d)
	got := storetest.LookUp(t, d, names...)
	for _, n := range names {
		r, ok := got[storetest.KeyOf(n)]
		if !ok {
			t.Errorf("acknowledged result %s is lost", n)
			continue
		}
		records, err := d.Records(ctx, []pipeline.Digest{r.Outputs[0].Digest})
		if err != nil || records[0].ID != n {
			t.Errorf("record of %s: %v", n, err)
		}
	}
	disk, ok := d.(*Disk)
	if !ok {
		bad, err := d.QuarantineCorrupt(ctx)
		if err != nil || len(bad) != 0 {
			t.Errorf("%d blobs are damaged or gone, %v", len(bad), err)
		}
		return
	}
	report, err := disk.Check(ctx)
	if err != nil || !report.OK() || report.Results < len(names) {
		t.Errorf("check: %+v, %v", report, err)
	}
}

// writeOnFullDisk makes every file write beyond 256 KB fail, as a full disk
// does, and goes on as the next process would once there is room again.
func writeOnFullDisk(dir string) error {
	ctx := context.Background()
	d, err := OpenDisk(ctx, dir)
	if err != nil {
		return err
	}
	var room syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	full := room
	full.Cur = 256 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	big := strings.Repeat("0123456789abcdef", 64<<10)
	if _, err := d.PutBlob(ctx, strings.NewReader(big)); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("put on a full disk: %v", err)
	}
	var acknowledged int
	for ; acknowledged < 10_000; acknowledged++ {
		if err = commitNumbered(ctx, d, acknowledged); err != nil {
			break
		}
	}
	if err == nil {
		return errors.New("10,000 commits fitted in a full disk")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	if err := commitNumbered(ctx, d, acknowledged); err != nil {
		return fmt.Errorf("commit with room again: %w", err)
	}
	if _, err := d.PutBlob(ctx, strings.NewReader(big)); err != nil {
		return fmt.Errorf("put with room again: %w", err)
	}
	fmt.Println(acknowledged + 1)
	return d.Close()
}

func commitNumbered(ctx context.Context, d *Disk, n int) error {
	o, err := storetest.CrashOutcome(fmt.Sprint("n", n), func(text string) (pipeline.Digest, error) {
		b, err := d.PutBlob(ctx, strings.NewReader(text[:min(len(text), 20)]))
		return b.Digest, err
	})
	if err != nil {
		return err
	}
	return d.Commit(ctx, []pipeline.Committed{o})
}

func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	cmd := childCommand("full", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var n int
	if _, err := fmt.Sscan(string(out), &n); err != nil || n < 2 {
		t.Fatalf("%q: the child acknowledged %d commits (%v)", out, n, err)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	assertAllThere(t, dir, names)
}
