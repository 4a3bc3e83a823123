package crosssource

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw/ocr"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/written"
)

// PlacementConfig configures the gate placement.
type PlacementConfig struct {
	Gap int `json:"gap" doc:"turns of the merged stream that must lie between two pieces of one item"`
}

// SetDefaults asks for as much as crosssource.plan gives by default.
func (c *PlacementConfig) SetDefaults() { c.Gap = 4 }

func addPlacement(r *pipeline.Registry) {
	pipeline.AddGate(r, "placement", "2", "evidence is spread over sources, in order and apart, and nothing around it tells the answer (SMMBench B.5)", func(c PlacementConfig) (pipeline.Gate, error) {
		if c.Gap < 1 {
			return nil, fmt.Errorf("gap is %d; want 1 or more", c.Gap)
		}
		return structural.NewForSchema(namePlacement, "", structural.Each(c.judgePlacement)), nil
	})
}

// addEnvironment adds the gate on written environments, which also brings their plans and
// readings into a release.
func addEnvironment(r *pipeline.Registry) {
	pipeline.AddGate(r, "environment-follows", "1", "everything in a written environment follows from its plan and from what readers found", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(nameEnvironment, "", structural.Each(func(row EnvironmentRow) pipeline.Judgement {
			if _, err := written.Parse([]byte(row.Environment)); err != nil {
				return pipeline.Fail.Because(codeEnvironment, "%v", err)
			}
			return structural.Pass()
		})), nil
	})
}

func (c PlacementConfig) judgePlacement(p Placement) pipeline.Judgement {
	for _, check := range []func(Placement) (code, why string){checkSpread, checkTimeOrder, c.checkGap, checkRevisionOrder, checkSpeaker, checkHandle, checkSurroundings} {
		if code, why := check(p); code != "" {
			return pipeline.Fail.Because(code, "%s", why)
		}
	}
	return structural.Pass()
}

// checkSpread checks that evidence lies in two or more sources, none of which has all of
// it; in the twin all lies in one chat.
func checkSpread(p Placement) (code, why string) {
	in := map[string]int{}
	for _, u := range p.Pieces {
		in[u.SessionID]++
		if len(u.Turns) == 0 {
			return "empty-piece", fmt.Sprintf("piece %s has no turn", u.UnitID)
		}
	}
	switch {
	case len(p.Pieces) < 2:
		return "one-piece", fmt.Sprintf("it rests on %d pieces of evidence; want two or more", len(p.Pieces))
	case p.Arrangement == concentrated && len(in) != 1:
		return "not-concentrated", fmt.Sprintf("its evidence stands in %d sources, and the twin has one", len(in))
	case p.Arrangement == distributed && len(in) < 2:
		return "one-source", fmt.Sprintf("%s alone holds all of its evidence", p.Pieces[0].SessionID)
	}
	return "", ""
}

// checkTimeOrder checks that turns are in order of time in their sources and in the
// merged stream.
func checkTimeOrder(p Placement) (code, why string) {
	for _, u := range p.Pieces {
		for i, t := range u.Turns[1:] {
			if before := u.Turns[i]; t.Order != before.Order+1 || t.Position <= before.Position {
				return "torn-piece", fmt.Sprintf("turns %s and %s of piece %s do not follow each other", before.TurnID, t.TurnID, u.UnitID)
			}
		}
	}
	for i, u := range p.Pieces[1:] {
		before := p.Pieces[i]
		if u.Turns[0].Position <= before.Turns[0].Position || u.Turns[0].Timestamp < before.Turns[0].Timestamp {
			return "time", fmt.Sprintf("piece %s stands after %s and is dated before it", u.UnitID, before.UnitID)
		}
	}
	return "", ""
}

func (c PlacementConfig) checkGap(p Placement) (code, why string) {
	for i, u := range p.Pieces[1:] {
		before := p.Pieces[i].Turns
		if d := u.Turns[0].Position - before[len(before)-1].Position - 1; d < int64(c.Gap) {
			return "clustered", fmt.Sprintf("%d turns lie between the pieces %s and %s; want %d or more", max(d, 0), p.Pieces[i].UnitID, u.UnitID, c.Gap)
		}
	}
	return "", ""
}

// checkRevisionOrder checks that revisions, misleading ones too, come after what they
// revise: otherwise reading in order would show which facts are not asked about.
func checkRevisionOrder(p Placement) (code, why string) {
	all := slices.Clone(p.Pieces)
	for _, o := range p.Misleading {
		if len(o.Turns) == 0 {
			return "empty-piece", fmt.Sprintf("text %s has no turn", o.UnitID)
		}
		all = append(all, PlacedPiece{UnitID: o.UnitID, Revises: o.Revises, Turns: o.Turns})
	}
	for _, u := range all {
		for _, id := range u.Revises {
			at := slices.IndexFunc(all, func(o PlacedPiece) bool { return o.UnitID == id })
			switch {
			case at < 0:
				return "dangling-update", fmt.Sprintf("%s revises %s, which stands nowhere", u.UnitID, id)
			case compareTime(all[at].Turns, u.Turns) >= 0:
				return "early-update", fmt.Sprintf("%s stands before %s, which it revises", u.UnitID, id)
			}
		}
	}
	return "", ""
}

