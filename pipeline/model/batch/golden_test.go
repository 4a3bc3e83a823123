package batch_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestGoldenSpoiled pins what is taken of a line of results, and of one with one value wrong,
// while the request waits and after it is answered.
func TestGoldenSpoiled(t *testing.T) {
	for _, answered := range []bool{false, true} {
		name := map[bool]string{false: "waiting", true: "answered"}[answered]
		doc := map[string]any{"custom_id": string(pending(t, open(t), "m", "a.task", 1, 1)[0]), "error": nil,
			"response": json.RawMessage(`{"status_code":200,"body":{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5}}}`)}
		l := open(t)
		key := pending(t, l, "m", "a.task", 1, 1)[0]
		if answered {
			if _, err := batch.Import(t.Context(), l, strings.NewReader(golden.JSON(t, doc)), false); err != nil {
				t.Fatal(err)
			}
		}
		golden.CheckSpoiled(t, name, doc, func(doc []byte) string {
			if !answered {
				l = open(t)
				pending(t, l, "m", "a.task", 1, 1)
			}
			got, err := batch.Import(t.Context(), l, strings.NewReader(string(doc)), true)
			reply, ok, err2 := l.Find(t.Context(), key)
			return fmt.Sprintf("%+v %v\nrecorded %t %q %v", got, err, ok, reply.Text, err2)
		})
	}
}

// TestGoldenReasons pins the reason that a failure is told with.
func TestGoldenReasons(t *testing.T) {
	var out strings.Builder
	for _, result := range []string{
		`"error":{"message":"m"}`, `"error":{"message":"m","code":7}`, `"error":{"error":{"message":"inner"}}`, `"error":{"error":"text"}`, `"error":{"error":"text","message":"m"}`, `"error":{"code":"c"}`, `"error":"plain"`,
		`"error":"` + strings.Repeat("x", 300) + `"`, `"response":{"status_code":201,"body":{"error":{"message":"m"}}}`, `"response":{"status_code":0,"body":{"choices":[]}}`, `"response":{"status_code":200}`,
	} {
		l := open(t)
		got, err := batch.Import(t.Context(), l, strings.NewReader(fmt.Sprintf(`{"custom_id":%q,%s}`, pending(t, l, "m", "a.task", 1, 1)[0], result)), false)
		fmt.Fprintf(&out, "%.60s: %d failed, %s %v\n", result, got.Failed, got.Reason, err)
	}
	for _, line := range []string{"{", `{"custom_id":7}`, `{"custom_id":"x"}`, `{"response":`, `{"a":1}`, "[" + strings.Repeat("1", 20), `{"custom_id" "x"}`, `"` + strings.Repeat("ä", 9), "\n \n{"} {
		got, err := batch.Import(t.Context(), open(t), strings.NewReader(line), false)
		fmt.Fprintf(&out, "%q: %v %v\n", line, got.Refused, err)
	}
	golden.Check(t, "reasons", out.String())
	l := open(t)
	broken := errors.New("the disk is broken")
	if _, err := batch.Import(t.Context(), l, io.MultiReader(strings.NewReader("\n\n"), iotest.ErrReader(broken)), false); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "import batch: ") {
		t.Errorf("a file that cannot be read: %v", err)
	}
	_ = l.Close()
	if _, err := batch.Import(t.Context(), l, strings.NewReader(fmt.Sprintf("\n"+`{"custom_id":"%064d"}`, 7)), false); err == nil || !strings.HasPrefix(err.Error(), "import batch: line 2: ") {
		t.Errorf("a ledger that is closed: %v", err)
	}
	if _, err := batch.Export(t.Context(), l, t.TempDir(), batch.DefaultLimits); err == nil || !strings.HasPrefix(err.Error(), "export batch: ") {
		t.Errorf("a ledger that is closed: %v", err)
	}
	if _, err := batch.Poll(t.Context(), l, nil); err == nil {
		t.Error("a ledger that is closed is polled")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Export(t.Context(), open(t), file, batch.DefaultLimits); err == nil {
		t.Error("a file is taken for the folder")
	}
}

