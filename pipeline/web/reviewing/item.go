package reviewing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// blindPage is all that is sent before an answer. It follows from rounds.Blind and from the
// size of its media.
type blindPage struct {
	Head web.Head `json:"-"`
	rounds.Blind
	// Request is that of the answer, Form names what is shown.
	Request string `json:"request"`
	Form    string `json:"form"`
	// Back is the handle of the item before.
	Back     string        `json:"back,omitempty"`
	Films    []web.Film    `json:"-"`
	Passages []passage     `json:"-"`
	Own      []web.Picture `json:"-"`
	// Error says why an answer was refused; Chosen, Text and Sure are what was sent.
	Error  string `json:"-"`
	Chosen string `json:"-"`
	Text   string `json:"-"`
	Sure   string `json:"-"`
}

// passage is a piece with its picture.
type passage struct {
	Text, When string
	Picture    *web.Picture
}

// item shows an item blind until it is answered, then with its gold.
func (p *Pages) item(w http.ResponseWriter, r *http.Request, person string) error {
	it, ok := p.round.Find(person, r.PathValue("handle"))
	if !ok {
		return &pageError{http.StatusNotFound, "There is no such item in your order."}
	}
	if p.round.State(person, it.QuestionID).Answered != nil {
		return p.writeDecide(w, r, person, it, http.StatusOK, "", nil)
	}
	page, err := p.blind(r.Context(), person, it)
	if err != nil {
		return err
	}
	if _, err := p.round.Act(person, rounds.Entry{Request: "shown " + page.Handle + " " + it.Digest[:16], Kind: rounds.KindShown, Item: it.QuestionID, Digest: it.Digest}); err != nil {
		return err
	}
	if wantsJSON(r) {
		web.WriteJSON(w, http.StatusOK, page)
		return nil
	}
	p.render.Write(w, http.StatusOK, "blind", page)
	return nil
}

// writeRefused shows the form of an answer again, with its contents and why it was refused.
func (p *Pages) writeRefused(w http.ResponseWriter, r *http.Request, page blindPage, reason string) error {
	if wantsJSON(r) {
		return &pageError{http.StatusUnprocessableEntity, reason}
	}
	form := r.PostForm
	page.Error, page.Chosen, page.Text, page.Sure = reason, form.Get("answer"), form.Get("text"), form.Get("sure")
	p.render.Write(w, http.StatusUnprocessableEntity, "blind", page)
	return nil
}

func (p *Pages) blind(ctx context.Context, person string, it *rounds.Item) (blindPage, error) {
	b, err := p.round.Blind(person, it.QuestionID, p.show)
	if err != nil {
		return blindPage{}, err
	}
	item, err := p.catalog.Item(ctx, it.QuestionID)
	if err != nil {
		return blindPage{}, err
	}
	media := mediaOf(item)
	if len(it.Evidence) == 0 && len(it.Media) == 0 && item.Checkpoint != nil {
		if err := p.addHistory(ctx, &b, item.Checkpoint.Sessions, media); err != nil {
			return blindPage{}, err
		}
	}
	if err := p.addDates(ctx, &b, item); err != nil {
		return blindPage{}, err
	}
	for i := range b.Pieces {
		b.Pieces[i].Video = media[b.Pieces[i].Media].Kind == schemas.ModalityVideo
	}
	form, err := json.Marshal(b)
	if err != nil {
		return blindPage{}, fmt.Errorf("form of item %d: %w", b.Place, err)
	}
	sum := sha256.Sum256(form)
	page := blindPage{Head: p.head(person, fmt.Sprintf("Review %d of %d", b.Place, b.Of), "q", "question"), Blind: b, Request: p.newID(), Form: hex.EncodeToString(sum[:12])}
	if _, before := p.round.Place(person, it.QuestionID); before != "" {
		page.Back = p.round.Handle(person, before)
	}
	page.lay(media)
	page.Head.Keys = keysOf(answerKeys, page.Back != "", len(page.Films) > 0)
	return page, nil
}

