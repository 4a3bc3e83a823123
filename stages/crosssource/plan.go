package crosssource

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// PlanConfig says how evidence is spread over sources.
type PlanConfig struct {
	placement.Config
	Batch  int `json:"batch" doc:"how many items of all data sets share one group of people; those of simulated worlds have groups of their own"`
	People int `json:"people" doc:"how many people a batch of such items has"`
}

// SetDefaults is small.
func (c *PlanConfig) SetDefaults() {
	c.Config.SetDefaults()
	c.Batch, c.People = 20, 12
}

type planStage struct{ cfg PlanConfig }

func newPlan(c PlanConfig) (pipeline.Stage, error) {
	if c.Batch < 1 || c.Batch > 400 || c.People < 3 || c.People > 60 {
		return nil, fmt.Errorf("batch is %d and people %d; want 1 to 400 items and 3 to 60 people", c.Batch, c.People)
	}
	return planStage{c}, c.Check()
}

// Spec declares what is planned.
func (planStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameEvidenceItem, schemas.NameProfile}, Emits: []string{nameChannel}}
}

// Fold plans a batch after the other: items that name their group, which follow each other
// by id, then all others, dealt over batches. Its memory is that of people, of the names of
// items, and of heldItems of these.
func (s planStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	people, err := profilesByGroup(ctx, scope, in)
	if err != nil {
		return err
	}
	var b placement.Batch
	flush := func() error {
		done := b
		b = placement.Batch{}
		if len(done.Items) == 0 {
			return nil
		}
		return s.planBatch(scope, done, emit)
	}
	shared := map[string][]string{} // ids of items without a group, by data set
	err = eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
		if why := checkItem(item); why != nil {
			scope.Reject(item.ItemID, why)
			return nil
		}
		group := item.Question.Labels[labelBatch]
		if group == "" {
			shared[item.Dataset] = append(shared[item.Dataset], item.ItemID)
			return nil
		}
		if group != b.Name {
			if err := flush(); err != nil {
				return err
			}
			b = placement.Batch{Name: group, Profiles: people[group]}
		}
		b.Items = append(b.Items, item)
		return nil
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return s.planShared(ctx, scope, in, dealItems(scope.Rand("batches"), shared, s.cfg.Batch), people[""], emit)
}

// heldItems is how many items are held at once, where batches take them from all over.
const heldItems = 4000

