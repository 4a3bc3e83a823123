package progress

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/schemas"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	lost := []schemas.Rejection{
		{ID: "video-1", Stage: "probe", Code: "truncated", Reason: "cut", Source: "clips", Path: "deep/a.mp4"},
		{ID: "b.mp4", Stage: "clips", Code: "duplicate-content", Reason: "the same bytes", Source: "clips", Path: "b.mp4"},
		{ID: "pair-1", Stage: "ask", Code: "few", Reason: "too few"},
		{ID: "film-1", Stage: "pair", Code: "alone", Reason: "no partner", Source: "films"},
	}
	for i := range maxShownLosses {
		lost = append(lost, schemas.Rejection{ID: fmt.Sprint("more-", i), Stage: "ask", Code: "few", Reason: "too few"})
	}
	var out bytes.Buffer
	New(&out, Text, time.Now).ReportLosses(lost)
	want := "refused by probe: clips deep/a.mp4 (video-1): truncated: cut\nrefused by clips: clips b.mp4: duplicate-content: the same bytes\n" +
		"refused by ask: pair-1: few: too few\nrefused by pair: films film-1: alone: no partner\n"
	if got := out.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\nand 4 more; table rejections of the release has all\n") || strings.Count(got, "\n") != maxShownLosses+1 {
		t.Errorf("it says\n%s", got)
	}
	out.Reset()
	New(&out, JSON, time.Now).ReportLosses(lost)
	if got := out.String(); strings.Count(got, `"event":"refused"`) != len(lost) || !strings.Contains(got, `"path":"deep/a.mp4"`) {
		t.Errorf("machines are told\n%s", got)
	}
}
