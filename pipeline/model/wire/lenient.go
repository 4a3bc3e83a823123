package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// What is read of answers. Servers send floats for whole numbers, numbers for ids and parts
// for a text; what is not read may be of any type.
type (
	completionAnswer struct {
		Model       word     `json:"model"`
		Fingerprint word     `json:"system_fingerprint"`
		Choices     []choice `json:"choices"`
		Usage       usage    `json:"usage"`
	}
	choice struct {
		Message      message `json:"message"`
		FinishReason word    `json:"finish_reason"`
	}
	message struct {
		Content content `json:"content"`
		Refusal word    `json:"refusal"`
	}
	usage struct {
		Prompt     count `json:"prompt_tokens"`
		Completion count `json:"completion_tokens"`
		Details    struct {
			Cached count `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	embeddingAnswer struct {
		Data  []vector `json:"data"`
		Usage usage    `json:"usage"`
	}
	vector struct {
		Index     place     `json:"index"`
		Embedding []float32 `json:"embedding"`
	}

	word    string // of another type: empty
	content string // a text, or the texts of its parts
	count   int64  // of another type: 0
	place   int    // of another type: an error, for none may be guessed
)

func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*w = word(s)
	}
	return nil
}

func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct {
		Type word `json:"type"`
		Text word `json:"text"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return (*word)(c).UnmarshalJSON(b)
	}
	var text strings.Builder
	for _, p := range parts {
		if p.Type == "" || p.Type == "text" || p.Type == "output_text" {
			text.WriteString(string(p.Text))
		}
	}
	*c = content(text.String())
	return nil
}

func (n *count) UnmarshalJSON(b []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64); err == nil && f >= 0 && f < 1<<53 && f == math.Trunc(f) {
		*n = count(f)
	}
	return nil
}

func (p *place) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return fmt.Errorf("index %s is no whole number", b)
	}
	*p = place(f)
	return nil
}

func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	var read plain
	if json.Unmarshal(b, &read) == nil {
		*u = usage(read)
	}
	return nil
}

// cleanAnswer returns the answer of an endpoint with what is read of it alone, in the types
// that the library wants.
func cleanAnswer(endpoint string, body []byte) ([]byte, error) {
	var read any
	switch path.Base(endpoint) {
	case "completions":
		read = &completionAnswer{}
	case "embeddings":
		read = &embeddingAnswer{}
	default:
		return body, nil
	}
	if err := json.Unmarshal(body, read); err != nil {
		return nil, &FaultError{What: "the answer cannot be read", Err: err}
	}
	return json.Marshal(read)
}

// joinPieces returns the completion that comes in pieces: lines of data, each a part of the
// answer or an error.
func joinPieces(body []byte) ([]byte, error) {
	whole, ended := completionAnswer{Choices: make([]choice, 1)}, false
	var text, refusal strings.Builder
	for line := range bytes.Lines(body) {
		data, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if data = bytes.TrimSpace(data); !found || len(data) == 0 {
			continue
		}
		if ended = string(data) == "[DONE]"; ended {
			break
		}
		var piece struct {
			completionAnswer
			Choices []struct {
				Delta        message `json:"delta"`
				FinishReason word    `json:"finish_reason"`
			} `json:"choices"`
		}
		if err := checkBody(data); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &piece); err != nil {
			return nil, &FaultError{What: "a piece of the answer cannot be read", Err: err}
		}
		whole.Model, whole.Fingerprint = cmp.Or(piece.Model, whole.Model), cmp.Or(piece.Fingerprint, whole.Fingerprint)
		whole.Usage = cmp.Or(piece.Usage, whole.Usage)
		if len(piece.Choices) > 0 {
			said := piece.Choices[0]
			text.WriteString(string(said.Delta.Content))
			refusal.WriteString(string(said.Delta.Refusal))
			whole.Choices[0].FinishReason = cmp.Or(said.FinishReason, whole.Choices[0].FinishReason)
		}
	}
	if !ended && whole.Choices[0].FinishReason == "" {
		return nil, &FaultError{What: "the answer breaks off between two pieces"}
	}
	whole.Choices[0].Message = message{content(text.String()), word(refusal.String())}
	return json.Marshal(whole)
}
