package testkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// batchFiles are the files and batches of a model server.
type batchFiles struct {
	files   map[string][]byte
	batches map[string]map[string]any
	// spoil decides how a line of a batch fails: "failed", "expired" or not.
	spoil func(customID string) string
}

func newBatchFiles() batchFiles {
	return batchFiles{files: map[string][]byte{}, batches: map[string]map[string]any{}}
}

// SpoilBatches makes lines of batches fail: spoil returns "failed", "expired" or
// nothing for a custom_id.
func (m *ModelServer) SpoilBatches(spoil func(customID string) string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches.spoil = spoil
}

func (m *ModelServer) batchRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/files", m.putFile)
	mux.HandleFunc("GET /v1/files/{id}/content", func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(m.batches.files[r.PathValue("id")])
	})
	mux.HandleFunc("POST /v1/batches", m.startBatch)
	mux.HandleFunc("GET /v1/batches/{id}", func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		b, ok := m.batches.batches[r.PathValue("id")]
		m.mu.Unlock()
		if !ok {
			writeError(w, http.StatusNotFound, "not_found", "no such batch")
			return
		}
		writeJSON(w, b)
	})
}

func (m *ModelServer) putFile(w http.ResponseWriter, r *http.Request) {
	f, head, err := r.FormFile("file")
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return
	}
	m.mu.Lock()
	id := fmt.Sprintf("file-%d", len(m.batches.files)+1)
	m.batches.files[id] = data
	m.mu.Unlock()
	writeJSON(w, map[string]any{"id": id, "object": "file", "bytes": len(data), "filename": head.Filename, "purpose": "batch"})
}

// startBatch answers the whole batch at once; the next look finds it complete.
func (m *ModelServer) startBatch(w http.ResponseWriter, r *http.Request) {
	var in struct {
		InputFileID string `json:"input_file_id"`
		Endpoint    string `json:"endpoint"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	m.mu.Lock()
	input := m.batches.files[in.InputFileID]
	m.mu.Unlock()
	good, bad := m.AnswerBatch(input)
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.batches.batches) + 1
	out, failed := fmt.Sprintf("out-%d", n), fmt.Sprintf("err-%d", n)
	m.batches.files[out], m.batches.files[failed] = good, bad
	id := fmt.Sprintf("batch_%d", n)
	b := map[string]any{"id": id, "object": "batch", "endpoint": in.Endpoint, "input_file_id": in.InputFileID,
		"completion_window": "24h", "status": "validating"}
	writeJSON(w, b)
	done := map[string]any{"output_file_id": out, "status": "completed"}
	if len(bad) > 0 {
		done["error_file_id"] = failed
	}
	for k, v := range b {
		if _, ok := done[k]; !ok {
			done[k] = v
		}
	}
	m.batches.batches[id] = done
}

// AnswerBatch answers the lines of a batch file, in the opposite order: an
// output file and an error file. It needs no network.
func (m *ModelServer) AnswerBatch(input []byte) (output, errors []byte) {
	m.mu.Lock()
	spoil := m.batches.spoil
	m.mu.Unlock()
	var lines, failed [][]byte
	for s := scanner(input); s.Scan(); {
		var line struct {
			CustomID string          `json:"custom_id"`
			Body     json.RawMessage `json:"body"`
		}
		if json.Unmarshal(s.Bytes(), &line) != nil {
			continue
		}
		out := map[string]any{"id": "batch_req", "custom_id": line.CustomID, "response": nil, "error": nil}
		fate := ""
		if spoil != nil {
			fate = spoil(line.CustomID)
		}
		good, used, err := m.chat(&http.Request{}, line.Body)
		switch {
		case fate == "expired":
			out["error"] = map[string]any{"code": "batch_expired", "message": "the request was not run in time"}
		case err != nil || fate != "":
			out["response"] = map[string]any{"status_code": 500, "body": map[string]any{"error": map[string]any{"message": "it failed"}}}
		default:
			m.countPaid(line.Body, used)
			out["response"] = map[string]any{"status_code": 200, "request_id": "x", "body": good}
		}
		b, _ := json.Marshal(out)
		if fate != "" {
			failed = append(failed, b)
			continue
		}
		lines = append(lines, b)
	}
	slices.Reverse(lines)
	return joinLines(lines), joinLines(failed)
}

func joinLines(lines [][]byte) []byte {
	if len(lines) == 0 {
		return nil
	}
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

func scanner(b []byte) *bufio.Scanner {
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, 256<<20)
	return s
}
