package rounds

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

func accept(request, item string) Entry {
	return Entry{Request: request, Time: "2026-11-28T12:00:00Z", Kind: KindDecided, Item: item, Digest: "d", Decision: schemas.DecisionAccept}
}

func open(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func TestARequestIsKeptOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	j := open(t, path)
	for _, item := range []string{"q1", "q2"} { // the second is the same request again
		if e, err := j.Append(accept("r1", item)); err != nil || e.Item != "q1" {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	if e, err := open(t, path).Append(accept("r1", "q3")); err != nil || e.Item != "q1" {
		t.Errorf("opened again: %+v, %v", e, err)
	}
	if b, err := os.ReadFile(path); err != nil || bytes.Count(b, []byte("\n")) != 1 {
		t.Errorf("%s, %v", b, err)
	}
}

// TestATornLineIsCutOff cuts the last line at every byte.
func TestATornLineIsCutOff(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	j := open(t, whole)
	for i := range 2 {
		if _, err := j.Append(accept(fmt.Sprint("r", i), "q")); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(b, '\n') + 1
	for n := first; n < len(b); n++ {
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, b[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		if len(j.Entries()) != 1 {
			t.Fatalf("%d bytes: %d entries", n, len(j.Entries()))
		}
		if _, err := j.Append(accept("r1", "q")); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%d bytes, then the entry again: %q, %v", n, got, err)
		}
	}
}

func TestAWrongLineIsNamed(t *testing.T) {
	const good = `{"request":"r","time":"t","kind":"skipped","item":"q","digest":"d"}` + "\n"
	for _, line := range []string{`{}`, `{"request":"r2"`, "\x00\x00", strings.Replace(good, "skipped", "danced", 1), strings.Replace(good, "skipped", "decided", 1), strings.Replace(good, "skipped", "answered", 1)} {
		_, _, err := ParseJournal("ann.jsonl", []byte(good+strings.TrimSpace(line)+"\n"+good))
		var at *review.LineError
		if !errors.As(err, &at) || at.Line != 2 {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// full is a file on a disk with room for so many bytes more. Flush fails where failFlush is
// set, Truncate where failTruncate is.
type full struct {
	journalFile
	room                    int
	failFlush, failTruncate bool
}

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	n, err := f.journalFile.Write(p[:n])
	if err == nil && n < len(p) {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *full) Flush() error {
	if f.failFlush {
		return syscall.EIO
	}
	return f.journalFile.Flush()
}

func (f *full) Truncate(n int64) error {
	if f.failTruncate {
		return syscall.EIO
	}
	return f.journalFile.Truncate(n)
}

// TestAFullDiskLosesNothing fails at every byte of an entry. What was kept stays, what was
// refused is kept when it is sent again, and a journal that cannot be undone takes nothing.
func TestAFullDiskLosesNothing(t *testing.T) {
	for room := 0; room < 160; room += 7 {
		path := filepath.Join(t.TempDir(), "ann.jsonl")
		j := open(t, path)
		if _, err := j.Append(accept("r1", "q1")); err != nil {
			t.Fatal(err)
		}
		disk := &full{journalFile: j.file, room: room}
		j.file = disk
		_, err := j.Append(accept("r2", "q2"))
		if line := len(`{"request":"r2","time":"2026-11-28T12:00:00Z","kind":"decided","item":"q2","digest":"d","decision":"accept"}`) + 1; (err != nil) != (room < line) {
			t.Fatalf("room for %d: %v", room, err)
		}
		disk.room = 1 << 20
		if _, err := j.Append(accept("r2", "q2")); err != nil {
			t.Fatal(err)
		}
		if got := open(t, path).Entries(); len(got) != 2 || got[1].Item != "q2" {
			t.Fatalf("room for %d: %+v", room, got)
		}
	}
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	j := open(t, path)
	j.file = &full{journalFile: j.file, room: 50, failTruncate: true}
	if _, err := j.Append(accept("r1", "q")); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if _, err := j.Append(accept("r2", "q")); err == nil || !strings.Contains(err.Error(), "start memforge review again") {
		t.Error(err)
	}
	if got := open(t, path).Entries(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	j = open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	j.file = &full{journalFile: j.file, room: 1 << 20, failFlush: true}
	if _, err := j.Append(accept("r1", "q")); !errors.Is(err, syscall.EIO) || len(j.Entries()) != 0 {
		t.Errorf("%v: not synced and kept", err)
	}
}

// killedJournal makes the test process append entries until it is killed, saying each that
// it was told is kept.
const killedJournal = "MEMFORGE_TEST_KILLED_JOURNAL"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedJournal); path != "" {
		j, err := OpenJournal(path)
		for i := 0; err == nil; i++ {
			if _, err = j.Append(accept(fmt.Sprint("r", i), fmt.Sprint("q", i))); err == nil {
				fmt.Println(i)
			}
		}
		panic(err)
	}
	os.Exit(m.Run())
}

// TestKilledAfterTheJournalBeforeTheReply kills a process at some moment: all that it said is
// kept is there, and what it kept without saying is found when it is sent again.
func TestKilledAfterTheJournalBeforeTheReply(t *testing.T) {
	for _, replies := range []int{1, 7, 40} {
		path := filepath.Join(t.TempDir(), "ann.jsonl")
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), killedJournal+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		told, lines := 0, bufio.NewReader(out)
		for ; told < replies; told++ {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		told += bytes.Count(rest, []byte("\n"))
		if err := cmd.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
		j := open(t, path)
		if kept := len(j.Entries()); kept < told || kept > told+1 {
			t.Errorf("%d entries are kept, %d were said to be", kept, told)
		}
		for i := range told + 1 {
			if e, err := j.Append(accept(fmt.Sprint("r", i), "again")); err != nil || i < told && e.Item != fmt.Sprint("q", i) {
				t.Fatalf("request %d again: %+v, %v", i, e, err)
			}
		}
		if kept := len(j.Entries()); kept != told+1 {
			t.Errorf("%d entries after every request came again; want %d", kept, told+1)
		}
	}
}

func FuzzParseJournal(f *testing.F) {
	f.Add([]byte(`{"request":"r","time":"t","kind":"answered","item":"q","digest":"d","answer":{"option":"A"}}` + "\n"))
	f.Add([]byte(`{"request":"r","time":"t","kind":"decided","item":"q","digest":"d","decision":"reject","note":"x"}` + "\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, size, err := ParseJournal("f", b)
		if err != nil {
			return
		}
		again, same, err := ParseJournal("f", b[:size])
		if err != nil || same != size || len(again) != len(entries) || bytes.IndexByte(b[size:], '\n') >= 0 {
			t.Errorf("%d entries in %d bytes, then %d in %d, %v", len(entries), size, len(again), same, err)
		}
		for _, e := range entries {
			if err := e.check(); err != nil {
				t.Errorf("%+v: %v", e, err)
			}
		}
	})
}

// TestNoJournalWithAWrongLineOpens: what follows it would be read as if it were not there.
func TestNoJournalWithAWrongLineOpens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	if err := os.WriteFile(path, []byte(`{"request":"r","kind":"danced"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var at *review.LineError
	if _, err := OpenJournal(path); !errors.As(err, &at) || at.Line != 1 {
		t.Errorf("%v", err)
	}
	if _, err := OpenJournal(filepath.Join(path, "below")); err == nil {
		t.Error("a file serves as a folder")
	}
}
