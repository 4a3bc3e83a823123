package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Imported says what an import did.
type Imported struct {
	// Answered were recorded. Failed and expired ones stay pending.
	Answered, Failed int
	// Duplicate are answers that are recorded already, letter by letter, Others answers
	// to requests that have another one, and Unknown ones to requests that no build
	// of this ledger ever put.
	Duplicate, Conflicting, Unknown int
	// Replaced are answers that were put in the place of others.
	Replaced int
	// Reason of the first failure.
	Reason string
	// Refused are the lines that are no result.
	Refused []RefusedLine
}

// RefusedLine is a line that cannot be used.
type RefusedLine struct {
	Line int
	// ID is its custom_id, empty where none can be read.
	ID, Why string
}

func (r RefusedLine) String() string {
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
	i.Duplicate += other.Duplicate
	i.Conflicting += other.Conflicting
	i.Unknown += other.Unknown
	i.Replaced += other.Replaced
	i.Refused = append(i.Refused, other.Refused...)
	if i.Reason == "" {
		i.Reason = other.Reason
	}
}

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
			done.Refused = append(done.Refused, RefusedLine{Line: n, Why: fmt.Sprintf("it has more than %d bytes", maxLine)})
		} else if len(raw) > 0 {
			if err := importLine(ctx, l, raw, n, replace, &done); err != nil {
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

func importLine(ctx context.Context, l *ledger.Ledger, raw []byte, n int, replace bool, done *Imported) error {
	var res result
	refuse := func(why string) {
		done.Refused = append(done.Refused, RefusedLine{Line: n, ID: res.CustomID, Why: why})
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		res = result{}
		refuse(describeBadLine(raw, err))
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
	p, ok, err := l.FindPending(ctx, pipeline.Key(res.CustomID))
	if err != nil {
		return err
	}
	if !ok {
		return importAnswered(ctx, l, res, replace, done)
	}
	if res.Response == nil || res.Response.Status != 0 && res.Response.Status != 200 {
		done.fail(failureReason(res))
		return nil
	}
	reply, err := readReply(p.Request, res.Response.Body)
	if err != nil {
		done.fail(err.Error())
		return nil
	}
	done.Answered++
	return l.RecordBatchAnswer(ctx, p, reply)
}

func describeBadLine(raw []byte, err error) string {
	var broken *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case raw[0] != '{':
		return fmt.Sprintf("it begins with %q; a result of a batch is an object in braces, on a line of its own", clip(raw[:min(len(raw), 12)]))
	case errors.As(err, &broken) && strings.Contains(broken.Error(), "unexpected end"):
		return "it ends in the middle of an object: the line is cut, or the object stands on several lines"
	case errors.As(err, &broken):
		return fmt.Sprintf("it is no JSON from its character %d on (%q)", broken.Offset, clip(raw[max(0, broken.Offset-1):min(int64(len(raw)), broken.Offset+19)]))
	case errors.As(err, &wrong):
		return fmt.Sprintf("its %s is a %s, where a result of a batch has another kind of value", cmp.Or(wrong.Field, "whole"), wrong.Value)
	}
	return fmt.Sprintf("it is no result of a batch: %v", err)
}

// importAnswered counts a result for which nothing waits. What is recorded stays unless it is
// to be replaced.
func importAnswered(ctx context.Context, l *ledger.Ledger, res result, replace bool, done *Imported) error {
	known, ok, err := l.FindEntry(ctx, pipeline.Key(res.CustomID))
	if err != nil {
		return err
	}
	if !ok {
		done.Unknown++
		return nil
	}
	if res.Response == nil || res.Response.Status != 0 && res.Response.Status != 200 {
		done.Duplicate++ // the answer that there is stands
		return nil
	}
	reply, err := readReply(known.Request, res.Response.Body)
	if err != nil || sameAnswer(reply, known.Reply) {
		done.Duplicate++
		return nil
	}
	if !replace {
		done.Conflicting++
		return nil
	}
	done.Replaced++
	known.Reply = reply
	return l.Replace(ctx, known)
}

func sameAnswer(a, b pipeline.Reply) bool {
	return a.Outcome == b.Outcome && a.Text == b.Text && bytes.Equal(a.Vector, b.Vector)
}

func failureReason(res result) string {
	if res.Response != nil {
		return fmt.Sprintf("status %d: %s", res.Response.Status, errorText(res.Response.Body))
	}
	return errorText(res.Error)
}

// errorText is what an error of a server says in words, or else the beginning of its text.
func errorText(raw json.RawMessage) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Code    any             `json:"code"`
		Message string          `json:"message"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return clip(raw)
	}
	switch {
	case len(e.Error) > 0 && e.Message == "":
		return errorText(e.Error)
	case e.Message == "":
		return clip(raw)
	case e.Code != nil:
		return clip(fmt.Appendf(nil, "%s (%v)", e.Message, e.Code))
	}
	return clip([]byte(e.Message))
}

func clip(b []byte) string {
	const most = 200
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}

func readReply(r pipeline.Request, body []byte) (pipeline.Reply, error) {
	if r.Task != pipeline.EmbedTask {
		return wire.ReadCompletion(body)
	}
	vectors, usage, err := wire.ReadEmbeddings(body, 1)
	if err != nil {
		return pipeline.Reply{}, err
	}
	return pipeline.Reply{Outcome: model.OK, Vector: ledger.PackVector(vectors[0]), Usage: usage}, nil
}
