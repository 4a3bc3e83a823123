package reviewing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
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
