package crosssource

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// dataset is what simulated worlds are called among data sets.
const dataset = "worlds"

// Labels of questions besides those that all families share.
const (
	labelTask        = "task"
	labelArrangement = "arrangement"
	labelTwin        = "twin"
	labelSources     = "sources"
	labelPieces      = "evidence"
	labelInterval    = "interval"
	labelTheme       = "theme"
	labelDataset     = "dataset"
	labelConflict    = "conflict"
	labelPreference  = "preference"
	// labelBatch keeps items together whose worlds are one.
	labelBatch = "batch"
)

// Arrangements of evidence (SMMBench 4.3).
const (
	distributed  = "distributed"
	concentrated = "concentrated"
)

func buildProfile(world string, n int, source string, p simulate.Person) schemas.Profile {
	id := fmt.Sprintf("%s-%02d", world, n)
	out := schemas.Profile{
		ProfileID: dataset + "/" + id, Dataset: dataset, UpstreamID: id, SourceID: source, License: license, Name: p.Name,
		Attributes: map[string]string{"work": p.Work, "lives in": p.Town, labelBatch: world},
	}
	for _, l := range p.Likes {
		out.Preferences = append(out.Preferences, schemas.Preference{Dimension: l, Level: "like", Text: "Likes " + l + "."})
	}
	return out
}

func worldItemID(world string, n int) string { return fmt.Sprintf("%s/%s/%03d", dataset, world, n) }

// buildItem converts an item of a world to the form of data sets. Its pictures are not
// drawn yet; place is that of the right option.
func buildItem(rnd *rand.Rand, world string, n, place int, w SimulatedWorld, in simulate.Item) schemas.EvidenceItem {
	id := worldItemID(world, n)
	out := schemas.EvidenceItem{ItemID: id, Dataset: dataset, UpstreamID: strings.TrimPrefix(id, dataset+"/"), SourceID: w.Source, License: license, Task: in.Task}
	out.Question = schemas.Question{
		QuestionID: id, Type: in.Task, Question: in.Ask, Tools: in.Tools, AnswerCall: in.Call, Explanation: in.Explanation,
		Labels: map[string]string{labelBatch: world, labelTheme: strings.ReplaceAll(w.World.Theme, " ", "_")},
	}
	switch in.Task {
	case schemas.TaskConflict:
		out.Question.Labels[labelConflict] = in.Variant
	case schemas.TaskPreference:
		out.Question.Labels[labelPreference] = in.Variant
	}
	if len(in.Options) > 0 {
		out.Question.SetOptions(shuffleOptions(rnd, place, in.Options)...)
	}
	for _, name := range in.About {
		at := slices.IndexFunc(w.World.People, func(p simulate.Person) bool { return p.Name == name })
		out.Profiles = append(out.Profiles, fmt.Sprintf("%s/%s-%02d", dataset, world, at))
	}
	for i, u := range in.Units {
		out.Units = append(out.Units, buildUnit(id, i, u))
	}
	return out
}

// shuffleOptions shuffles options and puts the first, the right one, at a place.
func shuffleOptions(rnd *rand.Rand, place int, options []string) []schemas.Option {
	list := []schemas.Option{}
	for _, i := range rnd.Perm(len(options) - 1) {
		list = append(list, schemas.Option{Text: options[i+1], Role: schemas.RoleDistractor})
	}
	return slices.Insert(list, place, schemas.Option{Text: options[0], Role: schemas.RoleCorrect})
}

func buildUnit(item string, n int, u simulate.Unit) schemas.EvidenceUnit {
	out := schemas.EvidenceUnit{
		UnitID: schemas.UnitIDOf(item, n+1), Dataset: dataset, Modality: schemas.ModalityText, Title: u.Title, Text: u.Text, Role: u.Role, Order: int32(n + 1),
		Labels: map[string]string{placement.LabelHome: u.Home},
	}
	for _, i := range u.Revises {
		out.Revises = append(out.Revises, schemas.UnitIDOf(item, i+1))
	}
	if u.Speaker != "" {
		out.Labels[placement.LabelSpeaker] = u.Speaker
	}
	if u.Like > 0 {
		out.Labels[placement.LabelLike], out.Labels[placement.LabelThread] = schemas.UnitIDOf(item, u.Like), strconv.Itoa(u.Thread)
	}
	if u.Swaps > 0 {
		out.Labels[placement.LabelSwaps] = schemas.UnitIDOf(item, u.Swaps)
	}
	switch {
	case u.Picture != nil:
		out.Modality = schemas.ModalityImage
		out.Labels[placement.LabelMinimal], out.Caption = captions(*u.Picture)
		out.Labels[placement.LabelType] = pictureType(u.Picture.Kind)
		if u.Picture.Kind == simulate.Sheet {
			out.Modality = schemas.ModalityTable
		}
	case len(u.Rows) > 0:
		out.Modality, out.Rows = schemas.ModalityTable, u.Rows
	}
	return out
}
