package reviewing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// mostTurns is how many turns of a history one page shows.
const mostTurns = 1500

// addHistory shows the last turns of the sessions that a question may rest on, where no
// single piece is its evidence.
func (p *Pages) addHistory(ctx context.Context, b *rounds.Blind, sessions []string, media map[string]catalog.Medium) error {
	left, cut, out := mostTurns, false, []rounds.Piece{}
	for i, id := range slices.Backward(sessions) {
		s, err := p.catalog.Session(ctx, id)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("history of item %d: %w", b.Place, err)
		}
		if left -= len(s.Turns); left < 0 && len(out) > 0 {
			cut = true
			break
		}
		maps.Copy(media, s.Media)
		pieces := []rounds.Piece{{Text: fmt.Sprintf("Session %d %s", i+1, s.Date)}}
		for _, turn := range s.Turns {
			pieces = append(pieces, rounds.Piece{Text: turn.Line()})
			for _, a := range turn.Attachments {
				pieces = append(pieces, rounds.Piece{Media: a.MediaID})
			}
		}
		out = append(pieces, out...)
	}
	switch {
	case len(out) == 0:
		return nil
	case cut:
		b.History = "The question is about all that came before it, so the history up to it is shown. It is long: its first sessions are left out."
	default:
		b.History = "The question is about all that came before it, so the whole history up to it is shown."
	}
	b.Pieces = append(b.Pieces, out...)
	return nil
}

// addDates says when the turns that pieces quote were said, where their texts do not.
func (p *Pages) addDates(ctx context.Context, b *rounds.Blind, item catalog.Item) error {
	turns := map[string][]schemas.Turn{} // by session
	for _, of := range item.Pieces {
		i := slices.IndexFunc(b.Pieces, func(shown rounds.Piece) bool { return shown.Text == of.Text && shown.When == "" })
		if of.TurnID == "" || of.Text == "" || strings.HasPrefix(of.Text, "[") || i < 0 {
			continue
		}
		if _, known := turns[of.SessionID]; !known {
			s, err := p.catalog.Session(ctx, of.SessionID)
			if err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return fmt.Errorf("dates of item %d: %w", b.Place, err)
			}
			turns[of.SessionID] = s.Turns
		}
		for _, turn := range turns[of.SessionID] {
			if turn.TurnID == of.TurnID {
				b.Pieces[i].When = web.ShowMinute(turn.Timestamp)
			}
		}
	}
	return nil
}
