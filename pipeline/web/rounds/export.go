package rounds

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/schemas"
)

// Record is one line of answers.jsonl: what builds do not read.
type Record struct {
	Item      string `json:"item"`
	Annotator string `json:"annotator"`
	// Reviewer is "human" or "model reviewer".
	Reviewer string            `json:"reviewer"`
	Digest   string            `json:"digest"`
	Answer   *Answer           `json:"answer,omitempty"`
	Decision string            `json:"decision,omitempty"`
	Label    string            `json:"label,omitempty"`
	Note     string            `json:"note,omitempty"`
	Criteria map[string]string `json:"criteria,omitempty"`
	ActiveMS int64             `json:"active_ms"`
	Shown    string            `json:"shown,omitempty"`
	Decided  string            `json:"decided,omitempty"`
	// Stale says that the item has another form in the release that is open.
	Stale bool `json:"stale,omitempty"`
}

// Persons are all that have a journal, with the names that data carry, sorted.
func (r *Round) Persons() []string { return sortedKeys(r.journals) }

func (r *Round) isModel(person string) bool {
	return slices.ContainsFunc(r.People, func(p Person) bool { return p.Model && p.DataName() == person })
}

// Reviewer says what a person is in data.
func (r *Round) Reviewer(person string) string {
	if r.isModel(person) {
		return strings.TrimSpace(schemas.ModelReviewer)
	}
	return "human"
}

// Decisions returns the decisions as builds read them. Those about another form of an item
// are left out, and so are proposals.
func (r *Round) Decisions() []schemas.Review {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.decisions()
}

func (r *Round) decisions() (out []schemas.Review) {
	for person, e := range r.decided() {
		if e.Decision != DecisionRevise {
			out = append(out, e.review(person, r.Name, r.stratumOf(e.Item)))
		}
	}
	slices.SortFunc(out, func(a, b schemas.Review) int {
		return cmp.Or(strings.Compare(a.Item, b.Item), strings.Compare(a.Annotator, b.Annotator))
	})
	return out
}

// decided yields who decided what about items as they are now, by person and item.
func (r *Round) decided() iter.Seq2[string, *Entry] {
	return func(yield func(string, *Entry) bool) {
		digests := r.digests()
		for _, person := range r.Persons() {
			all, _ := r.journals[person].progressByItem(digests)
			for _, id := range sortedKeys(all) {
				if e := all[id].decided; e != nil && !yield(person, e) {
					return
				}
			}
		}
	}
}

func (r *Round) stratumOf(item string) string {
	if it := r.items[item]; it != nil {
		return strings.Join(it.Stratum, ", ")
	}
	return ""
}

// Proposals returns the proposals that stand: of each person and item the last decision, if
// it has changes. They stay when the release has them, because every build begins from the
// original again.
func (r *Round) Proposals() (out []schemas.Proposal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, person := range r.Persons() {
		last := map[string]Entry{}
		for _, e := range r.journals[person].entries {
			if e.Kind == KindDecided {
				last[e.Item] = e
			}
		}
		for _, id := range sortedKeys(last) {
			if e := last[id]; e.Decision == DecisionRevise && len(e.Changes) > 0 {
				out = append(out, e.proposal(person, r.Name))
			}
		}
	}
	slices.SortFunc(out, func(a, b schemas.Proposal) int {
		return cmp.Or(strings.Compare(a.Item, b.Item), strings.Compare(a.Annotator, b.Annotator))
	})
	return out
}

// Records returns answers, criteria and timings, by person, item and form.
func (r *Round) Records() (out []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	digests := r.digests()
	for _, person := range r.Persons() {
		at := map[[2]string]int{}
		for _, e := range r.journals[person].entries {
			key := [2]string{e.Item, e.Digest}
			i, known := at[key]
			if !known {
				i, at[key] = len(out), len(out)
				now, there := digests[e.Item]
				out = append(out, Record{Item: e.Item, Annotator: person, Reviewer: r.Reviewer(person), Digest: e.Digest, Stale: there && now != e.Digest})
			}
			out[i].add(e)
		}
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(strings.Compare(a.Annotator, b.Annotator), strings.Compare(a.Item, b.Item), strings.Compare(a.Digest, b.Digest))
	})
	return out
}

func (rec *Record) add(e Entry) {
	rec.ActiveMS += e.ActiveMS
	switch e.Kind {
	case KindShown:
		rec.Shown = cmp.Or(rec.Shown, e.Time)
	case KindAnswered:
		if rec.Answer == nil {
			rec.Answer = e.Answer
		}
	case KindDecided:
		rec.Decision, rec.Label, rec.Note, rec.Criteria, rec.Decided = e.Decision, e.Label, e.Note, e.Criteria, e.Time
	}
}

// Exported are the files of an export.
type Exported struct{ Decisions, Proposals, Records string }

// Files returns where Export writes: decisions beside the folder of the round, where the
// source reviews reads them.
func (r *Round) Files() Exported {
	return Exported{r.dir + ".jsonl", filepath.Join(r.dir, "proposals.jsonl"), filepath.Join(r.dir, "answers.jsonl")}
}

// Export writes decisions, proposals, and answers with timings, each whole or not at all.
func (r *Round) Export() error {
	at := r.Files()
	if err := writeLines(at.Decisions, r.Decisions()); err != nil {
		return err
	}
	if err := writeLines(at.Proposals, r.Proposals()); err != nil {
		return err
	}
	return writeLines(at.Records, r.Records())
}

func writeLines[T any](path string, all []T) error {
	err := atomicfile.Write(path, 0o644, func(w io.Writer) error { return WriteLines(w, all) })
	if err != nil {
		return fmt.Errorf("export %s: %w", path, err)
	}
	return nil
}

// WriteLines writes values as JSON lines.
func WriteLines[T any](w io.Writer, all []T) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return b.Flush()
}
