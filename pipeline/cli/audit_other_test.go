package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
)

// TestAuditGoesOnOverTablesWrittenAnew: the file is one finding, nothing else of the
// release is accused, and everything is worked out again from its rows.
func TestAuditGoesOnOverTablesWrittenAnew(t *testing.T) {
	p := buildBoxes(t, boxServer(t))
	code, clean, errs := p.run("audit", p.release)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, clean, errs)
	}
	const table = "data/questions/test-00000-of-00001.parquet"
	path := filepath.Join(p.release, table)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, parquetfile.Rewrite(t, data), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := p.run("audit", p.release)
	if code != 4 || strings.Count(errs, "\n  ") != 1 || !strings.Contains(errs, table+": has digest") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if strings.Count(out, " differs:\n") != 1 || !strings.Contains(out, table+" differs:\n") {
		t.Errorf("one part differs:\n%s", out)
	}
	last := clean[strings.LastIndex(strings.TrimSpace(clean), "\n")+1:]
	if want := strings.Replace(last, "clean:", "differs:", 1); !strings.HasSuffix(out, want) {
		t.Errorf("it should end with %s\n%s", want, out)
	}
	code, out, _ = p.run("audit", "--json", p.release)
	var said struct {
		State string
		Parts []struct{ Name, State string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 4 || said.State != "differs" || said.Parts[0].Name != table {
		t.Errorf("exit code %d, %v, %+v", code, err, said)
	}
	if code, _, errs := p.run("audit", "--rerun", "--panel", "others", p.release); code != 4 || !strings.Contains(errs, "no panel is asked") {
		t.Errorf("rerun: exit code %d\n%s", code, errs)
	}
}
