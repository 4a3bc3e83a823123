package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Imported says what an import did.
type Imported struct {
	// Answered were recorded. Failed and expired ones stay pending.
	Answered, Failed int
	// Again are answers that are recorded already, letter by letter, Others answers
	// to requests that have another one, and Unknown ones to requests that nobody
	// of this ledger ever put.
	Again, Others, Unknown int
	// Replaced are answers that were put in the place of others.
	Replaced int
	// Reason of the first failure.
	Reason string
	// Refused are the lines that are no result.
	Refused []Refused
}

// Refused is a line that cannot be used.
type Refused struct {
	Line int
	// ID is its custom_id, empty where none can be read.
	ID, Why string
}

func (r Refused) String() string {
	if r.ID == "" {
		return fmt.Sprintf("line %d: %s", r.Line, r.Why)
	}
	return fmt.Sprintf("line %d, custom_id %q: %s", r.Line, clip([]byte(r.ID)), r.Why)
}

func (i *Imported) fail(reason string) {
	i.Failed++
	if i.Reason == "" {
		i.Reason = reason
	}
}

func (i *Imported) add(other Imported) {
	i.Answered += other.Answered
	i.Failed += other.Failed
	i.Again += other.Again
	i.Others += other.Others
	i.Unknown += other.Unknown
	i.Replaced += other.Replaced
	i.Refused = append(i.Refused, other.Refused...)
	if i.Reason == "" {
		i.Reason = other.Reason
	}
}

// result is one line of a batch's output or error file.
type result struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// maxLine bounds a line of results.
const maxLine = 64 << 20

// Import records the answers of a results file, whatever their order. Each line
// stands for itself: one that is no result is refused with its number and costs no
// other. An error is about the file or the ledger, not about a line. With replace,
// an answer to a request that has another one takes its place.
func Import(ctx context.Context, l *ledger.Ledger, r io.Reader, replace bool) (Imported, error) {
	var done Imported
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		raw, long, err := nextLine(in)
		if n == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		if raw = bytes.TrimSpace(raw); long {
			done.Refused = append(done.Refused, Refused{Line: n, Why: fmt.Sprintf("it has more than %d bytes", maxLine)})
		} else if len(raw) > 0 {
			if err := takeLine(ctx, l, raw, n, replace, &done); err != nil {
				return done, fmt.Errorf("import batch: line %d: %w", n, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return done, nil
		}
		if err != nil {
			return done, fmt.Errorf("import batch: %w", err)
		}
	}
}

// nextLine reads a line. Of one that is too long nothing is kept.
func nextLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLine; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

func takeLine(ctx context.Context, l *ledger.Ledger, raw []byte, n int, replace bool, done *Imported) error {
	var res result
	refuse := func(why string) {
		done.Refused = append(done.Refused, Refused{Line: n, ID: res.CustomID, Why: why})
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		res = result{}
		refuse(fmt.Sprintf("it is no result of a batch: %v", err))
		return nil
	}
	switch _, err := pipeline.ParseDigest(res.CustomID); {
	case res.CustomID == "":
		refuse("it has no custom_id")
		return nil
	case err != nil:
		refuse("its custom_id is none that memforge gave")
		return nil
	}
	p, ok, err := l.PendingOf(ctx, pipeline.Key(res.CustomID))
	if err != nil {
		return err
	}
	if !ok {
		return late(ctx, l, res, replace, done)
	}
	if res.Response == nil || res.Response.Status != 0 && res.Response.Status != 200 {
		done.fail(failure(res))
		return nil
	}
	reply, err := read(p.Request, res.Response.Body)
	if err != nil {
		done.fail(err.Error())
		return nil
	}
	done.Answered++
	return l.Answered(ctx, p, reply)
}

// late counts a result for which nothing waits: a copy, another answer, or an
// answer to somebody else's request. What is recorded stays unless it is to be
// replaced.
func late(ctx context.Context, l *ledger.Ledger, res result, replace bool, done *Imported) error {
	known, ok, err := l.Entry(ctx, pipeline.Key(res.CustomID))
	if err != nil {
		return err
	}
	if !ok {
		done.Unknown++
		return nil
	}
	if res.Response == nil || res.Response.Status != 0 && res.Response.Status != 200 {
		done.Again++ // the answer that there is stands
		return nil
	}
	reply, err := read(known.Request, res.Response.Body)
	if err != nil || sameAnswer(reply, known.Reply) {
		done.Again++
		return nil
	}
	if !replace {
		done.Others++
		return nil
	}
	done.Replaced++
	known.Reply = reply
	return l.Replace(ctx, known)
}

func sameAnswer(a, b ledger.Reply) bool {
	return a.Outcome == b.Outcome && a.Text == b.Text && bytes.Equal(a.Vector, b.Vector)
}

func failure(res result) string {
	if res.Response != nil {
		return fmt.Sprintf("status %d: %s", res.Response.Status, clip(res.Response.Body))
	}
	return clip(res.Error)
}

func clip(b []byte) string {
	const most = 200
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}

func read(q ledger.Request, body []byte) (ledger.Reply, error) {
	if q.Task == pipeline.EmbedTask {
		vectors, usage, err := wire.ReadEmbeddings(body, 1)
		if err != nil {
			return ledger.Reply{}, err
		}
		return ledger.Reply{Outcome: model.OK, Vector: ledger.PackVector(vectors[0]), Usage: usage}, nil
	}
	said, err := wire.ReadBody(body)
	if err != nil {
		return ledger.Reply{}, err
	}
	return ledger.Reply{
		Outcome: said.Outcome, Text: said.Text, Detail: said.Detail,
		Model: said.Model, Fingerprint: said.Fingerprint, Usage: said.Usage,
	}, nil
}
