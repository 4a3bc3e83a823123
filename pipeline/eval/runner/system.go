// Package runner runs a memory system over the tasks of a release: it sends the turns of
// the sessions one by one, asks the questions of a checkpoint as soon as the sessions that
// it covers are over, and records the replies (WorldMemArena 3.2, A and D). It reads a
// release of any family and nothing else.
//
// A system is a program that speaks JSON lines, a server that is sent the same lines
// by HTTP, or one of the references, which show what figures mean.
package runner

import (
	"context"
	"encoding/json"
	"fmt"
)

// Protocol is the version of the messages; docs/run.md describes them.
const Protocol = 1

// Capabilities are what a system says of itself.
type Capabilities struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	// Pictures says how it takes pictures: path, a file of the release; data, bytes in
	// base64; or none, then captions stand in their place.
	Pictures string `json:"pictures,omitempty"`
	// Snapshot, Delta and Answers say which of the methods snapshot_memories,
	// export_memory_delta and answer it has; the others all have.
	Snapshot bool `json:"snapshot,omitempty"`
	Delta    bool `json:"delta,omitempty"`
	Answers  bool `json:"answers,omitempty"`
	// State says that it has save_state and load_state, so that each question can start
	// from the state after the history.
	State bool `json:"state,omitempty"`
	// Model is the language model behind it, where there is one.
	Model string `json:"model,omitempty"`
}

// Ways to take pictures.
const (
	PicturesPath = "path"
	PicturesData = "data"
)

// Turn is what ingest_turn hands over: one turn with what is known of its session.
type Turn struct {
	SessionID    string    `json:"session_id"`
	Kind         string    `json:"kind"`
	Title        string    `json:"title,omitempty"`
	Date         string    `json:"date,omitempty"`
	Participants []string  `json:"participants,omitempty"`
	TurnID       string    `json:"turn_id"`
	Timestamp    string    `json:"timestamp,omitempty"`
	Role         string    `json:"role"`
	Speaker      string    `json:"speaker,omitempty"`
	Text         string    `json:"text,omitempty"`
	Observation  string    `json:"observation,omitempty"`
	Reasoning    string    `json:"reasoning,omitempty"`
	Action       string    `json:"action,omitempty"`
	Feedback     string    `json:"feedback,omitempty"`
	Attachments  []Picture `json:"attachments,omitempty"`
}

// Picture is an attachment of a turn, or a picture or video that belongs to a question.
type Picture struct {
	ID      string `json:"id"`
	MediaID string `json:"media_id"`
	Type    string `json:"type,omitempty"`
	Caption string `json:"caption,omitempty"`
	Mime    string `json:"mime,omitempty"`
	Path    string `json:"path,omitempty"`
	Data    []byte `json:"data,omitempty"`
}

// Query is what retrieve and answer are asked. Options are those of the form that is
// asked; an open form has none. Items are what retrieve gave, for answer alone.
type Query struct {
	QuestionID string    `json:"question_id"`
	Question   string    `json:"question"`
	Options    []Option  `json:"options,omitempty"`
	Tools      []Tool    `json:"tools,omitempty"`
	Pictures   []Picture `json:"pictures,omitempty"`
	TopK       int       `json:"top_k,omitempty"`
	Items      []Item    `json:"items,omitempty"`
}

// Reply is an answer, and what it took as far as the system says.
type Reply struct {
	Answer string `json:"answer"`
	Usage  Usage  `json:"usage,omitzero"`
}

// Usage is what an answer took. Turns and pictures that the request had no room for are
// left out; a video counts as the pictures that would be taken of it.
type Usage struct {
	Model           string  `json:"model,omitempty"`
	InputTokens     int64   `json:"input_tokens,omitempty"`
	OutputTokens    int64   `json:"output_tokens,omitempty"`
	Cost            float64 `json:"cost,omitempty"`
	Currency        string  `json:"currency,omitempty"`
	TurnsLeftOut    int     `json:"turns_left_out,omitempty"`
	Pictures        int     `json:"pictures,omitempty"`
	PicturesLeftOut int     `json:"pictures_left_out,omitempty"`
}

// Option is one of the answers to choose from.
type Option struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Tool is something that the answer may call. Parameters is a JSON Schema, as text.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  string `json:"parameters"`
}

// Item is a memory that a system found for a question, best first. SessionID and
// TurnIDs say where it comes from, as far as the system knows: scores need them.
type Item struct {
	ID        string   `json:"id,omitempty"`
	Text      string   `json:"text"`
	Score     float64  `json:"score,omitempty"`
	SessionID string   `json:"session_id,omitempty"`
	TurnIDs   []string `json:"turn_ids,omitempty"`
	MediaID   string   `json:"media_id,omitempty"`
}

// Memory is one thing that a system holds.
type Memory struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Change is what a session did to one memory. Op is add, update, keep, suppress or
// archive.
type Change struct {
	Op string `json:"op"`
	Memory
}

// System is a memory system under test. Calls come one after another: Reset, then
// turns, the end of each session, and queries in between. The error of a system that
// cannot go on is a *SystemError.
type System interface {
	Capabilities(ctx context.Context) (Capabilities, error)
	Reset(ctx context.Context, task string) error
	Ingest(ctx context.Context, t Turn) error
	EndSession(ctx context.Context, session string) error
	Snapshot(ctx context.Context) ([]Memory, error)
	Delta(ctx context.Context, session string) ([]Change, error)
	Retrieve(ctx context.Context, q Query) ([]Item, error)
	Answer(ctx context.Context, q Query) (Reply, error)
	// SaveState returns the state that LoadState goes back to.
	SaveState(ctx context.Context) (json.RawMessage, error)
	LoadState(ctx context.Context, state json.RawMessage) error
	Close() error
}

// A Restartable system can be had anew, without what this one remembers.
type Restartable interface {
	System
	Restart() System
	// Concurrent reports that questions change nothing in it, so that it can be asked
	// several at once.
	Concurrent() bool
}

// Faults of a system. Refused is an answer of its own, and it goes on; after the others
// it is started again and told the task from its beginning.
const (
	Died          = "died"
	Hung          = "hung"
	BrokeProtocol = "broke the protocol"
	Refused       = "refused"
	Unusable      = "is unusable"
)

// SystemError tells what a system did in place of answering.
type SystemError struct {
	Method string
	// Fault is one of those above.
	Fault  string
	Detail string
}

func (e *SystemError) Error() string {
	return fmt.Sprintf("the memory system %s at %s: %s", e.Fault, e.Method, e.Detail)
}
