package audit

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkBound holds the digest that each verdict carries against the row of what
// it judged. Of an item that the release does not hold, such as a dropped
// medium, nothing can be said: those are counted.
func checkBound(c release.Contents) Part {
	b := binder{Items: ItemsOf(c), media: map[string]schemas.Media{}, tasks: map[string]schemas.Task{}, known: map[string]pipeline.Digest{}}
	for _, m := range c.Media {
		b.media[m.MediaID] = m
	}
	for _, t := range c.Tasks {
		b.tasks[t.TaskID] = t
	}
	var f findings
	unchecked := 0
	for _, v := range c.Verdicts {
		want, known, err := b.digest(v)
		switch {
		case err != nil:
			f.add("%s, verdict of %s: %v", v.Item, v.Gate, err)
		case !known:
			unchecked++
		case v.ItemDigest != string(want):
			f.add("%s: the verdict of %s is on an item of digest %q, its row has %s", v.Item, v.Gate, v.ItemDigest, want)
		}
	}
	p := part("items that the verdicts are on", f)
	p.Checked, p.Unchecked = len(c.Verdicts)-unchecked, unchecked
	if unchecked > 0 {
		p.Why = fmt.Sprintf("%d verdicts are on items that the release does not hold", unchecked)
	}
	return p
}

// binder works out the digests of items.
type binder struct {
	*Items
	media map[string]schemas.Media
	tasks map[string]schemas.Task
	// known digests of released questions, which many gates judged.
	known map[string]pipeline.Digest
}

// digest is that of the item of a verdict; known is false where no table has it.
func (b binder) digest(v schemas.Verdict) (d pipeline.Digest, known bool, err error) {
	if q := b.Question(v.Item, v.Gate); q != nil {
		if q != b.released[v.Item] {
			d, err = pipeline.QuestionDigest(*q)
			return d, true, err
		}
		if d, known = b.known[v.Item]; !known {
			d, err = pipeline.QuestionDigest(*q)
			b.known[v.Item] = d
		}
		return d, true, err
	}
	if m, ok := b.media[v.Item]; ok {
		d, err = pipeline.MediaDigest(m)
		return d, true, err
	}
	if t, ok := b.tasks[v.Item]; ok {
		d, err = pipeline.TaskDigest(t)
		return d, true, err
	}
	return "", false, nil
}
