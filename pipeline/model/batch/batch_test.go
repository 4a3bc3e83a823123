package batch_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

func open(t testing.TB) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func pending(t testing.TB, l *ledger.Ledger, name, task string, n, size int) []pipeline.Key {
	t.Helper()
	keys := make([]pipeline.Key, n)
	for i := range n {
		r := pipeline.Request{Host: "h", Model: name, Task: task, Sample: i}
		if task == pipeline.EmbedTask {
			r.Text = fmt.Sprint("text ", i)
		}
		keys[i], _ = ledger.Digests(r)
		body := []byte(fmt.Sprintf(`{"pad":%q}`, strings.Repeat("x", size)))
		if err := l.AddPending(t.Context(), ledger.Pending{Key: keys[i], Name: name, Step: "n", Item: fmt.Sprint(i), Request: r, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func TestExportKeepsTheLimits(t *testing.T) {
	l := open(t)
	pending(t, l, "big", "a.task", 10, 1000)
	pending(t, l, "small", "a.task", 3, 10)
	pending(t, l, "small", pipeline.EmbedTask, 2, 10)
	dir := t.TempDir()
	done, err := batch.Export(t.Context(), l, dir, batch.Limits{Lines: 4, Bytes: 3600})
	if err != nil {
		t.Fatal(err)
	}
	files := done.Files
	total := 0
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(data, []byte("\n"))
		if lines != f.Requests || lines > 4 || len(data) > 3600 {
			t.Errorf("%s: %d lines, %d stated, %d bytes", f.Path, lines, f.Requests, len(data))
		}
		if strings.Contains(f.Path, "embeddings") != bytes.Contains(data, []byte(`"url":"/v1/embeddings"`)) {
			t.Errorf("%s mixes endpoints", f.Path)
		}
		total += lines
	}
	if total != 15 || len(files) != 4+1+1 {
		t.Errorf("%d requests in %d files", total, len(files))
	}
	again := t.TempDir()
	if _, err := batch.Export(t.Context(), l, again, batch.Limits{Lines: 4, Bytes: 3600}); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		x, err1 := os.ReadFile(f.Path)
		y, err2 := os.ReadFile(filepath.Join(again, filepath.Base(f.Path)))
		if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Errorf("%s is another the second time (%v, %v)", filepath.Base(f.Path), err1, err2)
		}
	}
	done, err = batch.Export(t.Context(), l, dir, batch.Limits{Lines: 4, Bytes: 500})
	if err != nil || len(done.TooLarge) != 10 || done.TooLarge[0].Bytes < 1000 || len(done.Files) != 2 {
		t.Errorf("requests above the limit: %+v, %v", done, err)
	}
}

func TestImportTakesAnyOrderAndLeavesFailures(t *testing.T) {
	l := open(t)
	keys := pending(t, l, "m", "a.task", 4, 1)
	embed := pending(t, l, "m", pipeline.EmbedTask, 1, 1)[0]
	line := func(key pipeline.Key, rest string) string {
		return fmt.Sprintf(`{"custom_id":%q,%s}`, key, rest)
	}
	said := `"response":{"status_code":200,"body":{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5}}},"error":null`
	file := strings.Join([]string{
		line(keys[2], said), "",
		line(keys[0], `"response":null,"error":{"code":"batch_expired","message":"too late"}`),
		line(embed, `"response":{"status_code":200,"body":{"data":[{"index":0,"embedding":[0.5,1]}]}}`),
		line(keys[1], `"response":{"status_code":500,"body":{"error":{"message":"oops"}}}`),
		line(keys[3], `"response":{"status_code":200,"body":{"choices":[]}}`),
		line(keys[2], said), line("no key", said), line(pipeline.Key(strings.Repeat("a", 64)), said),
		line(keys[2], strings.Replace(said, "{}", "[]", 1)), "{]", `{"response":null}`, "[1]",
	}, "\n")
	got, err := batch.Import(t.Context(), l, strings.NewReader("\ufeff"+file), false)
	why := got.Refused
	got.Refused = nil
	want := batch.Imported{Answered: 2, Failed: 3, Unknown: 1, Duplicate: 1, Conflicting: 1, Reason: "too late (batch_expired)"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	var lines []int
	for _, r := range why {
		lines = append(lines, r.Line)
	}
	if fmt.Sprint(lines) != "[8 11 12 13]" || !strings.Contains(why[0].String(), `line 8, custom_id "no key": its custom_id is none`) || !strings.Contains(why[2].String(), "line 12: it has no custom_id") ||
		!strings.Contains(why[1].String(), `line 11: it is no JSON from its character 2 on ("]")`) || !strings.Contains(why[3].String(), `line 13: it begins with "[1]"`) {
		t.Errorf("refused %v", why)
	}
	if n, err := l.Waiting(t.Context()); n != 3 || err != nil {
		t.Errorf("%d wait, want the 3 that failed (%v)", n, err)
	}
	reply, ok, err := l.Find(t.Context(), keys[2])
	if !ok || err != nil || reply.Text != "{}" || reply.Usage.Input != 5 {
		t.Errorf("%+v, %t, %v", reply, ok, err)
	}
	reply, ok, err = l.Find(t.Context(), embed)
	if v := ledger.UnpackVector(reply.Vector); !ok || err != nil || len(v) != 2 || v[1] != 1 {
		t.Errorf("%+v, %t, %v", reply, ok, err)
	}
}

func FuzzImport(f *testing.F) {
	l := open(f)
	key := pending(f, l, "m", "a.task", 1, 1)[0]
	f.Add([]byte(fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":"x"}}]}}}`, key)))
	f.Add([]byte(`{"custom_id":"","error":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = batch.Import(t.Context(), l, bytes.NewReader(b), len(b)%2 == 0)
	})
}
