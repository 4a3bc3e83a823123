package cli_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// nobody is the address of a port at which nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/v1"
}

// TestABuildWithoutAServerNamesBatches: a model that batches alone reach has no
// server to wait for, and the build says how it is asked.
func TestABuildWithoutAServerNamesBatches(t *testing.T) {
	t.Parallel()
	for _, address := range []string{nobody(t), "http://nowhere.invalid/v1"} {
		p := newExam(t, mixedPlan(3, 3), examModels(address, ""))
		code, _, errs := p.run("build")
		if code != 9 || !strings.Contains(errs, "`memforge batch export`") || !strings.Contains(errs, "tried 3 times") {
			t.Errorf("%s: exit code %d\n%s", address, code, errs)
		}
	}
}

// TestRoundsSuggestTheFullProtocol: gates that ask one call after the other want many
// rounds of batches. The first round says how many, one that holds little of theirs that
// asking all at once costs little.
func TestRoundsSuggestTheFullProtocol(t *testing.T) {
	export := func(full bool, items string, flags ...string) string {
		p := newExam(t, examPlan(full), examModels(nobody(t), ""))
		return p.must(append([]string{"batch", "export", "-o", filepath.Join(p.dir, "box"), "--set", "sources.exam.with.count=" + items}, flags...)...)
	}
	if out := export(false, "12"); !strings.Contains(out, "only 12 requests") || !strings.Contains(out, "--full-protocol") || !strings.Contains(out, "blind") {
		t.Errorf("a small round:\n%s", out)
	}
	if out := export(false, "120"); strings.Contains(out, "only ") || !strings.Contains(out, "blind makes one call after another, each in a round of its own: up to 8 about an item") || !strings.Contains(out, "--full-protocol") {
		t.Errorf("a large round:\n%s", out)
	}
	for _, out := range []string{export(false, "12", "--full-protocol"), export(true, "12")} {
		if strings.Contains(out, "--full-protocol") {
			t.Errorf("all is asked at once:\n%s", out)
		}
	}
	things := newProject(t, tellServer(t), "")
	if out := things.must("batch", "export", "-o", filepath.Join(things.dir, "box")); strings.Contains(out, "--full-protocol") {
		t.Errorf("no gate asks anything:\n%s", out)
	}
}
