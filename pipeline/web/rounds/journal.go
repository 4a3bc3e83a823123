package rounds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Kinds of journal entries.
const (
	KindShown    = "shown"
	KindAnswered = "answered"
	KindSkipped  = "skipped"
	KindDecided  = "decided"
)

// DecisionRevise is the decision that proposes changes, or asks for some in its note. Builds read
// it as a proposal where it has changes; else it stands in the round for its keeper.
const DecisionRevise = "revise"

// Entry is one line of a journal: what one annotator saw, answered or decided.
type Entry struct {
	// Request is the id of the request that wrote the entry. The same request sent again
	// writes nothing.
	Request string `json:"request"`
	Time    string `json:"time"`
	Kind    string `json:"kind"`
	Item    string `json:"item"`
	// Digest is that of the item as it was shown.
	Digest string `json:"digest"`
	// ActiveMS is how long the annotator was at work on the item since the last entry about
	// it: without hidden tabs and idle minutes.
	ActiveMS int64   `json:"active_ms,omitempty"`
	Answer   *Answer `json:"answer,omitempty"`
	// Decision is accept, revise, reject, or relabel with a Label key=value.
	Decision string                   `json:"decision,omitempty"`
	Label    string                   `json:"label,omitempty"`
	Note     string                   `json:"note,omitempty"`
	Criteria map[string]string        `json:"criteria,omitempty"`
	Changes  []schemas.ProposedChange `json:"changes,omitempty"`
}

// Answer is what an annotator answered before the gold was shown.
type Answer struct {
	// Option is the key of the chosen option, Text the answer to a question without options;
	// both are empty where it cannot be told from what is shown.
	Option string `json:"option,omitempty"`
	Text   string `json:"text,omitempty"`
	Sure   string `json:"sure,omitempty"`
	// Right compares it with the gold; it is missing where a rule cannot tell.
	Right *bool `json:"right,omitempty"`
}

// Bounds of a journal.
const (
	maxJournal = 256 << 20
	maxEntry   = 1 << 20
	maxShort   = 200
	maxNote    = 10_000
	maxCrits   = 20
	maxActive  = 24 * time.Hour
)

// journalFile is the part of a file that a journal writes to.
type journalFile interface {
	io.WriteCloser
	Flush() error
	Truncate(size int64) error
}

// diskFile is a file whose Flush waits for the disk.
type diskFile struct{ *os.File }

// Flush implements journalFile.
func (f diskFile) Flush() error { return atomicfile.Flush(f.File) }

// Journal holds what one annotator did, in a file that only grows. An entry is on the disk
// before Append returns it.
type Journal struct {
	path    string
	file    journalFile
	size    int64
	entries []Entry
	byID    map[string]int
	// broken is why nothing can be appended any more.
	broken error
}

