package rounds

import (
	"fmt"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Figures says how a round stands. Agreement and accuracy leave the keeper out.
type Figures struct {
	People []PersonFigures `json:"people"`
	// Agreement is of decisions: accept, revise, reject, or a label. Items have two or more.
	Agreement agreement.Raters `json:"agreement"`
	// Accuracy is the share of right answers among those that a rule can judge, Right of
	// Judged, apart for humans and model reviewers.
	Accuracy []Accuracy `json:"accuracy"`
	// MedianMS is the active time of an item, Long the share of items over two minutes.
	MedianMS int64   `json:"median_ms"`
	Long     float64 `json:"long"`
	// Disputed and Proposed are items.
	Disputed []string `json:"disputed"`
	Proposed []string `json:"proposed"`
}

// Accuracy is that of one sort of reviewers.
type Accuracy struct {
	Reviewer string `json:"reviewer"`
	agreement.Interval
	Right  int `json:"right"`
	Judged int `json:"judged"`
}

// PersonFigures are those of one annotator.
type PersonFigures struct {
	Name     string `json:"name"`
	Reviewer string `json:"reviewer"`
	Progress
	Right     int            `json:"right"`
	Judged    int            `json:"judged"`
	Decisions map[string]int `json:"decisions"`
	MedianMS  int64          `json:"median_ms"`
	// Stale counts items that were reviewed in another form.
	Stale int `json:"stale"`
}

// long is the active time of an item that took unusually long.
const long = 2 * time.Minute

// Figures returns the figures of the round as it stands.
func (r *Round) Figures() (Figures, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.figures != nil {
		return *r.figures, nil
	}
	f, err := r.measure()
	if err == nil {
		r.figures = &f
	}
	return f, err
}

func (r *Round) measure() (Figures, error) {
	var f Figures
	digests := r.digests()
	labels := map[string]map[string]string{}
	scores := map[string][]agreement.Score{}
	var times []int64
	for _, p := range r.People {
		person := p.DataName()
		all, stale := r.journals[person].progressByItem(digests)
		one := PersonFigures{Name: p.Name, Reviewer: r.Reviewer(person), Decisions: map[string]int{}, Stale: len(stale), Progress: Progress{Of: len(r.orders[person])}}
		var mine []int64
		for _, id := range r.orders[person] {
			done := all[id]
			if a := done.answered; a != nil && a.Answer.Right != nil {
				one.Judged++
				value := 0.0
				if *a.Answer.Right {
					one.Right++
					value = 1
				}
				scores[one.Reviewer] = append(scores[one.Reviewer], agreement.Score{Cluster: r.clusterOf(id), Value: value})
			}
			switch {
			case done.decided != nil:
				one.Progress.Decided++
				one.Decisions[done.decided.Decision]++
				mine = append(mine, done.activeMS)
				if labels[id] == nil {
					labels[id] = map[string]string{}
				}
				labels[id][person] = review.Verdict(done.decided.review(person, r.Name, ""))
			case done.skipped:
				one.Skipped++
			}
		}
		one.MedianMS = median(mine)
		times = append(times, mine...)
		f.People = append(f.People, one)
	}
	f.MedianMS = median(times)
	for _, t := range times {
		if t > long.Milliseconds() {
			f.Long += 1 / float64(len(times))
		}
	}
	for _, reviewer := range sortedKeys(scores) {
		a, err := r.accuracy(reviewer, scores[reviewer])
		if err != nil {
			return f, err
		}
		f.Accuracy = append(f.Accuracy, a)
	}
	f.Disputed, f.Proposed = r.open()
	var err error
	f.Agreement, err = r.agreementOf(labels)
	return f, err
}

func (r *Round) clusterOf(item string) string {
	if c := r.items[item].Cluster; c != "" {
		return c
	}
	return item
}

func (r *Round) accuracy(reviewer string, scores []agreement.Score) (Accuracy, error) {
	out := Accuracy{Reviewer: reviewer, Judged: len(scores)}
	for _, s := range scores {
		out.Right += int(s.Value)
	}
	var err error
	out.Interval, err = agreement.MeanInterval(scores, agreement.NewRand(r.Seed, "accuracy", r.Name, reviewer))
	return out, err
}

func (r *Round) agreementOf(labels map[string]map[string]string) (agreement.Raters, error) {
	var said []agreement.ItemLabels
	clusters := map[string]string{}
	for _, id := range sortedKeys(labels) {
		said = append(said, agreement.ItemLabels{Item: id, ByRater: labels[id]})
		clusters[id] = r.clusterOf(id)
	}
	out, err := agreement.MeasureAgreement(said, clusters, r.Seed, r.Name)
	if err != nil {
		return out, fmt.Errorf("agreement of round %s: %w", r.Name, err)
	}
	return out, nil
}

func median(all []int64) int64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// Said returns what was decided about an item, by person; decisions of the keeper too.
func (r *Round) Said(item string) map[string]Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]Entry{}
	for person, e := range r.decided() {
		if e.Item == item && r.items[item] != nil {
			out[person] = *e
		}
	}
	return out
}

// open lists the items that the keeper is to settle, and those with a proposal.
func (r *Round) open() (disputed, proposed []string) {
	said := map[string][]schemas.Review{}
	for person, e := range r.decided() {
		if r.items[e.Item] != nil {
			said[e.Item] = append(said[e.Item], e.review(person, r.Name, ""))
		}
	}
	for _, id := range sortedKeys(said) {
		m := review.FindMajority(said[id], r.Annotators, r.Keeper)
		if m.Decision == "" && len(said[id]) >= r.Annotators {
			disputed = append(disputed, id)
		}
		if slices.ContainsFunc(said[id], func(d schemas.Review) bool { return d.Decision == DecisionRevise }) {
			proposed = append(proposed, id)
		}
	}
	return disputed, proposed
}
