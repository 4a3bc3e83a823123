package crosssource

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/written"
)

// datasetKept is what written environments are called among data sets.
const datasetKept = "crosssource.kept"

// Labels of questions about written environments.
const (
	labelOrigin   = "origin"
	labelReadings = "readings"
)

// codeEnvironment is the code of a file that is no sound environment.
const codeEnvironment = "bad-environment"

// mostEnvironment bounds the file of an environment.
const mostEnvironment = 16 << 20

// KeptConfig names a folder of written environments.
type KeptConfig struct {
	Path    string   `json:"path" doc:"folder with a file an environment, relative to pipeline.yaml"`
	Include []string `json:"include" doc:"patterns of the files"`
	License string   `json:"license" doc:"SPDX id of the licence of the environments"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *KeptConfig) SetDefaults() {
	*c = KeptConfig{Path: "environments", Include: []string{"*.json"}, License: license}
}

type keptSource struct{ cfg KeptConfig }

func newKept(c KeptConfig) (pipeline.Source, error) {
	if c.Path == "" || len(c.Include) == 0 {
		return nil, errors.New("path and include: required; name the folder with the environments, and its files")
	}
	_, err := glob.Compile(c.Include, nil)
	return keptSource{c}, err
}

// Spec declares what is given: what crosssource.write gives, with the items and pictures.
func (s keptSource) Spec() pipeline.Spec {
	return pipeline.Spec{
		Emits:   []string{schemas.NameEvidenceItem, schemas.NameTask, schemas.NameSession, schemas.NameMedia, namePosition, namePicture, nameEnvironment},
		License: s.cfg.License,
	}
}

// Needs names the folder.
func (s keptSource) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Local, Root: s.cfg.Path, Include: s.cfg.Include, MaxBytes: mostEnvironment, License: s.cfg.License}}
}

// Read gives the environments. A file that is none, or of which something does not follow, is
// rejected with the reasons.
func (s keptSource) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	seen := map[string]bool{}
	studio := draw.NewStudio()
	for _, a := range slices.SortedFunc(slices.Values(assets), func(a, b pipeline.Asset) int { return cmp.Compare(a.Path, b.Path) }) {
		b, err := scope.ReadBlob(ctx, a.Blob, mostEnvironment)
		if err != nil {
			return fmt.Errorf("read the environment of %s: %w", a.Path, err)
		}
		e, err := written.Parse(b)
		if err == nil && seen[e.Plan.ID] {
			err = fmt.Errorf("another file has the environment %q, too", e.Plan.ID)
		}
		if err != nil {
			scope.Reject(a.Path, pipeline.Reject(codeEnvironment, "%v", err))
			continue
		}
		seen[e.Plan.ID] = true
		k := keptEnvironment{Environment: e, scope: scope, source: scope.Name(), license: s.cfg.License, task: family + "/" + e.Plan.ID, media: map[string]schemas.Media{}}
		var why *pipeline.Rejection
		if err := k.drawPictures(ctx, studio); errors.As(err, &why) {
			scope.Reject(a.Path, why)
			continue
		} else if err != nil {
			return fmt.Errorf("environment %s: %w", e.Plan.ID, err)
		}
		if err := k.addSources(b); err != nil {
			return fmt.Errorf("environment %s: %w", e.Plan.ID, err)
		}
		for n := range e.Questions {
			if err := k.addItem(n); err != nil {
				return fmt.Errorf("environment %s: %w", e.Plan.ID, err)
			}
		}
		if err := emitRecord(k.out, emit); err != nil {
			return err
		}
	}
	return nil
}

// keptEnvironment turns an environment into records.
type keptEnvironment struct {
	written.Environment
	scope    *pipeline.Scope
	source   string // name of the step
	license  string
	task     string
	media    map[string]schemas.Media // by the picture's id
	sessions []schemas.Session
	out      pipeline.RecordBuilder
}

func (k *keptEnvironment) drawPictures(ctx context.Context, studio *draw.Studio) error {
	for _, x := range k.Plan.Pictures {
		picture := simulate.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns, Rows: x.Rows}
		canvas, err := drawPicture(studio, pickTheme(k.scope.Rand(k.task, x.ID), x.Kind), picture)
		if err != nil {
			return pipeline.Reject(codeEnvironment, "picture %s: %v", x.ID, err)
		}
		m, err := canvas.Store(ctx, k.scope, draw.MimePicture, license)
		if err != nil {
			return fmt.Errorf("picture %s: %w", x.ID, err)
		}
		m.License = k.license
		if !slices.ContainsFunc(k.Plan.Pictures, func(o written.Picture) bool { return k.media[o.ID].MediaID == m.MediaID }) {
			k.out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
			k.out.Add(namePicture, pictureID(m.MediaID), renderedPicture(m.MediaID, picture), pipeline.Digest(m.MediaID))
		}
		k.media[x.ID] = m
	}
	return nil
}

// handleOf returns what a picture is called in its environment.
func (k *keptEnvironment) handleOf(x written.Picture) string {
	return placement.Handle(schemas.EvidenceUnit{UnitID: k.task + "/" + x.ID, Modality: schemas.ModalityImage})
}

// EnvironmentRow is a row of the table crosssource_environments: the file of a written
// environment, with its plan and what readers found.
type EnvironmentRow struct {
	EnvironmentID string `json:"environment_id"`
	TaskID        string `json:"task_id"`
	Environment   string `json:"environment"`
}

// addSources adds the sources, their task and the file.
func (k *keptEnvironment) addSources(file []byte) error {
	k.buildSessions()
	var text bytes.Buffer
	if err := json.Compact(&text, file); err != nil {
		return err
	}
	id := k.task + "/environment"
	k.out.Add(nameEnvironment, id, EnvironmentRow{id, k.task, text.String()})
	k.out.Add(schemas.NameTask, k.task, k.taskRow())
	for _, s := range k.sessions {
		k.out.Add(schemas.NameSession, s.SessionID, s)
	}
	return nil
}

// taskRow returns the task of the environment.
func (k *keptEnvironment) taskRow() schemas.Task {
	turns := 0
	for _, s := range k.sessions {
		turns += len(s.Turns)
	}
	return schemas.Task{
		TaskID: k.task, Family: family, Domain: domain, Scenario: strings.ReplaceAll(k.Plan.Theme, " ", "_"),
		Summary:       fmt.Sprintf("%d sources, %d turns, %d people; written by %s, read again by %s", len(k.sessions), turns, len(k.Plan.People), k.Origin.Author, strings.Join(k.Origin.Readers, ", ")),
		SourceRecords: []string{k.Plan.ID}, Media: schemas.ShownMedia(k.sessions),
	}
}

// buildSessions builds the sources. Turns stand in one stream, by their times.
func (k *keptEnvironment) buildSessions() {
	type seat struct {
		source, turn int
		at           string
	}
	var stream []seat
	for n, s := range k.Sources {
		for i, t := range s.Turns {
			stream = append(stream, seat{n, i, t.At})
		}
	}
	slices.SortStableFunc(stream, func(a, b seat) int { return strings.Compare(a.at, b.at) })
	position := map[[2]int]int64{}
	for i, s := range stream {
		position[[2]int{s.source, s.turn}] = int64(i + 1)
	}
	for n, of := range k.Plan.Sources {
		s := schemas.Session{SessionID: schemas.SessionIDOf(k.task, n), TaskID: k.task, Kind: of.Kind, Title: of.Title, Order: int32(n), Participants: append([]string{}, of.Members...)}
		for i, t := range k.Sources[n].Turns {
			turn := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Position: position[[2]int{n, i}], Timestamp: t.At, Role: schemas.TurnEnvironment, Speaker: t.By, Text: t.Text}
			if t.By != "" {
				turn.Role = schemas.TurnUser
			}
			if at := slices.IndexFunc(k.Plan.Pictures, func(x written.Picture) bool { return x.ID == t.Picture }); at >= 0 {
				x := k.Plan.Pictures[at]
				minimal, dense := captions(simulate.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns, Rows: x.Rows})
				turn.Attachments = []schemas.Attachment{{AttachmentID: k.handleOf(x), MediaID: k.media[x.ID].MediaID, Type: pictureType(x.Kind), Caption: dense, MinimalCaption: minimal, TaskAwareCaption: dense}}
			}
			s.Turns = append(s.Turns, turn)
		}
		k.sessions = append(k.sessions, s)
	}
}

// addItem adds a question with its pieces, and where these stand.
func (k *keptEnvironment) addItem(n int) error {
	item, seats, err := k.item(n)
	if err != nil {
		return fmt.Errorf("question %d: %w", n+1, err)
	}
	var blobs []pipeline.Digest
	for _, shown := range item.ShownMedia() {
		at := slices.IndexFunc(k.Plan.Pictures, func(x written.Picture) bool { return k.media[x.ID].MediaID == shown })
		item.Media, blobs = append(item.Media, k.media[k.Plan.Pictures[at].ID]), append(blobs, pipeline.Digest(shown))
	}
	if wrong := item.Problems(); len(wrong) > 0 {
		k.scope.Reject(item.ItemID, pipeline.Reject(wrong[0].Code, "%s", wrong[0].Text))
		return nil
	}
	k.out.Add(schemas.NameEvidenceItem, item.ItemID, item, blobs...)
	for _, p := range k.positions(item, seats) {
		k.out.Add(namePosition, k.task+"/"+p.UnitID, p)
	}
	return nil
}

// item returns a question with its pieces, and where these stand: facts of one turn are one
// piece.
func (k *keptEnvironment) item(n int) (item schemas.EvidenceItem, seats []written.Piece, err error) {
	q := k.Questions[n]
	gold, err := k.Plan.Gold(q)
	if err != nil {
		return item, nil, err
	}
	id := fmt.Sprintf("%s/%s/%03d", datasetKept, k.Plan.ID, n+1)
	item = schemas.EvidenceItem{ItemID: id, Dataset: datasetKept, UpstreamID: fmt.Sprintf("%s/%03d", k.Plan.ID, n+1), SourceID: k.source, License: k.license, Task: q.Type}
	item.Question = schemas.Question{QuestionID: id, Type: q.Type, Question: q.Text, Tools: q.Tools, AnswerCall: gold.Call, Labels: map[string]string{labelTheme: strings.ReplaceAll(k.Plan.Theme, " ", "_"), labelOrigin: written.OriginWritten}}
	var options []schemas.Option
	for i, o := range q.Options {
		role := schemas.RoleDistractor
		if i == gold.Right {
			role = schemas.RoleCorrect
		}
		options = append(options, schemas.Option{Text: o.Text, Role: role})
	}
	if len(options) > 0 {
		item.Question.SetOptions(options...)
	}
	least, unitOf := written.Vote{}, map[string]string{}
	for _, fact := range q.Facts {
		f, _ := k.Plan.FactByID(fact)
		p, err := k.Place(f)
		if err != nil {
			return item, nil, err
		}
		if least.Of == 0 || p.Vote.For*least.Of < least.For*p.Vote.Of {
			least = p.Vote
		}
		at := slices.IndexFunc(seats, func(o written.Piece) bool { return o.Source == p.Source && o.Turn == p.Turn })
		if at < 0 {
			at, seats = len(seats), append(seats, p)
			item.Units = append(item.Units, k.unit(id, at, f, p))
		}
		unitOf[fact] = item.Units[at].UnitID
		for _, old := range f.Supersedes {
			if of, asked := unitOf[old]; asked && q.Type == schemas.TaskConflict {
				i := slices.IndexFunc(item.Units, func(u schemas.EvidenceUnit) bool { return u.UnitID == of })
				item.Units[i].Role = schemas.RoleSuperseded
				item.Units[at].Role, item.Units[at].Revises = schemas.RoleUpdate, append(item.Units[at].Revises, of)
			}
		}
	}
	item.Question.Labels[labelReadings] = fmt.Sprintf("%d of %d", least.For, least.Of)
	return item, seats, nil
}

// unit returns the piece of evidence that a turn is.
func (k *keptEnvironment) unit(item string, n int, f written.Fact, p written.Piece) schemas.EvidenceUnit {
	t := k.sessions[p.Source].Turns[p.Turn-1]
	out := schemas.EvidenceUnit{UnitID: schemas.UnitIDOf(item, n+1), Dataset: datasetKept, Modality: schemas.ModalityText, Text: t.Text, Role: schemas.RoleClue, Order: int32(n + 1), Labels: map[string]string{}}
	if f.By != "" {
		out.Labels[placement.LabelSpeaker] = f.By
	}
	if len(t.Attachments) > 0 {
		a := t.Attachments[0]
		out.Modality, out.Text, out.Media, out.Caption = schemas.ModalityImage, "", a.MediaID, a.Caption
		out.Labels[placement.LabelMinimal], out.Labels[placement.LabelType] = a.MinimalCaption, a.Type
	}
	return out
}

// positions returns where the pieces of an item stand, with the turns beside them.
func (k *keptEnvironment) positions(item schemas.EvidenceItem, seats []written.Piece) (out []PiecePosition) {
	for n, at := range seats {
		s := k.sessions[at.Source]
		turn := s.Turns[at.Turn-1]
		spot := PiecePosition{TaskID: k.task, ItemID: item.ItemID, UnitID: item.Units[n].UnitID, SessionID: s.SessionID, Kind: s.Kind, Speaker: turn.Speaker, Participants: s.Participants, Turns: []schemas.Turn{turn}, Around: []string{}}
		if len(turn.Attachments) > 0 {
			spot.Handle = turn.Attachments[0].AttachmentID
		}
		for _, beside := range []int{at.Turn - 2, at.Turn} {
			if beside >= 0 && beside < len(s.Turns) {
				spot.Around = append(spot.Around, s.Turns[beside].Text)
			}
		}
		out = append(out, spot)
	}
	return out
}

// readKept returns the written environment of a task, nil for a task that has none.
func readKept(p pipeline.Premises, sessions []schemas.Session, exhibits []RenderedPicture) (*keptEnvironment, error) {
	rows, err := pipeline.PremiseRecords[EnvironmentRow](p, nameEnvironment)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	e, err := written.Parse([]byte(rows[0].Environment))
	if err != nil {
		return nil, fmt.Errorf("the environment of %s: %w", rows[0].TaskID, err)
	}
	k := &keptEnvironment{Environment: e, task: rows[0].TaskID, media: map[string]schemas.Media{}}
	for _, x := range e.Plan.Pictures {
		for _, r := range exhibits {
			if same := renderedPicture(r.MediaID, simulate.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns, Rows: x.Rows}); reflect.DeepEqual(r, same) {
				k.media[x.ID] = schemas.Media{MediaID: r.MediaID}
			}
		}
	}
	k.buildSessions()
	if len(sessions) != len(k.sessions) {
		return nil, fmt.Errorf("it has %d sources, and its environment %d", len(sessions), len(k.sessions))
	}
	for i, s := range sessions {
		s.Participants = withoutEmpty(s.Participants)
		have, err := pipeline.Canonical(s)
		if err != nil {
			return nil, err
		}
		if want, err := pipeline.Canonical(k.sessions[i]); err != nil || !bytes.Equal(have, want) {
			return nil, fmt.Errorf("source %s differs from its environment", s.SessionID)
		}
	}
	return k, nil
}

// question returns a question as it follows from the environment.
func (k *keptEnvironment) question(q schemas.Question) (schemas.Question, error) {
	for n := range k.Questions {
		item, seats, err := k.item(n)
		if err != nil || item.ItemID != q.Labels[schemas.LabelFact] {
			continue
		}
		for _, p := range buildPlacements(item, map[string][]PiecePosition{k.task: k.positions(item, seats)}) {
			return buildQuestion(item, p, false), nil
		}
	}
	return q, fmt.Errorf("its environment %s asks nothing of the name %q", k.Plan.ID, q.Labels[schemas.LabelFact])
}
