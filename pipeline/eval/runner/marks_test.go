package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMarksAndUsageOfARun: what stands beside a file of answers, and nothing where no run
// wrote it.
func TestMarksAndUsageOfARun(t *testing.T) {
	for _, tc := range []struct {
		name, run string
		want      []string
	}{
		{"plain", `{"protocol":1,"isolation":"state","view":{}}`, nil},
		{"view", `{"protocol":1,"isolation":"process","view":{"name":"text"}}`, []string{"view text"}},
		{"not apart", `{"protocol":1,"isolation":"none","view":{"name":"all"}}`, []string{"isolation none"}},
		{"before isolation", `{"protocol":1}`, []string{"isolation none"}},
		{"another program", `["a"]`, []string{"isolation unknown"}},
		{"no run", "", []string{"isolation unknown"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tc.run != "" {
				write(FileRun, tc.run)
			}
			answers := filepath.Join(dir, FileAnswers)
			if got, err := Marks(answers); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("marks %q, %v; want %q", got, err, tc.want)
			}
			if used, err := ReadUsage(answers); err != nil || used != (Used{}) {
				t.Errorf("usage %+v, %v of nothing", used, err)
			}
			write(FileUsage, `{"id":"a","seconds":1.5,"input_tokens":3,"cost":0.25,"currency":"EUR"}`+"\n"+`{"id":"b","seconds":0.5,"input_tokens":4,"cost":0.5,"currency":"EUR"}`+"\n")
			write(FileLatency, `{"ingest_turn":{"calls":2,"seconds":1},"end_session":{"calls":1,"seconds":2},"retrieve":{"calls":2,"seconds":4}}`)
			want := Used{Answers: 2, Seconds: 2, Writing: 3, Retrieving: 4, Usage: Usage{InputTokens: 7, Cost: 0.75, Currency: "EUR"}}
			if used, err := ReadUsage(answers); err != nil || used != want {
				t.Errorf("usage %+v, %v; want %+v", used, err, want)
			}
			write(FileUsage, "{")
			if _, err := ReadUsage(answers); err == nil {
				t.Error("a broken line is usage")
			}
		})
	}
}
