package lifelong

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
)

// checkAgainstSimulation wants the sessions of a task to be those of the life that it was made from,
// where a gate judged that and the release has it: their frame, what they give to
// remember, and what their pictures show. Words may be other ones, for an author may have
// written them after the gate.
func checkAgainstSimulation(t schemas.Task, all []schemas.Session, p pipeline.Premises) error {
	lives, err := pipeline.PremiseRecords[Simulation](p, nameSimulation)
	if err != nil || len(lives) == 0 {
		return err
	}
	exhibits, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	if err != nil {
		return err
	}
	for _, l := range lives {
		if l.Disclosed == nil {
			return fmt.Errorf("life %s, which a gate judged, tells nothing", l.ID)
		}
		if err = compareWithDisclosure(all, exhibits, *l.Disclosed); err == nil {
			return nil
		}
	}
	return fmt.Errorf("in no form that a gate judged is life %s what its sessions tell; in the last one %w", t.TaskID, err)
}

// compareWithDisclosure says where released sessions and pictures are not those that a life tells.
func compareWithDisclosure(all []schemas.Session, exhibits []RenderedPicture, told Disclosure) error {
	if len(all) != len(told.Sessions) {
		return fmt.Errorf("it has %d sessions, and %d are released", len(told.Sessions), len(all))
	}
	for i, s := range told.Sessions {
		if got, want := sessionFrame(all[i]), sessionFrame(s); got != want {
			return fmt.Errorf("session %s is %s, and %s is released", s.SessionID, want, got)
		}
	}
	want, got := pictureContents(told.Pictures), pictureContents(exhibits)
	if !slices.Equal(got, want) {
		return fmt.Errorf("its pictures show %q, and those released %q", want, got)
	}
	return nil
}

// sessionFrame is a session without its words and the names of its pictures, which a life that
// is not drawn has not.
func sessionFrame(s schemas.Session) string {
	s.Points, s.Earlier = slices.Clone(s.Points), nil
	for i := range s.Points {
		s.Points[i].EvidenceMedia = make([]string, len(s.Points[i].EvidenceMedia))
	}
	turns := s.Turns
	s.Turns = make([]schemas.Turn, len(turns))
	for i, t := range turns {
		s.Turns[i] = schemas.Turn{TurnID: t.TurnID, SessionID: t.SessionID, Order: t.Order, Role: t.Role}
	}
	return fmt.Sprintf("%+v", s)
}

// pictureContents is what exhibits show, each once.
func pictureContents(of []RenderedPicture) []string {
	seen := map[string]bool{}
	for _, x := range of {
		seen[fmt.Sprintf("%s %q %q", x.Kind, x.Title, x.Rows)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// checkAskedOnce wants no two questions of a task to ask for the same, for what was asked is not
// asked again unless its answer has changed, and these to be numbered in the order of their
// checkpoints. Pictures that were drawn have the licence of what is simulated.
func checkAskedOnce(t schemas.Task, p pipeline.Premises) error {
	asked, last := map[string]string{}, ""
	all := slices.SortedFunc(slices.Values(p.Questions), func(a, b schemas.Question) int {
		return cmp.Or(len(a.QuestionID)-len(b.QuestionID), strings.Compare(a.QuestionID, b.QuestionID))
	})
	for _, q := range all {
		fact := q.Labels[schemas.LabelFact]
		if of := asked[fact]; of != "" {
			return fmt.Errorf("questions %s and %s ask for the same fact", of, q.QuestionID)
		}
		if n, of := strings.CutPrefix(q.QuestionID, t.TaskID+"/Q"); !of || !number.MatchString(n) || q.CheckpointID < last {
			return fmt.Errorf("question %s of %s is not numbered as those of its task are, or after one of the later %s", q.QuestionID, q.CheckpointID, last)
		}
		asked[fact], last = q.QuestionID, q.CheckpointID
	}
	for _, m := range p.Media {
		if len(m.Recipe.Segments) == 0 && (m.License != license || m.Caption != "") {
			return fmt.Errorf("picture %s was drawn for the task, and has the licence %q and the caption %q; what is simulated has %s and none", m.MediaID, m.License, m.Caption, license)
		}
	}
	return nil
}

// checkCaptions wants pictures to be called in sessions what their rows say: whether a caption
// may leave out the values the life says, where a gate judged it, and the points.
func checkCaptions(t schemas.Task, all []schemas.Session, p pipeline.Premises) error {
	exhibits, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	said := map[string]captions{}
	for _, x := range exhibits {
		said[x.MediaID] = buildCaptions(x, oracle.Domain(t.TaskID))
	}
	for _, s := range all {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				want, known := said[a.MediaID]
				have := captions{a.Type, a.MinimalCaption, want.bare, a.TaskAwareCaption}
				if known && (have != want || a.Caption != want.bare && a.Caption != want.full) {
					return fmt.Errorf("turn %s says of a picture %q and %q; its row says %q", turn.TurnID, have, a.Caption, want)
				}
			}
		}
	}
	return err
}

// number is how questions of a task are numbered.
var number = regexp.MustCompile(`^\d{4,}$`)