// checkSpeaker checks that a participant says the piece in a chat, and the required one
// if there is one.
func checkSpeaker(p Placement) (code, why string) {
	for _, u := range p.Pieces {
		chat := isChat(u.Kind)
		switch {
		case chat && !slices.Contains(u.Participants, u.Speaker):
			return "stranger", fmt.Sprintf("piece %s is said by %q, who takes no part in %s", u.UnitID, u.Speaker, u.SessionID)
		case chat && u.Wanted != "" && u.Wanted != u.Speaker, u.Kind == schemas.KindProfile && u.Wanted != "" && !slices.Contains(u.Participants, u.Wanted):
			return "wrong-speaker", fmt.Sprintf("piece %s is %q's to say, and %q does", u.UnitID, u.Wanted, u.Speaker)
		}
	}
	return "", ""
}

// checkHandle checks that every picture and table has the name used in the question.
func checkHandle(p Placement) (code, why string) {
	for _, u := range p.Pieces {
		pictured := slices.ContainsFunc(u.Turns, func(t PlacedTurn) bool { return t.Media != "" })
		proper := strings.HasPrefix(u.Handle, "Fig. ") || strings.HasPrefix(u.Handle, "Table. ")
		if pictured && (!proper || !slices.Contains(u.Named, u.Handle)) {
			return "no-handle", fmt.Sprintf("the picture of piece %s is called %q, and its turns show %q", u.UnitID, u.Handle, u.Named)
		}
	}
	return "", ""
}

// checkSurroundings checks that the lines around a piece tell neither the answer nor the
// piece.
func checkSurroundings(p Placement) (code, why string) {
	for _, u := range p.Pieces {
		for _, said := range u.Around {
			for _, a := range p.Answer {
				if containsWords(said, a) {
					return "answer-around", fmt.Sprintf("beside piece %s somebody says %q, which tells the answer %q", u.UnitID, said, a)
				}
			}
			for _, t := range u.Turns {
				if t.Media == "" && containsWords(said, t.Text) {
					return "piece-around", fmt.Sprintf("beside piece %s somebody says it once more", u.UnitID)
				}
			}
		}
	}
	return "", ""
}

func containsWords(text, part string) bool {
	all, want := words.Words(text), words.Words(part)
	for i := 0; len(want) > 0 && i+len(want) <= len(all); i++ {
		if slices.Equal(all[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// Bounds of a picture: bytes of its file, and pixels, far more than any has that is drawn
// here, for looking at each takes time.
const (
	mostPicture = 4 << 20
	mostPixels  = 4 << 20
)

// legibleGate is the gate exhibit-legible: what its reader, which has never seen how
// pictures are drawn, makes out in the pixels of a picture is what its row says. So
// evidence can be seen, and the row from which gold is worked out holds.
type legibleGate struct {
	// reader learns when the first picture comes: a Spec, for which audits build each
	// gate many times, needs none.
	reader func() (*ocr.Reader, error)
}

func newLegible() (pipeline.Gate, error) {
	return legibleGate{sync.OnceValues(func() (*ocr.Reader, error) { return ocr.New(ocr.PictureFonts) })}, nil
}

// Spec implements pipeline.Gate.
func (legibleGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{namePicture}} }

// Judge reads each picture.
func (g legibleGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		x, err := pipeline.Decode[RenderedPicture](r)
		if err != nil {
			return nil, err
		}
		if out[i], err = g.judgePicture(ctx, scope, x); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.ID, err)
		}
	}
	return out, nil
}

func (g legibleGate) judgePicture(ctx context.Context, scope *pipeline.Scope, x RenderedPicture) (pipeline.Judgement, error) {
	data, err := scope.ReadBlob(ctx, pipeline.Digest(x.MediaID), mostPicture)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	img, _, err := still.Decode(data, "image/png", still.Limits{Bytes: mostPicture, Pixels: mostPixels})
	if err != nil {
		return pipeline.Fail.Because("bad-picture", "it does not decode: %v", err), nil
	}
	r, err := g.reader()
	if err != nil {
		return pipeline.Judgement{}, err
	}
	return compareReading(r, img, x), nil
}

func compareReading(r *ocr.Reader, img image.Image, x RenderedPicture) pipeline.Judgement {
	seen, err := r.Read(img, x.Kind)
	if err != nil {
		return pipeline.Fail.Because("illegible", "%v", err)
	}
	if why := differenceFromRow(seen, x); why != "" {
		return pipeline.Fail.Because("other-content", "%s", why)
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}
}

// differenceFromRow returns how a picture differs from its row, or "". A chart does not
// show what its labels are, and cards and pages have no heads.
func differenceFromRow(seen ocr.Content, x RenderedPicture) string {
	columns := x.Columns
	switch x.Kind {
	case ocr.Chart:
		columns = x.Columns[min(1, len(x.Columns)):]
	case ocr.Card, ocr.Page:
		columns = nil
	}
	switch {
	case seen.Title != x.Title:
		return fmt.Sprintf("its title reads %q, and its row says %q", seen.Title, x.Title)
	case !slices.Equal(seen.Columns, columns):
		return fmt.Sprintf("its columns read %q, and its row says %q", seen.Columns, columns)
	case len(seen.Rows) != len(x.Rows):
		return fmt.Sprintf("it shows %d rows, and its row says %d", len(seen.Rows), len(x.Rows))
	}
	for i, r := range x.Rows {
		if !slices.Equal(seen.Rows[i], r.Cells) {
			return fmt.Sprintf("its row %d reads %q, and its row of the table says %q", i+1, seen.Rows[i], r.Cells)
		}
	}
	return ""
}
