package cluster

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestSparing(t *testing.T) {
	var out bytes.Buffer
	h := LimitRepeats(slog.NewTextHandler(&out, nil))
	now := time.Now()
	for n := range 30 {
		for _, queue := range []string{"cpu", "model"} {
			r := slog.NewRecord(now.Add(time.Duration(n)*time.Second), slog.LevelWarn, "away", 0)
			if err := h.WithAttrs([]slog.Attr{slog.String("queue", queue)}).WithGroup("g").Handle(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		slog.New(h).Error("failed", "n", n)
	}
	if away, failed := strings.Count(out.String(), "msg=away"), strings.Count(out.String(), "msg=failed"); away != 3 || failed != 30 {
		t.Errorf("half a minute of an outage gave %d lines, want 3, and 30 errors %d", away, failed)
	}
}