// OpenJournal reads a journal, or begins one. A last line without its end was not replied to:
// it is cut off.
func OpenJournal(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j := &Journal{path: path, file: diskFile{f}, byID: map[string]int{}}
	if err := j.load(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

func (j *Journal) load(f *os.File) error {
	b, err := io.ReadAll(io.LimitReader(f, maxJournal+1))
	if err == nil && len(b) > maxJournal {
		err = fmt.Errorf("it has more than %d bytes", maxJournal)
	}
	if err != nil {
		return fmt.Errorf("read journal %s: %w", j.path, err)
	}
	entries, size, err := ParseJournal(j.path, b)
	if err != nil {
		return err
	}
	for _, e := range entries {
		j.remember(e)
	}
	j.size = size
	if size < int64(len(b)) {
		err = f.Truncate(size)
	}
	if err := errors.Join(err, atomicfile.Flush(f), atomicfile.Sync(parentOf(j.path))); err != nil {
		return fmt.Errorf("open journal %s: %w", j.path, err)
	}
	return nil
}

func (j *Journal) remember(e Entry) {
	if _, known := j.byID[e.Request]; !known {
		j.byID[e.Request] = len(j.entries)
		j.entries = append(j.entries, e)
	}
}

// ParseJournal reads the complete lines of a journal and returns how many bytes they take. A
// complete line that is no entry is a *review.LineError.
func ParseJournal(name string, b []byte) (entries []Entry, size int64, err error) {
	number := 0
	for line := range bytes.Lines(b) {
		number++
		if line[len(line)-1] != '\n' {
			break
		}
		size += int64(len(line))
		e, err := parseEntry(bytes.TrimSpace(line))
		if err != nil {
			return nil, 0, &review.LineError{File: name, Line: number, Err: err}
		}
		entries = append(entries, e)
	}
	return entries, size, nil
}

func parseEntry(line []byte) (e Entry, err error) {
	if len(line) > maxEntry || !utf8.Valid(line) {
		return e, fmt.Errorf("a line of %d bytes; want UTF-8 of at most %d", len(line), maxEntry)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := pipeline.DecodeSingle(dec, &e); err != nil {
		return e, fmt.Errorf("%w; want a journal entry: restore the file from a copy", err)
	}
	return e, e.check()
}

// check says what keeps an entry from being one.
func (e Entry) check() error {
	for name, text := range map[string]string{"request": e.Request, "time": e.Time, "item": e.Item, "digest": e.Digest} {
		if text == "" || len(text) > maxShort {
			return fmt.Errorf("%s has %d bytes; want 1 to %d", name, len(text), maxShort)
		}
	}
	for key, value := range e.Criteria {
		if len(e.Criteria) > maxCrits || len(key) > maxShort || len(value) > maxShort {
			return fmt.Errorf("%d criteria; want at most %d of at most %d bytes", len(e.Criteria), maxCrits, maxShort)
		}
	}
	switch {
	case e.ActiveMS < 0 || e.ActiveMS > maxActive.Milliseconds():
		return fmt.Errorf("active_ms is %d; want 0 to %d", e.ActiveMS, maxActive.Milliseconds())
	case len(e.Note) > maxNote:
		return fmt.Errorf("the note has %d bytes; want at most %d", len(e.Note), maxNote)
	case e.Kind == KindAnswered:
		return e.checkAnswer()
	case e.Kind == KindDecided:
		return e.checkDecision()
	case e.Kind != KindShown && e.Kind != KindSkipped:
		return fmt.Errorf("kind is %q; want %s, %s, %s or %s", shorten(e.Kind), KindShown, KindAnswered, KindSkipped, KindDecided)
	}
	return nil
}

func (e Entry) checkAnswer() error {
	if a := e.Answer; a == nil || len(a.Option) > maxShort || len(a.Text) > maxNote || len(a.Sure) > maxShort {
		return fmt.Errorf("an answer that is missing or too long; want an option or a text of at most %d bytes", maxNote)
	}
	return nil
}

func (e Entry) checkDecision() error {
	switch revise := e.Decision == DecisionRevise; {
	case revise && len(e.Changes) > 0:
		return review.CheckProposal(e.proposal("x", "x"))
	case revise && e.Note == "":
		return fmt.Errorf("a decision to %s without changes and without a note that asks for some", DecisionRevise)
	case revise:
		e.Decision = schemas.DecisionAccept // which asks for no more
	case len(e.Changes) > 0:
		return fmt.Errorf("a decision %q with changes; decide %s to propose them", shorten(e.Decision), DecisionRevise)
	}
	return review.Check(e.review("x", "x", ""))
}

// review is a decision as builds read it.
func (e Entry) review(annotator, draw, stratum string) schemas.Review {
	return schemas.Review{Item: e.Item, Annotator: annotator, Sample: draw, Stratum: stratum, Decision: e.Decision, Label: e.Label, Note: e.Note}
}

// proposal is a decision to revise as builds read it.
func (e Entry) proposal(annotator, draw string) schemas.Proposal {
	return schemas.Proposal{Item: e.Item, Annotator: annotator, Sample: draw, Digest: e.Digest, Changes: e.Changes, Note: e.Note}
}

// Find returns the entry that a request wrote.
func (j *Journal) Find(request string) (Entry, bool) {
	i, ok := j.byID[request]
	if !ok {
		return Entry{}, false
	}
	return j.entries[i], true
}

// Append writes an entry and waits until it is on the disk. A request that wrote one before
// gets that. After an error the entry is not in the journal.
func (j *Journal) Append(e Entry) (Entry, error) {
	if first, ok := j.Find(e.Request); ok {
		return first, nil
	}
	if j.broken != nil {
		return e, fmt.Errorf("journal %s cannot be written since an earlier error; free space or mend the disk, then start memforge review again: %w", j.path, j.broken)
	}
	line, err := json.Marshal(e)
	if err == nil {
		err = e.check()
	}
	if err == nil && (len(line) >= maxEntry || j.size+int64(len(line)) >= maxJournal) {
		err = fmt.Errorf("an entry of %d bytes after %d; want at most %d", len(line), j.size, maxEntry)
	}
	if err != nil {
		return e, fmt.Errorf("keep %s of %s: %w", e.Kind, e.Item, err)
	}
	line = append(line, '\n')
	_, err = j.file.Write(line)
	if err == nil {
		err = j.file.Flush()
	}
	if err != nil {
		// What was written in part must not stand before the next entry.
		if undone := errors.Join(j.file.Truncate(j.size), j.file.Flush()); undone != nil {
			j.broken = errors.Join(err, undone)
		}
		return e, fmt.Errorf("journal %s: the entry was not kept; free space and send it again: %w", j.path, err)
	}
	j.size += int64(len(line))
	j.remember(e)
	return e, nil
}

// Entries returns all entries in their order.
func (j *Journal) Entries() []Entry { return slices.Clone(j.entries) }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// progress is what an annotator did about one item in one form.
type progress struct {
	answered, decided *Entry
	skipped           bool
	activeMS          int64
}

// progressByItem sums a journal up: of several decisions the last stands, of several answers
// the first. Entries about another form of an item are left out, and counted in stale by
// item.
func (j *Journal) progressByItem(digests map[string]string) (out map[string]progress, stale map[string]bool) {
	out, stale = map[string]progress{}, map[string]bool{}
	for i := range j.entries {
		e := &j.entries[i]
		if now, there := digests[e.Item]; there && now != e.Digest {
			stale[e.Item] = true
			continue
		}
		p := out[e.Item]
		p.activeMS += e.ActiveMS
		switch e.Kind {
		case KindAnswered:
			if p.answered == nil {
				p.answered = e
			}
			p.skipped = false
		case KindDecided:
			p.decided, p.skipped = e, false
		case KindSkipped:
			p.skipped = true
		}
		out[e.Item] = p
	}
	return out, stale
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func shorten(s string) string { return strings.ToValidUTF8(s[:min(len(s), 60)], "") }
