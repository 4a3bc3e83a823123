package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// HideGold removes from an item all that gives its gold away: the answer, roles of options
// and evidence, labels, explanations, statements about what is shown, earlier forms, what
// models said, and digests over any of it, which could be guessed.
func HideGold(item *catalog.Item) {
	q := &item.Question
	q.AnswerKey, q.AnswerText, q.AnswerCall, q.Explanation, q.Labels, q.Revisions, q.Basis = "", "", "", "", nil, nil, ""
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Role = ""
	}
	q.Evidence = slices.Clone(q.Evidence)
	for i := range q.Evidence {
		q.Evidence[i].Role = ""
	}
	for i := range item.Pieces {
		p := &item.Pieces[i]
		p.Role, p.Shown = "", nil
		if p.Medium != nil {
			p.Medium.Shown = nil
		}
	}
	for _, list := range [][]catalog.Medium{item.Media, item.QuestionMedia} {
		for i := range list {
			list[i].Shown = nil
		}
	}
	for i := range item.Verdicts {
		v := &item.Verdicts[i]
		v.Reason, v.ItemDigest, v.Probes = "", "", nil
	}
	item.Fact, item.Forms, item.Rejections, item.Reviews, item.SameFact, item.SameFactTotal = "", nil, nil, nil, nil, -1
}

// Evidence is what a page shows of the evidence of a question.
type Evidence struct {
	Films    []Film
	Talks    []talk
	Pictures []Picture
	Passages []passage
	// Task is that of a question without sessions in its evidence, More counts sessions that
	// are left out.
	Task string
	More int
}

// passage is a piece of evidence that is in no session and no film.
type passage struct {
	Number            int
	Text, Role, Class string
}

// Bounds of the evidence on one page.
const (
	mostTalks     = 24
	mostTurns     = 600  // of a session that is shown whole
	mostPageTurns = 1000 // of a page of a session
)

// LoadEvidence reads the evidence of an item. Without gold, which HideGold removed, no roles
// and memory points are shown; captions are another matter.
func LoadEvidence(ctx context.Context, c *catalog.Catalog, item catalog.Item, gold, captions bool) (Evidence, error) {
	var out Evidence
	with := show{gold, captions}
	films := map[string]bool{}
	for _, m := range item.Media {
		if m.Kind == schemas.ModalityVideo && !films[m.MediaID] {
			out.Films = append(out.Films, newFilm(len(out.Films)+1, m, &item.Question, with))
			films[m.MediaID] = true
		}
	}
	in := map[string][]pieceIn{}
	var order []string
	for i, p := range item.Pieces {
		id := p.SessionID
		if id == "" && p.Kind == schemas.EvidenceSession {
			id = p.Ref
		}
		switch medium, _, _, _ := mediaSpan(p.Evidence); {
		case id != "":
			if !slices.Contains(order, id) {
				order = append(order, id)
			}
			in[id] = append(in[id], pieceIn{p.Evidence, i + 1})
		case !films[medium] && (p.Text != "" || p.Medium == nil):
			out.Passages = append(out.Passages, passage{i + 1, cmp.Or(p.Text, p.Ref), p.Role, roleClasses[p.Role]})
		}
	}
	shown, err := out.addTalks(ctx, c, order, in, with)
	if err != nil {
		return out, err
	}
	for _, m := range item.Media {
		if !films[m.MediaID] && !shown[m.MediaID] {
			out.Pictures = append(out.Pictures, NewPicture(m, captions))
		}
	}
	if len(out.Talks) == 0 && len(out.Films) == 0 && item.Task != nil {
		out.Task = item.Task.TaskID
	}
	return out, nil
}

// KeepToItem removes what tells of other items: links to whole sessions, and memory points
// of turns that are no evidence.
func (e *Evidence) KeepToItem() {
	for i := range e.Talks {
		e.Talks[i].Session = ""
		for _, b := range e.Talks[i].Blocks {
			for j := range b.Turns {
				if b.Turns[j].Piece == 0 {
					b.Turns[j].Points = nil
				}
			}
		}
	}
}

