package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Retrieved is a memory that a system found for a question, as memforge run writes it.
type Retrieved struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Score     float64  `json:"score"`
	SessionID string   `json:"session_id"`
	TurnIDs   []string `json:"turn_ids"`
}

// retrievedLine is a line of retrieved.jsonl.
type retrievedLine struct {
	ID    string      `json:"id"`
	Items []Retrieved `json:"items"`
}

// ReadRetrieved reads what was retrieved for each question as an answer of one line:
// the lines that memforge run writes, spelled by spell, or those of ReadAnswers.
func ReadRetrieved(r io.Reader, spell func([]Retrieved) string) (map[string]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRetrieved+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("retrieved: %w", err)
	case len(data) > maxRetrieved:
		return nil, fmt.Errorf("retrieved: the file is larger than %d MiB; score it in parts, with --incomplete", maxRetrieved>>20)
	case !bytes.Contains(data, []byte(`"items":`)):
		return ReadAnswers(bytes.NewReader(data))
	}
	out := map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(data))
	for n := 1; dec.More(); n++ {
		var l retrievedLine
		if err := dec.Decode(&l); err != nil {
			return nil, fmt.Errorf("retrieved: line %d: %w", n, err)
		}
		if _, twice := out[l.ID]; twice || l.ID == "" {
			return nil, fmt.Errorf("retrieved: line %d: question %q has no id, or is there twice", n, l.ID)
		}
		out[l.ID] = spell(l.Items)
	}
	return out, nil
}

// maxRetrieved bounds a file of what was retrieved.
const maxRetrieved = 1 << 30
