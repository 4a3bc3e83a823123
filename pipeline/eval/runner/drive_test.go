package runner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Variables that make the test's binary a memory system: how it behaves, and a file in
// which it counts how often it was started.
const (
	behaves = "MEMFORGE_TEST_SYSTEM"
	counter = "MEMFORGE_TEST_STARTS"
)

func TestMain(m *testing.M) {
	if how := os.Getenv(behaves); how != "" {
		play(how)
		return
	}
	os.Exit(m.Run())
}

// play is a memory system that answers with the last turn it was told.
func play(how string) {
	starts := 1
	if path := os.Getenv(counter); path != "" {
		was, _ := os.ReadFile(path)
		n, _ := strconv.Atoi(string(was))
		starts = n + 1
		if err := os.WriteFile(path, []byte(strconv.Itoa(starts)), 0o644); err != nil {
			panic(err)
		}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	mind := &mind{how: how}
	for n := 0; in.Scan(); n++ {
		reply := mind.reply(in.Bytes())
		switch {
		case how == "version":
			reply = strings.Replace(reply, `"protocol":1`, `"protocol":7`, 1)
		case n < 4 || how == "sound" || strings.HasPrefix(how, "peeks") || strings.HasSuffix(how, "once") && starts > 1:
		case strings.HasPrefix(how, "dies"):
			fmt.Fprintln(os.Stderr, "out of memory, says the system")
			os.Exit(3)
		case strings.HasPrefix(how, "hangs"):
			time.Sleep(time.Hour) // it answers no more
		case how == "twice":
			reply += "\n" + reply
		case how == "floods":
			reply = strings.Repeat("x", 17<<20)
		case how == "latin1":
			reply = "{\"id\":" + strconv.Itoa(n+1) + ",\"result\":{},\"note\":\"\xe9\"}"
		}
		if _, err := fmt.Println(reply); err != nil {
			return
		}
	}
}

// mind is what such a system knows. One that peeks counts the questions it was asked, and
// answers with the number before; one that peeks-saving also keeps that in its state.
type mind struct {
	how   string
	last  string
	turns []string
	asked int
}

func (m *mind) reply(line []byte) string {
	var req struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params struct {
			TurnID    string `json:"turn_id"`
			SessionID string `json:"session_id"`
			Text      string `json:"text"`
			State     int    `json:"state"`
			Options   []runner.Option
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &req); err != nil {
		return err.Error()
	}
	var result any = struct{}{}
	switch req.Method {
	case "get_capabilities":
		result = runner.Capabilities{Protocol: 1, Name: "last turn", Pictures: runner.PicturesPath, Snapshot: true, Answers: true, State: m.how == "peeks-saving"}
	case "save_state":
		result = map[string]int{"state": m.asked}
	case "load_state":
		m.asked = req.Params.State
	case "reset":
		m.last, m.turns, m.asked = "", nil, 0
	case "ingest_turn":
		m.last, m.turns = req.Params.Text, append(m.turns, req.Params.TurnID)
	case "snapshot_memories":
		result = map[string]any{"memories": []runner.Memory{{ID: "last", Text: m.last}}}
	case "retrieve":
		result = map[string]any{"items": []runner.Item{{Text: m.last, Score: 0.5, TurnIDs: m.turns[len(m.turns)-1:]}}}
	case "answer":
		if len(req.Params.Options) == 0 {
			return fmt.Sprintf(`{"id":%d,"error":{"message":"only choices, please"}}`, req.ID)
		}
		result = map[string]string{"answer": req.Params.Options[0].Key}
		if strings.HasPrefix(m.how, "peeks") {
			result = map[string]string{"answer": strconv.Itoa(m.asked)}
		}
		m.asked++
	}
	out, err := json.Marshal(map[string]any{"id": req.ID, "result": result})
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// options ask all questions of one process: the tests of faults count its starts.
func options() runner.Options { return runner.Options{TopK: 10, Isolation: runner.IsolationNone} }

func withRestart() runner.Options {
	o := options()
	o.Restarts = 1
	return o
}

// shelf is one small release for all tests: lives in two scenarios.
var shelf = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memforge-drive-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "pipeline.yaml")
	err = os.WriteFile(file, []byte(`version: 1
seed: 4
release: {name: lives, from: [leaks, talks, files]}
sources:
  lives: {use: visual.lives, with: {scenarios: [social_chat, health_dashboard], size: {sessions: 3, rounds: 9, pictures: 6}}}
stages:
  draw: {use: visual.render, from: [lives]}
  converse: {use: visual.converse, from: [draw]}
  ask: {use: visual.ask, from: [draw], with: {per_cell: 1}}
gates:
  files: {use: visual.picture, from: [draw]}
  talks: {use: update-chain, from: [converse]}
  leaks: {use: option-roles, from: [ask]}
`), 0o644)
	if err != nil {
		return "", err
	}
	cfg, err := config.Load(file, plugins.Registry(), nil)
	if err != nil {
		return "", err
	}
	res, err := assemble.Build(context.Background(), plugins.Registry(), cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		return "", err
	}
	return res.Release.Dir, nil
})