// addTalks adds the sessions of evidence in their order, and returns the media that they show.
func (e *Evidence) addTalks(ctx context.Context, c *catalog.Catalog, ids []string, in map[string][]pieceIn, with show) (map[string]bool, error) {
	shown := map[string]bool{}
	var sessions []catalog.Session
	for i, id := range ids {
		if i == mostTalks {
			e.More = len(ids) - i
			break
		}
		s, err := c.Session(ctx, id)
		if errors.Is(err, catalog.ErrNotFound) {
			for _, p := range in[id] {
				e.Passages = append(e.Passages, passage{p.number, cmp.Or(p.Text, p.Ref), p.Role, roleClasses[p.Role]})
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, s)
	}
	slices.SortStableFunc(sessions, func(a, b catalog.Session) int { return cmp.Compare(a.Order, b.Order) })
	related := map[string]bool{}
	if with.Gold {
		related = relatedTurns(sessions, in)
	}
	for _, s := range sessions {
		t := newTalk(s, in[s.SessionID], with)
		t.fold(len(s.Turns) > mostTurns, related)
		e.Talks = append(e.Talks, t)
		for id := range s.Media {
			shown[id] = true
		}
	}
	return shown, nil
}

// NewPicture returns a picture of a release, with its caption if that is to be seen.
func NewPicture(m catalog.Medium, captions bool) Picture {
	p := Picture{Media: m.MediaID, Alt: "picture", Width: m.Width, Height: m.Height, Missing: absent(m)}
	if captions && m.Caption != "" {
		p.Captions = []part{{"caption", m.Caption}}
	}
	return p
}

// itemPage is the page of one question.
type itemPage struct {
	Head     Head
	Item     catalog.Item
	Evidence Evidence
	Gates    []Gate
	Outcomes string
	Labels   []part
	// Asks is what the type of the question asks, where the release says so.
	Asks, Setting string
	Pictures      []Picture
	Options       []optionView
	Sources       []string
	JSON          string
	Next          string
	Previous      string
	GoldShown     bool
}

type optionView struct {
	schemas.Option
	Right bool
	Says  string
}

// optionWords say what wrong options are.
var optionWords = map[string]string{
	schemas.RoleCorrect: "right", schemas.RoleIntrusion: "true of the other video",
	schemas.RoleUnrelated: "true of neither", schemas.RoleDistractor: "distractor",
}

// newItemPage lays an item out. sealed items had their gold hidden.
func newItemPage(ctx context.Context, c *catalog.Catalog, item catalog.Item, sealed bool) (itemPage, error) {
	evidence, err := LoadEvidence(ctx, c, item, !sealed, true)
	if err != nil {
		return itemPage{}, err
	}
	q := &item.Question
	p := itemPage{Item: item, Evidence: evidence, Gates: NewGates(q, item.Verdicts), Outcomes: countOutcomes(item.Verdicts), Setting: q.Setting}
	for _, m := range item.QuestionMedia {
		p.Pictures = append(p.Pictures, NewPicture(m, true))
	}
	for _, o := range q.Options {
		right := !sealed && o.Key == q.AnswerKey
		says := cmp.Or(optionWords[o.Role], o.Role)
		if right {
			says = "right"
		}
		p.Options = append(p.Options, optionView{o, right, says})
	}
	terms := c.Manifest.Terms[q.Family]
	p.Asks = terms.Types[q.Type]
	for k, v := range q.Labels {
		if says := terms.Labels[k+"="+v]; says != "" {
			v += ": " + says
		}
		p.Labels = append(p.Labels, part{k, v})
	}
	slices.SortFunc(p.Labels, func(a, b part) int { return cmp.Compare(a.Name, b.Name) })
	for _, piece := range item.Pieces {
		if id := piece.SourceID; id != "" && !slices.Contains(p.Sources, id) {
			p.Sources = append(p.Sources, id)
		}
	}
	if item.Released() {
		p.Head.Title = fmt.Sprintf("%s · %s %s", q.QuestionID, c.Manifest.Name, c.Manifest.Version)
	} else {
		p.Head.Title = fmt.Sprintf("%s, rejected · %s %s", q.QuestionID, c.Manifest.Name, c.Manifest.Version)
	}
	return p, nil
}
