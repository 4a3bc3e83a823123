package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// emit says one thing that happened: as text, or as one JSON line where the log
// is JSON, so that who reads one can read it to its end.
func (e *env) emit(w io.Writer, event string, fields map[string]any, text string) error {
	if !e.jsonLog {
		_, err := io.WriteString(w, safetext.Text(text))
		return err
	}
	line := map[string]any{"event": event}
	for k, v := range fields {
		line[k] = v
	}
	b, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("event %s: %w", event, err)
	}
	_, err = io.WriteString(w, safetext.Text(string(b))+"\n")
	return err
}

// emitError says why a command failed and with which exit code it ends.
func (e *env) emitError(err error, code int) {
	_ = e.emit(e.err, "error", map[string]any{"code": code, "error": err.Error()}, fmt.Sprintf("memforge: %v\n", err)) // there is nobody left to tell
}
