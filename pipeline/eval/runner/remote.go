package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// Bounds of what a system may send.
const (
	maxLine   = 16 << 20
	maxDetail = 2000
)

// startLimit is the least time limit of the first reply: a system may load a model
// first.
const startLimit = time.Minute

var errTooLong = fmt.Errorf("it sent more than %d MiB at once", maxLine>>20)

// transport carries one request at a time to a system and its reply back. Its error says
// why no reply came: the system ended, or sent too much.
type transport interface {
	roundTrip(ctx context.Context, line []byte) ([]byte, error)
	close() error
}

// remote is a system behind a transport. A transport that failed is replaced at the next
// call.
type remote struct {
	open  func(ctx context.Context) (transport, error)
	limit time.Duration
	link  transport
	next  int
}

// newRemote returns a system that open starts; limit bounds each reply.
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

// fault ends the transport: what comes over it from now on could belong to any request.
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
func (r *remote) Answer(ctx context.Context, q Query) (Reply, error) {
	var out Reply
	err := r.call(ctx, "answer", q, &out)
	return out, err
}

// SaveState implements System.
func (r *remote) SaveState(ctx context.Context) (json.RawMessage, error) {
	var out struct {
		State json.RawMessage `json:"state"`
	}
	err := r.call(ctx, "save_state", struct{}{}, &out)
	if err == nil && out.State == nil {
		err = r.fault("save_state", BrokeProtocol, `its result has no "state"`)
	}
	return out.State, err
}

// LoadState implements System.
func (r *remote) LoadState(ctx context.Context, state json.RawMessage) error {
	return r.call(ctx, "load_state", map[string]json.RawMessage{"state": state}, nil)
}

// Close implements System.
func (r *remote) Close() error { return r.closeTransport() }

func shorten(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + " ..."
}

// Command is a system that is a program: it reads requests from its standard input, a
// line each, and writes a line for each to its standard output. What it writes to its
// standard error is shown where it dies. It is started in a group of its own, which is
// killed as one.
func Command(argv []string, limit time.Duration) Restartable {
	return &program{*newRemote(func(context.Context) (transport, error) { return start(argv) }, limit)}
}

type program struct{ remote }

// Restart implements Restartable.
func (p *program) Restart() System { return &program{*newRemote(p.open, p.limit)} }

// Concurrent implements Restartable.
func (p *program) Concurrent() bool { return false }

type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan reply // closed when the program writes no more
	quit   chan struct{}
	stderr *tail
}

type reply struct {
	line []byte
	err  error
}

func start(argv []string) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no program is named")
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), lines: make(chan reply), quit: make(chan struct{}), stderr: &tail{}}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	p.in = in
	go p.read(out)
	return p, nil
}

// read passes lines on until the program closes its output or the process is closed.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		line, err := readLine(in)
		if err != nil && len(line) == 0 && !errors.Is(err, errTooLong) {
			return
		}
		select {
		case p.lines <- reply{line, err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// readLine returns one line without its end, of at most maxLine bytes.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// roundTrip implements link. The write has an owner of its own: a program that reads
// nothing would hold it up for ever.
func (p *process) roundTrip(ctx context.Context, line []byte) ([]byte, error) {
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(line, '\n'))
		written <- err
	}()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-written:
			if err != nil {
				return nil, p.endError(err)
			}
			written = nil
		case r, more := <-p.lines:
			switch {
			case !more:
				return nil, p.endError(io.ErrUnexpectedEOF)
			case r.err != nil && !errors.Is(r.err, io.EOF):
				return nil, r.err
			}
			return r.line, nil
		}
	}
}

// endError quotes the last words of a program that ended.
func (p *process) endError(err error) error {
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("it ended; its last words: %s", said)
	}
	return fmt.Errorf("it ended (%w) and said nothing on its standard error", err)
}

// close implements link: the program may end by itself for a moment, then its whole
// group is killed.
func (p *process) close() error {
	close(p.quit)
	err := p.in.Close()
	gone := make(chan struct{})
	go func() {
		// How a program ends that is asked nothing any more is its own affair.
		_ = p.cmd.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(time.Second):
	}
	// Its children may live on; a group that is gone is no error.
	if kill := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
		err = errors.Join(err, kill)
	}
	<-gone
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-maxDetail):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxDetail):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return shorten(string(t.kept))
}

// Server is a system that is sent each request as the body of a POST to url, and
// replies in the body of the response.
func Server(url string, limit time.Duration) System {
	return newRemote(func(context.Context) (transport, error) { return &httpServer{url: url, client: &http.Client{}}, nil }, limit)
}

type httpServer struct {
	url    string
	client *http.Client
}

// roundTrip implements link.
func (s *httpServer) roundTrip(ctx context.Context, line []byte) (body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxLine+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxLine:
		return nil, errTooLong
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, shorten(string(body)))
	}
	return body, nil
}

// close implements link. The server goes on: it is not ours.
func (s *httpServer) close() error {
	s.client.CloseIdleConnections()
	return nil
}