func contents(t *testing.T) release.Contents {
	t.Helper()
	dir, err := shelf()
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func program(t *testing.T, how string, limit time.Duration) (s runner.System, starts func() string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "starts")
	s = runner.Command([]string{"env", behaves + "=" + how, counter + "=" + file, self}, limit)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, func() string { b, _ := os.ReadFile(file); return string(b) }
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEachTurnAndQuestionOnce: a system is told every turn of the release once, in
// order, and asked every question; a run that is there already asks nothing.
func TestEachTurnAndQuestionOnce(t *testing.T) {
	c := contents(t)
	dir := t.TempDir()
	s, starts := program(t, "sound", time.Minute)
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, options())
	if err != nil {
		t.Fatal(err)
	}
	turns := rows(t, c)
	if got := sum.Latency["ingest_turn"].Calls; got != turns || turns < 40 {
		t.Errorf("%d turns told, the release has %d", got, turns)
	}
	if sum.Questions != len(c.Questions) || sum.Answered != sum.Questions || sum.Failed != 0 {
		t.Errorf("%+v, the release has %d questions", sum, len(c.Questions))
	}
	for _, q := range c.Questions {
		if !strings.Contains(read(t, dir, runner.FileAnswers), `{"id":"`+q.QuestionID+`","prediction":"A"}`) {
			t.Errorf("no answer to %s", q.QuestionID)
		}
	}
	before := read(t, dir, runner.FileRetrieved)
	again, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, options())
	if err != nil || again.Answered != sum.Answered || again.Latency["ingest_turn"].Calls != turns {
		t.Errorf("the second run: %+v, %v", again, err)
	}
	if read(t, dir, runner.FileRetrieved) != before || starts() != "1" {
		t.Errorf("the second run told the system something, or wrote something else")
	}
	var other *runner.OtherRunError
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5, Isolation: runner.IsolationNone}); !errors.As(err, &other) {
		t.Errorf("other settings in one folder: %v", err)
	}
}

// rows is how many turns the release has.
func rows(t *testing.T, c release.Contents) (n int) {
	t.Helper()
	table, _ := plugins.Registry().Table(schemas.NameSession)
	for rec, err := range c.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		var s schemas.Session
		if err := json.Unmarshal(rec.Data, &s); err != nil {
			t.Fatal(err)
		}
		n += len(s.Turns)
	}
	return n
}

// TestFaults: what a system does in place of answering is named; it is told the task
// anew where that may help, and what it gives then is what a sound one gives.
func TestFaults(t *testing.T) {
	sound := t.TempDir()
	s, _ := program(t, "sound", time.Minute)
	if _, err := runner.Run(t.Context(), plugins.Registry(), contents(t), s, sound, options()); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		how, fault string // no fault: it recovers
		limit      time.Duration
	}{
		{how: "dies-once", limit: time.Minute},
		{how: "hangs-once", limit: 2 * time.Second},
		{how: "dies", fault: "out of memory, says the system", limit: time.Minute},
		{how: "hangs", fault: "no reply within", limit: time.Second},
		{how: "twice", fault: "one request has one reply", limit: time.Minute},
		{how: "floods", fault: "sent more than 16 MiB", limit: time.Minute},
		{how: "latin1", fault: "no valid UTF-8", limit: time.Minute},
	} {
		t.Run(tc.how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, starts := program(t, tc.how, tc.limit)
			sum, err := runner.Run(t.Context(), plugins.Registry(), contents(t), s, dir, withRestart())
			if err != nil {
				t.Fatal(err)
			}
			if tc.fault == "" {
				if sum.Failed != 0 || starts() != "2" || read(t, dir, runner.FileRetrieved) != read(t, sound, runner.FileRetrieved) {
					t.Errorf("%d tasks failed, it was started %s times: want none, twice, and what a sound one gives", sum.Failed, starts())
				}
				return
			}
			if sum.Failed != sum.Tasks || !strings.Contains(read(t, dir, runner.FileTasks), tc.fault) {
				t.Errorf("%d of %d tasks failed, want all with %q:\n%s", sum.Failed, sum.Tasks, tc.fault, read(t, dir, runner.FileTasks))
			}
		})
	}
}

// TestUnusableSystemsEndARun: another version of the protocol, or no program at all.
func TestUnusableSystemsEndARun(t *testing.T) {
	c := contents(t)
	other, _ := program(t, "version", time.Minute)
	for name, s := range map[string]runner.System{"version": other, "absent": runner.Command([]string{"/nowhere/at-all"}, time.Minute)} {
		var fault *runner.SystemError
		_, err := runner.Run(t.Context(), plugins.Registry(), c, s, t.TempDir(), runner.Options{TopK: 1})
		if !errors.As(err, &fault) || fault.Fault != runner.Unusable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestServerGivesTheSame: over HTTP a system gives what it gives as a program.
func TestServerGivesTheSame(t *testing.T) {
	c := contents(t)
	m := &mind{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var line json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&line); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, m.reply(line))
	}))
	t.Cleanup(server.Close)
	over, by := t.TempDir(), t.TempDir()
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, runner.Server(server.URL, time.Minute), over, options()); err != nil {
		t.Fatal(err)
	}
	s, _ := program(t, "sound", time.Minute)
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, s, by, options()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{runner.FileAnswers, runner.FileRetrieved, runner.FileMemories, runner.FileTasks} {
		if read(t, over, file) != read(t, by, file) {
			t.Errorf("%s differs", file)
		}
	}
}
