package testkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"
)

// FaultKind names something that a model server does wrong.
type FaultKind string

// The kinds. Those of the second group are answers that a client must not take
// for good, those of the third are outcomes of the model itself.
const (
	// FaultStatus answers Status with Header and Body.
	FaultStatus FaultKind = "status"
	// FaultReset breaks the connection before an answer.
	FaultReset FaultKind = "reset"
	// FaultHang takes the request and never answers.
	FaultHang FaultKind = "hang"
	// FaultSlow answers well, after Delay.
	FaultSlow FaultKind = "slow"

	// FaultCut breaks the connection in the middle of the answer.
	FaultCut FaultKind = "cut"
	// FaultCutJSON answers with half of the JSON and a right length.
	FaultCutJSON FaultKind = "cut-json"
	// FaultTwice answers with the JSON twice in one body.
	FaultTwice FaultKind = "twice"
	// FaultBytes answers with a byte that is no UTF-8.
	FaultBytes FaultKind = "bytes"
	// FaultHTML answers 200 with a page.
	FaultHTML FaultKind = "html"
	// FaultType answers with a type that is not JSON's.
	FaultType FaultKind = "type"
	// FaultInside answers 200 with an error object.
	FaultInside FaultKind = "inside"
	// FaultEmpty answers without choices.
	FaultEmpty FaultKind = "empty"

	// FaultSchema answers with JSON of another form, FaultProse with prose.
	FaultSchema FaultKind = "schema"
	FaultProse  FaultKind = "prose"
	// FaultFence puts the right answer between code fences.
	FaultFence FaultKind = "fence"
	// FaultRefusal, FaultFilter and FaultLength are refusal, content_filter and
	// length.
	FaultRefusal FaultKind = "refusal"
	FaultFilter  FaultKind = "filter"
	FaultLength  FaultKind = "length"
)

// ModelFault is a declared fault.
type ModelFault struct {
	Kind FaultKind
	// Path it acts on: "chat" (the default) or "embeddings".
	Path string
	// Match restricts it to requests whose body contains this, Unless to those
	// whose body does not, where set.
	Match, Unless string
	// Share of the requests it hits, 0 to 1; 0 means all.
	Share float64
	// After lets so many matching requests pass first; Times bounds how many are
	// hit, Each how often one and the same body is; 0 means no bound.
	After, Times, Each int

	// Status, Header and Body are for FaultStatus.
	Status int
	Header map[string]string
	Body   string
	Delay  time.Duration

	seen, hit int
}

// Refuse429 is a 429 with one header.
func Refuse429(header, value string) ModelFault {
	return ModelFault{
		Kind: FaultStatus, Status: http.StatusTooManyRequests, Header: map[string]string{header: value},
		Body: `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`,
	}
}

// AddFault declares a fault. Of several that are due the first acts.
func (m *ModelServer) AddFault(f ModelFault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = append(m.faults, &f)
}

// ClearFaults ends all faults.
func (m *ModelServer) ClearFaults() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = nil
}

type faultHit struct {
	fault *ModelFault
	body  [32]byte
}

// dueFault finds the fault that acts on a request.
func (m *ModelServer) dueFault(path string, body []byte) *ModelFault {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.faults {
		want := f.Path
		if want == "" {
			want = "chat"
		}
		if !strings.Contains(path, want) || !bytes.Contains(body, []byte(f.Match)) || f.Unless != "" && bytes.Contains(body, []byte(f.Unless)) {
			continue
		}
		f.seen++
		hit := faultHit{f, sha256.Sum256(body)}
		switch {
		case f.seen <= f.After, f.Times > 0 && f.hit >= f.Times, f.Each > 0 && m.hits[hit] >= f.Each:
			continue
		case f.Share > 0 && m.chance.Float64() >= f.Share:
			continue
		}
		f.hit++
		m.hits[hit]++
		if f.Kind != FaultSlow && f.Kind != FaultFence {
			m.counts.Faulted++
			m.countsChanged()
		}
		return f
	}
	return nil
}

// act does the fault in place of the good answer; false means that the good
// answer is still to be sent.
func (f *ModelFault) act(w http.ResponseWriter, r *http.Request, good any) bool {
	body, err := json.Marshal(good)
	if err != nil {
		return false
	}
	switch f.Kind {
	case FaultStatus:
		for name, value := range f.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
	case FaultReset:
		reset(w)
	case FaultHang:
		<-r.Context().Done()
	case FaultSlow:
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done():
		}
		return false
	case FaultCut:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		return f.spoil(w, good, body)
	}
	return true
}

// spoil sends an answer that is wrong in itself.
func (f *ModelFault) spoil(w http.ResponseWriter, good any, body []byte) bool {
	kind := "application/json"
	switch f.Kind {
	case FaultCutJSON:
		body = body[:len(body)/2]
	case FaultTwice:
		body = append(body, body...)
	case FaultBytes:
		body = bytes.Replace(body, []byte(`"content":"`), []byte("\"content\":\"\xff"), 1)
	case FaultHTML:
		kind, body = "text/html", []byte("<html><body>Bad gateway, try later</body></html>")
	case FaultType:
		kind = "application/octet-stream"
	case FaultInside:
		body = []byte(`{"error":{"message":"the upstream is overloaded","code":502}}`)
	case FaultEmpty:
		body = []byte(`{"id":"x","object":"chat.completion","choices":[],"usage":{}}`)
	default:
		changed, ok := f.outcome(good)
		if !ok {
			return false
		}
		body, _ = json.Marshal(changed)
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body)
	return true
}

// outcome changes what the model says in a completion.
func (f *ModelFault) outcome(good any) (any, bool) {
	top, ok := good.(map[string]any)
	choices, ok2 := top["choices"].([]any)
	if !ok || !ok2 {
		return nil, false
	}
	choice := choices[0].(map[string]any)
	message := choice["message"].(map[string]any)
	text, said := message["content"].(string)
	if !said && f.Kind == FaultFence {
		return nil, false
	}
	delete(message, "refusal")
	switch f.Kind {
	case FaultSchema:
		message["content"] = `{"unheard_of": true}`
	case FaultProse:
		message["content"] = "Certainly! Here is what I think of it."
	case FaultFence:
		message["content"] = "```json\n" + text + "\n```"
	case FaultRefusal:
		message["content"], message["refusal"] = nil, "I cannot help with that."
	case FaultFilter:
		message["content"], choice["finish_reason"] = "", "content_filter"
	case FaultLength:
		message["content"], choice["finish_reason"] = text[:len(text)/2], "length"
	}
	return top, true
}

// reset closes the connection so that the client sees a reset, not an end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