// TestGoldenExport pins the files of an export, at the limits of a file.
func TestGoldenExport(t *testing.T) {
	l := open(t)
	pending(t, l, "m", "a.task", 3, 1)
	pending(t, l, "m", pipeline.EmbedTask, 1, 1)
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("bytes"))
	r := pipeline.Request{Host: "h", Model: "eye", Task: "look", Messages: []pipeline.Message{{Role: "system", Text: "be brief"}, {Role: "user", Text: "look", Images: []pipeline.Digest{"d", "d"}}, {Role: "user", Text: "<again>"}}}
	key, _ := ledger.Digests(r)
	body := golden.JSON(t, map[string]any{"messages": []any{map[string]any{"content": "be brief"}, map[string]any{"content": []any{map[string]any{"text": "look"}, map[string]any{"image_url": map[string]any{"url": url}}, map[string]any{"image_url": map[string]any{"url": url}}}}}})
	if err := l.AddPending(t.Context(), ledger.Pending{Key: key, Name: "eye", Step: "see", Item: "i", Request: r, Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	one := int64(0)
	for _, limits := range []batch.Limits{batch.DefaultLimits, {Lines: 3, Bytes: 1 << 20}, {Lines: 2, Bytes: 1 << 20}} {
		dir := t.TempDir()
		done, err := batch.Export(t.Context(), l, dir, limits)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, f := range done.Files {
			data, err := os.ReadFile(f.Path)
			fmt.Fprintf(&out, "%s of %s, %d requests, %v\n%s", filepath.Base(f.Path), f.Name, f.Requests, err, data)
			if f.Name == "m" && f.Requests == 3 {
				one = int64(len(data)) / 3
			}
		}
		data, err := os.ReadFile(done.Index)
		fmt.Fprintf(&out, "%s %v\n%s%d pictures, %v, too large %v\n", filepath.Base(done.Index), err, data, done.Pictures, golden.JSON(t, done.PerStep), done.TooLarge)
		golden.Check(t, fmt.Sprintf("export-%d", limits.Lines), out.String())
	}
	for most, files := range map[int64]int{one: 3, 2*one - 1: 3, 2 * one: 2, 3 * one: 1, one - 1: 0} {
		done, err := batch.Export(t.Context(), l, t.TempDir(), batch.Limits{Lines: 9, Bytes: most})
		n := 0
		for _, f := range done.Files {
			if f.Name == "m" && !strings.Contains(f.Path, "embeddings") {
				n++
			}
		}
		if err != nil || n != files {
			t.Errorf("of %d bytes: %d files, want %d, %v", most, n, files, err)
		}
	}
}

// TestGoldenSubmit pins what is refused before anything is sent.
func TestGoldenSubmit(t *testing.T) {
	l := open(t)
	keys := pending(t, l, "m", "a.task", 2, 1)
	none := errors.New("no such server")
	servers := func(string) (*wire.Client, error) { return nil, none }
	var out strings.Builder
	for _, file := range []string{
		"", "{", `{"custom_id":"x"}`, fmt.Sprintf(`{"custom_id":%q,"url":"u"}`+"\n"+`{"custom_id":"y"}`, keys[0]), fmt.Sprintf(`{"custom_id":"%064d"}`, 7),
		fmt.Sprintf(`{"custom_id":%q}`+"\n"+`{"custom_id":"%064d"}`, keys[0], 7), fmt.Sprintf(`{"custom_id":%q}`, keys[1]),
	} {
		b, err := batch.Submit(t.Context(), l, "some/m-0001.jsonl", []byte(file), servers)
		fmt.Fprintf(&out, "%s\n  %+v %v\n", file, b, err)
	}
	begun := ledger.Batch{ID: "unheard-f", Name: "m", State: "s", Requests: 1}
	if err := l.BeginBatch(t.Context(), begun, keys[:1]); err != nil {
		t.Fatal(err)
	}
	b, err := batch.Submit(t.Context(), l, "f", []byte(fmt.Sprintf(`{"custom_id":%q}`, keys[0])), servers)
	fmt.Fprintf(&out, "taken: %+v %v\n", b, err)
	polled, err := batch.Poll(t.Context(), l, servers)
	fmt.Fprintf(&out, "polled: %+v %v\n", polled, err)
	if err := l.ConfirmBatch(t.Context(), begun.ID, ledger.Batch{ID: "b1", Name: "m"}); err != nil {
		t.Fatal(err)
	}
	polled, err = batch.Poll(t.Context(), l, servers)
	fmt.Fprintf(&out, "polled: %+v %v\n", polled, err)
	golden.Check(t, "submit", out.String())
}
