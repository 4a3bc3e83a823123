package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
)

// wants reports what of a text is missing; a pattern that begins with "!" must
// not be there.
func wants(t *testing.T, name, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		pattern, not := strings.CutPrefix(p, "!")
		if regexp.MustCompile("(?m)"+pattern).MatchString(text) == not {
			t.Errorf("%s: want %q in\n%s", name, p, text)
		}
	}
}

// A trial builds a part, writes no release, and what it paid for is not paid for
// again by the whole build.
func TestATrialIsPartOfTheWholeBuild(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	wants(t, "only", p.must("build", "--only", "things"), `^things +0 +20 +0 +0 +1 +0$`, `^trial: no release was written`, `!tell`)
	if n := server.Counts().Answered; n != 0 {
		t.Fatalf("--only of a source asked %d times", n)
	}
	wants(t, "limit", p.must("build", "--limit", "3", "--only", "tell"), `^things +0 +3 +0 +0 +0 +1$`, `^tell +3 +6 +0 +0 +3 +0$`, `!sum`)
	wants(t, "limited", p.must("build", "--limit", "3"), `^tell +3 +6 +0 +0 +0 +3$`, `^sum +3 +2 `)
	if n := server.Counts().Answered; n != 4 {
		t.Fatalf("the trials asked %d times, want 4", n)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "out", "releases")); !os.IsNotExist(err) {
		t.Errorf("a trial wrote releases: %v", err)
	}
	wants(t, "whole", p.must("build"), `^release things .* written`)
	if n := server.Counts().Answered; n != 22 {
		t.Errorf("%d requests in all, want 20 things and two sums", n)
	}
	wants(t, "up to date", p.must("build"), `^nothing to do`)
	wants(t, "a trial after it", p.must("build", "--limit", "2"), `^things +0 +2 `, `^sum +2 `)
	wants(t, "explained are whole builds", p.must("explain"), `^tell +17 +3 +20 `)

	other := newProject(t, server, "")
	other.must("build")
	sameRelease(t, filepath.Join(p.dir, "out"), filepath.Join(other.dir, "out"))
	for want, args := range map[string][]string{
		`no step "tel"; did you mean "tell"\?`: {"build", "--only", "tel"},
		`--limit -1: want a number of records`: {"build", "--limit=-1"},
		`writes no release to sign`:            {"build", "--limit", "1", "--sign", "key"},
	} {
		code, _, errs := p.run(args...)
		if code != 2 {
			t.Errorf("%v: exit code %d", args, code)
		}
		wants(t, want, errs, want)
	}
}

// What a build finished before it failed is shown, with why records were lost: the
// build says only how many. The next whole build takes its place.
func TestShowLaysOpenABuildThatFailed(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	answers := func(refused string) func(testkit.ChatRequest) testkit.ChatReply {
		return func(a testkit.ChatRequest) testkit.ChatReply {
			if strings.Contains(a.User, refused) {
				return testkit.ChatReply{Refusal: "I would rather not say."}
			}
			return tellAnswer(a)
		}
	}
	server.SetAnswer(answers(`thing number 5"`))
	if code, _, errs := p.run("build", "--set", "stages.tell.max_loss=0"); code != 5 {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	wants(t, "what was lost", p.must("show", "tell"), `^stage tell: tell 1 \(of a build without a release: failed\)\n38 records emitted, 1 rejected$`, `I would rather not say`)
	wants(t, "explained", p.must("explain"), `^tell +20 `)
	if code, _, errs := p.run("show", "sum"); code != 4 || !strings.Contains(errs, "no build has run step sum") {
		t.Errorf("what was not reached: exit code %d\n%s", code, errs)
	}
	server.SetAnswer(tellAnswer)
	p.must("ledger", "prune", "--outcome", "refusal")
	p.must("build")
	wants(t, "mended", p.must("show", "tell"), `^stage tell: tell 1\n40 records emitted, 0 rejected$`)
}

// Nothing to work on, nothing to release and a server that is down have their
// exit codes.
func TestWhatIsNotThereHasAnExitCode(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	if code, _, errs := p.run("explain"); code != 4 || !strings.Contains(errs, "there is no store here") {
		t.Errorf("explain without a store: exit code %d, %s", code, errs)
	}
	code, _, errs := p.run("build", "--set", "sources.things.with.count=0", "--set", "release.from=[tell]")
	if code != 5 || !strings.Contains(errs, "would hold no question") {
		t.Errorf("an empty release: exit code %d, %s", code, errs)
	}
	code, out, errs := p.run("doctor", "--set", "models.scripted.base_url=http://127.0.0.1:9/v1")
	if code != 9 || !strings.Contains(errs, "model scripted at 127.0.0.1:9 cannot be reached or keeps failing") || !strings.Contains(errs, "--skip-models") || !strings.Contains(out, "FAIL  model scripted") {
		t.Errorf("doctor with a dead model: exit code %d, %s%s", code, out, errs)
	}
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 401, Body: `{"error":{"message":"no"}}`})
	if code, _, errs := p.run("doctor"); code != 9 || !strings.Contains(errs, "model scripted at 127.0.0.1") || !strings.Contains(errs, "does not accept the key") {
		t.Errorf("doctor with a wrong key: exit code %d, %s", code, errs)
	}
}