// mediaOf returns the media of an item by their id.
func mediaOf(item catalog.Item) map[string]catalog.Medium {
	out := map[string]catalog.Medium{}
	for _, m := range append(slices.Clone(item.Media), item.QuestionMedia...) {
		out[m.MediaID] = m
	}
	for _, piece := range item.Pieces {
		if piece.Medium != nil {
			out[piece.Medium.MediaID] = *piece.Medium
		}
	}
	return out
}

// lay lays pieces out: spans of one video on one film, texts with their pictures.
func (b *blindPage) lay(media map[string]catalog.Medium) {
	at := map[string]int{}
	for _, piece := range b.Pieces {
		m := media[piece.Media]
		switch {
		case piece.Video:
			i, known := at[piece.Media]
			if !known {
				i, at[piece.Media] = len(b.Films), len(b.Films)
				b.Films = append(b.Films, web.NewFilm(i+1, piece.Media, m))
				b.Films[i].Facts = fmt.Sprintf("film %d, %.2f s", i+1, m.Duration)
			}
			if piece.To > 0 {
				f := &b.Films[i]
				f.Spans = append(f.Spans, web.Span{Number: len(f.Spans) + 1, From: piece.From, To: piece.To, Class: "ctx"})
				f.Open = fmt.Sprintf("#t=%.3f,%.3f", f.Spans[0].From, f.Spans[0].To)
			}
			if piece.Text != "" {
				b.Passages = append(b.Passages, passage{Text: piece.Text})
			}
		case piece.Own:
			b.Own = append(b.Own, web.NewPicture(m, false))
		case piece.Media != "":
			shown := web.NewPicture(m, false)
			b.Passages = append(b.Passages, passage{piece.Text, piece.When, &shown})
		case piece.Text != "":
			b.Passages = append(b.Passages, passage{Text: piece.Text, When: piece.When})
		}
	}
}

// answer keeps a blind answer, then shows the gold.
func (p *Pages) answer(w http.ResponseWriter, r *http.Request, person string) error {
	it, e, err := p.entry(r, person, rounds.KindAnswered)
	if err != nil {
		return err
	}
	page, err := p.blind(r.Context(), person, it)
	if err != nil {
		return err
	}
	answered := p.round.State(person, it.QuestionID).Answered != nil
	if !answered && page.Form != r.PostForm.Get("form") {
		return &pageError{http.StatusConflict, "The question was changed since you opened the page. Go back and load it again."}
	}
	reason := p.fillAnswer(person, it, &e, r.PostForm)
	if reason != "" && !answered {
		return p.writeRefused(w, r, page, reason)
	}
	if _, err := p.round.Act(person, e); err != nil {
		refused := refusal(err)
		switch {
		case refused == "":
			return err
		case answered:
			return p.writeDecide(w, r, person, it, http.StatusConflict, refused, nil)
		}
		return p.writeRefused(w, r, page, refused)
	}
	return p.goTo(w, r, "/review/item/"+p.round.Handle(person, it.QuestionID))
}

// fillAnswer reads an answer from a form. The reason says why it cannot be kept.
func (p *Pages) fillAnswer(person string, it *rounds.Item, e *rounds.Entry, form url.Values) (reason string) {
	e.Answer = &rounds.Answer{Text: strings.TrimSpace(form.Get("text")), Sure: form.Get("sure")}
	if reason := checkAnswerForm(form); reason != "" {
		return reason
	}
	switch given := form.Get("answer"); {
	case given == "" && (len(it.Options) > 0 || e.Answer.Text == ""):
		return "Answer, or say that it cannot be told."
	case given == "0":
		e.Answer.Text = ""
	case len(it.Options) > 0:
		place, _ := strconv.Atoi(given) // what is no number is no place
		key, ok := p.round.OptionAt(person, it, place)
		if !ok {
			return "There is no such option."
		}
		e.Answer.Option, e.Answer.Text = key, ""
	case given != "":
		return "The question has no options."
	}
	return ""
}
