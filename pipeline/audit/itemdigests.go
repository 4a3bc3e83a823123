package audit

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkBound holds the digest that each verdict carries against the row of what
// it judged. Of an item that the release does not hold, such as a dropped
// medium, nothing can be said: those are counted.
func checkBound(items *Items, c release.Contents) Part {
	b := itemDigests{Items: items, known: map[string]pipeline.Digest{}, kept: map[*recordPlace]pipeline.Digest{}}
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

// itemDigests works out the digests of items.
type itemDigests struct {
	*Items
	// known digests of released questions, which many gates judged; kept are those of
	// other records.
	known map[string]pipeline.Digest
	kept  map[*recordPlace]pipeline.Digest
}

// digest is that of the item of a verdict; known is false where no table has it.
func (b itemDigests) digest(v schemas.Verdict) (d pipeline.Digest, known bool, err error) {
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
	return b.other(v)
}

// other is the digest of an item that is no question, in whatever table it stands.
func (b itemDigests) other(v schemas.Verdict) (d pipeline.Digest, known bool, err error) {
	for _, f := range b.forms[v.Item] {
		if slices.Contains(f.JudgedBy, v.Gate) {
			d, err = pipeline.ItemDigest(flaggedRecord(f))
			return d, true, err
		}
	}
	list := b.others[v.Item]
	if len(list) == 0 || b.tooLarge[[2]string{v.Gate, v.Item}] {
		return "", false, nil
	}
	if d, known = b.kept[list[0]]; known {
		return d, true, nil
	}
	rec, err := b.item(list[0]).Record()
	if err == nil {
		d, err = pipeline.ItemDigest(rec)
	}
	if err == nil {
		b.kept[list[0]] = d
	}
	return d, true, err
}