// planShared plans the batches whose items are given by their ids.
func (s planStage) planShared(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, batches [][]string, people []schemas.Profile, emit func(pipeline.Record) error) error {
	for from := 0; from < len(batches); {
		held, seats := []placement.Batch{}, map[string]int{}
		for ; from < len(batches) && (len(held) == 0 || len(seats)+len(batches[from]) <= heldItems); from++ {
			for _, id := range batches[from] {
				seats[id] = len(held)
			}
			held = append(held, placement.Batch{Name: fmt.Sprintf("shared-%04d", from+1), Profiles: people})
		}
		err := eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
			if at, taken := seats[item.ItemID]; taken {
				held[at].Items = append(held[at].Items, item)
			}
			return nil
		})
		for _, b := range held {
			if err == nil {
				err = s.planBatch(scope, b, emit)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dealItems deals items over batches of at most so many, so that each batch has its share of
// every data set (SMMBench B.4).
func dealItems(rnd *rand.Rand, byDataset map[string][]string, size int) [][]string {
	type seat struct {
		id string
		at float64 // share of the items of its data set that come before it
	}
	var all []seat
	for _, dataset := range slices.Sorted(maps.Keys(byDataset)) {
		ids := byDataset[dataset]
		for place, i := range rnd.Perm(len(ids)) {
			all = append(all, seat{ids[i], (float64(place) + rnd.Float64()) / float64(len(ids))})
		}
	}
	slices.SortFunc(all, func(a, b seat) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	batches := make([][]string, (len(all)+size-1)/size)
	for i, s := range all {
		at := i * len(batches) / len(all)
		batches[at] = append(batches[at], s.id)
	}
	return batches
}

// profilesByGroup groups people; those without a group come under "". It rejects people
// who like and dislike the same.
func profilesByGroup(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection) (map[string][]schemas.Profile, error) {
	out := map[string][]schemas.Profile{}
	err := eachRecord(ctx, in, schemas.NameProfile, func(p schemas.Profile) error {
		if wrong := p.Problems(); len(wrong) > 0 {
			scope.Reject(p.ProfileID, pipeline.Reject(wrong[0].Code, "%s", wrong[0].Text))
			return nil
		}
		out[p.Attributes[labelBatch]] = append(out[p.Attributes[labelBatch]], p)
		return nil
	})
	return out, err
}

func (s planStage) planBatch(scope *pipeline.Scope, b placement.Batch, emit func(pipeline.Record) error) error {
	rnd := scope.Rand("batch", b.Name)
	if b.Items[0].Question.Labels[labelBatch] == "" {
		b.Profiles = s.peopleOfBatch(rnd.Perm(len(b.Profiles)), b)
	}
	b.Profiles = completePeople(rnd, b.Profiles)
	for i := range b.Items {
		b.Items[i] = tellBySubject(b.Items[i], b.Profiles)
	}
	tasks := [2]string{family + "/" + b.Name, family + "/" + b.Name + "-" + concentrated}
	placed, err := placement.PlanBatch(rnd, s.cfg.Config, b, tasks)
	if err != nil {
		return err
	}
	for _, l := range placed.Lost {
		scope.Reject(l.Item, pipeline.Reject(l.Code, "%s", l.Why))
	}
	for arrangement, list := range placed.Channels {
		if len(list) == 0 || len(placed.Lost) == len(b.Items) {
			continue
		}
		var out pipeline.RecordBuilder
		task := buildTask(tasks[arrangement], b, list)
		list[0].Task = &task
		for _, c := range list {
			out.Add(nameChannel, c.SessionID, c)
		}
		if err := emitRecord(out, emit); err != nil {
			return err
		}
	}
	return nil
}

// completePeople invents what chats must know of people and a data set does not say: a
// name, what they do, where they live and what they like.
func completePeople(rnd *rand.Rand, people []schemas.Profile) []schemas.Profile {
	var firsts []string
	for _, f := range people {
		first, _, _ := strings.Cut(f.Name, " ")
		firsts = append(firsts, first)
	}
	out := slices.Clone(people)
	for i := range out {
		f := &out[i]
		if knows := placement.Speaker(*f); knows.Name != "" && knows.Work != "" && knows.Town != "" && len(knows.Likes) > 0 {
			continue
		}
		p := simulate.Stranger(rnd, firsts)
		first, _, _ := strings.Cut(p.Name, " ")
		firsts = append(firsts, first)
		told := map[string]string{"work": p.Work, "lives in": p.Town, "likes": strings.Join(p.Likes, ", ")}
		maps.Copy(told, f.Attributes)
		f.Name, f.Attributes = cmp.Or(f.Name, p.Name), told
	}
	return out
}

// subject is how questions of data sets call somebody whom they do not name.
const subject = "this person"

// tellBySubject has the one person whom a question calls so tell all of its evidence that
// nobody tells yet: then the sources say who is meant, and the question can.
func tellBySubject(item schemas.EvidenceItem, people []schemas.Profile) schemas.EvidenceItem {
	at := slices.IndexFunc(people, func(f schemas.Profile) bool { return slices.Contains(item.Profiles, f.ProfileID) })
	if !strings.Contains(item.Question.Question, subject) || at < 0 {
		return item
	}
	item.Units = slices.Clone(item.Units)
	for i, u := range item.Units {
		if u.Role != schemas.RoleDistractor && u.Labels[placement.LabelSpeaker] == "" {
			labels := map[string]string{placement.LabelSpeaker: people[at].Name}
			maps.Copy(labels, u.Labels)
			item.Units[i].Labels = labels
		}
	}
	return item
}

func emitRecord(out pipeline.RecordBuilder, emit func(pipeline.Record) error) error {
	records, err := out.Records()
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// peopleOfBatch returns the people of the items, and others up to the size of a batch.
func (s planStage) peopleOfBatch(order []int, b placement.Batch) []schemas.Profile {
	var out []schemas.Profile
	about := func(p schemas.Profile) bool {
		return slices.ContainsFunc(b.Items, func(i schemas.EvidenceItem) bool { return slices.Contains(i.Profiles, p.ProfileID) })
	}
	for _, want := range []bool{true, false} {
		for _, i := range order {
			if p := b.Profiles[i]; about(p) == want && (want || len(out) < s.cfg.People) {
				out = append(out, p)
			}
		}
	}
	return out
}

// mostCommon returns the most frequent of sorted names.
func mostCommon(names []string) (out string) {
	most := 0
	for from := 0; from < len(names); {
		to := from
		for to < len(names) && names[to] == names[from] {
			to++
		}
		if to-from > most {
			most, out = to-from, names[from]
		}
		from = to
	}
	return out
}

func buildTask(id string, b placement.Batch, list []placement.Channel) schemas.Task {
	turns := 0
	var media []string
	for _, c := range list {
		turns += c.Turns()
		for _, s := range c.Slots {
			if s.Piece == nil {
				continue
			}
			for _, p := range s.Piece.Parts {
				if p.Media != "" {
					media = append(media, p.Media)
				}
			}
		}
	}
	slices.Sort(media)
	return schemas.Task{
		TaskID: id, Family: family, Domain: domain, Scenario: strings.ReplaceAll(mostCommon(b.Themes()), " ", "_"),
		Summary:       fmt.Sprintf("%d sources, %d turns, %d people", len(list), turns, len(b.Profiles)),
		SourceRecords: []string{b.Name}, Media: append([]string{}, slices.Compact(media)...),
	}
}
