package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what a system may send.
const (
	maxLine   = 16 << 20
	maxDetail = 2000
)

// startLimit is what the first reply may take at least: a system may load a model first.
const startLimit = time.Minute

// errTooLong is the fault of a reply over maxLine.
var errTooLong = fmt.Errorf("it sent more than %d MiB at once", maxLine>>20)

// transport carries one request at a time to a system and its reply back. Its error is what
// a reply could not be had for: it ended, or sent too much.
type transport interface {
	roundTrip(ctx context.Context, line []byte) ([]byte, error)
	close() error
}

// remote is a system behind a link. A link that failed is replaced at the next Reset.
type remote struct {
	open  func(ctx context.Context) (transport, error)
	limit time.Duration
	link  transport
	next  int
}

// Remote is a system that is reached by what open starts; limit bounds each reply.
func newRemote(open func(ctx context.Context) (transport, error), limit time.Duration) *remote {
	return &remote{open: open, limit: limit}
}

type request struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

type response struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// call asks one method; out takes the result, unless it is nil.
func (r *remote) call(ctx context.Context, method string, params, out any) error {
	limit := r.limit
	if r.link == nil {
		l, err := r.open(ctx)
		if err != nil {
			return &SystemError{method, Unusable, shorten(err.Error())}
		}
		r.link, limit = l, max(limit, startLimit)
	}
	r.next++
	line, err := json.Marshal(request{r.next, method, params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	reply, err := r.link.roundTrip(within, line)
	switch {
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), r.closeTransport())
	case within.Err() != nil:
		return r.fault(method, Hung, fmt.Sprintf("no reply within %s; raise --timeout if it needs longer", limit))
	case errors.Is(err, errTooLong):
		return r.fault(method, BrokeProtocol, err.Error())
	case err != nil:
		return r.fault(method, Died, err.Error())
	}
	return r.readReply(method, reply, out)
}

// readReply checks a reply against the protocol.
func (r *remote) readReply(method string, reply []byte, out any) error {
	if !utf8.Valid(reply) {
		return r.fault(method, BrokeProtocol, "its reply is no valid UTF-8")
	}
	var got response
	if err := json.Unmarshal(reply, &got); err != nil {
		return r.fault(method, BrokeProtocol, fmt.Sprintf("its reply is no JSON object of the protocol: %v", err))
	}
	switch {
	case got.ID == nil || *got.ID != r.next:
		return r.fault(method, BrokeProtocol, fmt.Sprintf("its reply has not the id %d of the request; one request has one reply, on one line", r.next))
	case got.Error != nil:
		return &SystemError{method, Refused, shorten(got.Error.Message)}
	case out == nil:
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(got.Result))
	if err := dec.Decode(out); err != nil {
		return r.fault(method, BrokeProtocol, fmt.Sprintf("its result does not fit: %v", err))
	}
	return nil
}

// fault ends the link: what comes over it from now on could belong to anything.
func (r *remote) fault(method, fault, detail string) error {
	return errors.Join(&SystemError{method, fault, shorten(detail)}, r.closeTransport())
}

func (r *remote) closeTransport() error {
	if r.link == nil {
		return nil
	}
	l := r.link
	r.link = nil
	return l.close()
}

// Capabilities implements System.
func (r *remote) Capabilities(ctx context.Context) (Capabilities, error) {
	var c Capabilities
	err := r.call(ctx, "get_capabilities", map[string]int{"protocol": Protocol}, &c)
	switch {
	case err != nil:
		return c, err
	case c.Protocol != Protocol:
		return c, &SystemError{"get_capabilities", Unusable, fmt.Sprintf("it speaks version %d of the protocol, and this memforge version %d", c.Protocol, Protocol)}
	case c.Name == "":
		return c, &SystemError{"get_capabilities", Unusable, `it gives no "name"`}
	case !slices.Contains([]string{"", PicturesPath, PicturesData}, c.Pictures):
		return c, &SystemError{"get_capabilities", Unusable, fmt.Sprintf(`"pictures" is %q; want path, data or nothing`, shorten(c.Pictures))}
	}
	return c, nil
}

// Reset implements System.
func (r *remote) Reset(ctx context.Context, task string) error {
	return r.call(ctx, "reset", map[string]string{"task_id": task}, nil)
}

// Ingest implements System.
func (r *remote) Ingest(ctx context.Context, t Turn) error { return r.call(ctx, "ingest_turn", t, nil) }

// EndSession implements System.
func (r *remote) EndSession(ctx context.Context, session string) error {
	return r.call(ctx, "end_session", map[string]string{"session_id": session}, nil)
}

// Snapshot implements System.
func (r *remote) Snapshot(ctx context.Context) ([]Memory, error) {
	var out struct {
		Memories []Memory `json:"memories"`
	}
	err := r.call(ctx, "snapshot_memories", struct{}{}, &out)
	return out.Memories, err
}

// Delta implements System.
func (r *remote) Delta(ctx context.Context, session string) ([]Change, error) {
	var out struct {
		Changes []Change `json:"changes"`
	}
	if err := r.call(ctx, "export_memory_delta", map[string]string{"session_id": session}, &out); err != nil {
		return nil, err
	}
	for _, c := range out.Changes {
		if !slices.Contains([]string{"add", "update", "keep", "suppress", "archive"}, c.Op) {
			return nil, r.fault("export_memory_delta", BrokeProtocol, fmt.Sprintf("op %q is none of add, update, keep, suppress, archive", c.Op))
		}
	}
	return out.Changes, nil
}

// Retrieve implements System.
func (r *remote) Retrieve(ctx context.Context, q Query) ([]Item, error) {
	var out struct {
		Items []Item `json:"items"`
	}
	err := r.call(ctx, "retrieve", q, &out)
	return out.Items, err
}

// Answer implements System.
func (r *remote) Answer(ctx context.Context, q Query) (string, error) {
	var out struct {
		Answer string `json:"answer"`
	}
	err := r.call(ctx, "answer", q, &out)
	return out.Answer, err
}

// Close implements System.
func (r *remote) Close() error { return r.closeTransport() }

// shorten is what is kept of a text of the system's.
func shorten(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + " ..."
}