// A build whose log is JSON says everything as JSON, to its last line.
func TestABuildWithJSONLogsEndsInJSON(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	last := func(args ...string) map[string]any {
		t.Helper()
		_, out, errs := p.run(append(args, "--log-format", "json")...)
		var line map[string]any
		for _, l := range strings.Split(strings.TrimSpace(errs+out), "\n") {
			line = nil
			if err := json.Unmarshal([]byte(l), &line); err != nil || line["event"] == nil {
				t.Errorf("%v: %q is no event: %v", args, l, err)
			}
		}
		return line
	}
	if l := last("build"); l["event"] != "release" || l["written"] != true || l["version"] != "1.0.0" || l["built"] != 22.0 {
		t.Errorf("a build ends with %v", l)
	}
	if l := last("build"); l["event"] != "release" || l["written"] != false {
		t.Errorf("nothing to do ends with %v", l)
	}
	if l := last("build", "--limit", "1"); l["event"] != "trial" {
		t.Errorf("a trial ends with %v", l)
	}
	if l := last("build", "--only", "tel"); l["event"] != "error" || l["code"] != 2.0 {
		t.Errorf("a failed build ends with %v", l)
	}
	if l := last("build", "--set", "release.nam=x"); l["event"] != "error" || l["code"] != 3.0 {
		t.Errorf("a bad configuration ends with %v", l)
	}
}

// What a node would ask is shown before anything is sent.
func TestShowLaysOpenWhatANodeGaveAndAsks(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	for args, want := range map[string]string{"tell": "out/store: there is no store here", "q-none": "there is no store here"} {
		if code, _, errs := p.run("show", args); code != 4 || !strings.Contains(errs, "there is no store here") {
			t.Errorf("%s without a store: exit code %d, %s, want %s", args, code, errs, want)
		}
	}
	p.must("build", "--only", "things", "--limit", "5")
	code, _, errs := p.run("show", "tell")
	if code != 4 {
		t.Errorf("a step that was not built: exit code %d", code)
	}
	wants(t, "not built", errs, "no build has run step tell; `memforge build --only tell` does")
	wants(t, "not built, asked", p.must("show", "tell", "--prompts", "--most", "2"),
		`^--- request 1 of tell, record thing-0000: test.tell asks scripted \(captioner\), 0 pictures$`, `^\[system\]\nTell\.$`, `"thing number 0"`, `thing-0001`, `!thing-0002`, `^tell asks more once these are answered$`)
	if code, _, errs := p.run("show", "sum", "--prompts"); code != 4 || !strings.Contains(errs, "reads tell, which no build has run") {
		t.Errorf("a step whose input is not there: exit code %d, %s", code, errs)
	}
	if n := server.Counts().Answered; n != 0 {
		t.Fatalf("show asked %d times", n)
	}
	p.must("build")
	asked := server.Counts().Answered
	wants(t, "a node", p.must("show", "tell", "--most", "1"), `^stage tell: tell 1\n40 records emitted, 0 rejected$`, `^thing-0000  task$`, `"scenario": "this is thing number 0"`, `^\.\.\. and 39 more records`)
	wants(t, "answered", p.must("show", "tell", "--prompts", "--most", "2"), `request 2 of tell`, `!asks more once`)
	wants(t, "a fold", p.must("show", "sum", "--prompts"), `test.tell asks scripted \(author\)`, `"all 40"|"all 20"`)
	wants(t, "a record", p.must("show", "thing-0007-q", "--prompts"), `^given by stage tell$`, `^thing-0007-q  question$`, `record thing-0007: test.tell asks`)
	wants(t, "as JSON", p.must("show", "thing-0007", "--json"), `^\{"place":\{"did":"given","node":"things","trial":""\}\}$`, `^\{"record":\{"id":"thing-0007","schema":"thing"`)
	if n := server.Counts().Answered; n != asked {
		t.Errorf("show asked %d times", n-asked)
	}
	if code, _, errs := p.run("show", "thing-9999"); code != 4 || !strings.Contains(errs, `no record "thing-9999"`) {
		t.Errorf("an unknown record: exit code %d, %s", code, errs)
	}
}
