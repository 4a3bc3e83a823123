package written

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Roles that are asked.
const (
	roleAuthor = "author"
	roleJudge  = "judge"
)

// CodeSession is a session that does not say what it should after the last mending: the
// life ends before it.
const CodeSession = "unsound-session"

// DialogueConfig says how sessions are written and read again.
type DialogueConfig struct {
	Month    string   `json:"month" doc:"month in which models write, as 2026-11; it stands in the release"`
	Turns    int      `json:"turns" doc:"how many turns a session has on the average; each is given a number a quarter more or less by seed"`
	Words    int      `json:"words" doc:"about how many words a session has; a third more or less is taken"`
	Last     int      `json:"last" doc:"how many turns of the session before the author reads"`
	Readers  []string `json:"readers" doc:"roles of the second readers; each fills in the form of a session by itself"`
	Mends    int      `json:"mends" doc:"how often turns are written again that do not say what they should"`
	Attempts int      `json:"attempts" doc:"how often an answer is asked for that the checks by rule refuse"`
	Least    int      `json:"least" doc:"with how many sessions a life still stands when a later one cannot be written"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *DialogueConfig) SetDefaults() {
	*c = DialogueConfig{Turns: 20, Words: 900, Last: 6, Readers: []string{"reader_a", "reader_b"}, Mends: 3, Attempts: 3, Least: 4}
}

var monthForm = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)

type dialogueStage struct {
	cfg      DialogueConfig
	dialogue *model.Job[dialogueInput, dialogueAnswer]
	reading  *model.Job[readingInput, readingAnswer]
	compare  *model.Job[compareInput, compareAnswer]
	mend     *model.Job[mendInput, mendAnswer]
}

func newDialogue(c DialogueConfig) (pipeline.Stage, error) {
	s := &dialogueStage{cfg: c}
	var errs [4]error
	s.dialogue, errs[0] = model.NewJob[dialogueInput, dialogueAnswer]("lifelong.dialogue")
	s.reading, errs[1] = model.NewJob[readingInput, readingAnswer]("lifelong.reading")
	s.compare, errs[2] = model.NewJob[compareInput, compareAnswer]("lifelong.compare")
	s.mend, errs[3] = model.NewJob[mendInput, mendAnswer]("lifelong.mend")
	if c.Month != "" && !monthForm.MatchString(c.Month) {
		return nil, fmt.Errorf("month is %q; write 2026-11", c.Month)
	}
	if len(c.Readers) == 0 || len(c.Readers) > 5 {
		return nil, fmt.Errorf("readers: %d roles; name 1 to 5", len(c.Readers))
	}
	return s, errors.Join(errs[0], errs[1], errs[2], errs[3], pipeline.CheckRange("turns", c.Turns, 4, 60), pipeline.CheckRange("words", c.Words, 50, 5000),
		pipeline.CheckRange("last", c.Last, 0, 60), pipeline.CheckRange("mends", c.Mends, 0, 5), pipeline.CheckRange("attempts", c.Attempts, 1, 5), pipeline.CheckRange("least", c.Least, 2, mostSessions))
}

// Spec declares who is asked.
func (s *dialogueStage) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.dialogue.For(roleAuthor), s.mend.For(roleAuthor), s.compare.For(roleJudge)}
	for _, r := range s.cfg.Readers {
		asks = append(asks, s.reading.For(r))
	}
	return pipeline.Spec{Accepts: []string{NamePlan}, Emits: []string{NameLife}, Resource: pipeline.Model, Asks: asks}
}

// Map has the sessions of a plan written, one after the other, each read again before the
// next begins.
func (s *dialogueStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[Plan](in)
	if err != nil {
		return nil, err
	}
	if why := p.Check(); len(why) > 0 {
		return nil, pipeline.Reject(CodePlan, "%s", strings.Join(why, "; "))
	}
	w := &lifeWriter{dialogueStage: s, scope: scope, life: Life{Plan: p, Origin: s.origin()}}
	for n := range p.Sessions {
		why, err := w.writeSession(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("session %d of %s: %w", n, in.ID, err)
		}
		if why == "" {
			continue
		}
		if n < s.cfg.Least {
			return nil, pipeline.Reject(CodeSession, "session %d: %s", n, why)
		}
		lost := pipeline.Reject(CodeSession, "it and the %d sessions after it are left out: %s", len(p.Sessions)-n-1, why)
		lost.Flagged = true
		scope.Reject(fmt.Sprintf("%s/S%02d", in.ID, n), lost)
		w.life.Plan = p.Truncate(n)
		break
	}
	r, err := pipeline.NewRecord(NameLife, in.ID, w.life)
	return []pipeline.Record{r}, err
}

// origin returns the prompts and the month. Models are named as they answer.
func (s *dialogueStage) origin() Origin {
	out := Origin{Kind: OriginWritten, Month: s.cfg.Month, Prompts: map[string]string{}}
	for _, a := range s.Spec().Asks {
		out.Prompts[a.Task] = string(a.Prompt)
	}
	return out
}

// Truncate returns the plan of the first n sessions.
func (p Plan) Truncate(n int) Plan {
	p.Sessions = slices.Clone(p.Sessions[:n])
	p.Facts = slices.DeleteFunc(slices.Clone(p.Facts), func(f Fact) bool { return f.Session >= n })
	p.Interfering = slices.DeleteFunc(slices.Clone(p.Interfering), func(i Interference) bool { return i.Session >= n })
	p.Pictures = slices.DeleteFunc(slices.Clone(p.Pictures), func(x Picture) bool { return x.Session >= n })
	p.Outside = slices.DeleteFunc(slices.Clone(p.Outside), func(o Outside) bool {
		_, ok := p.FactByID(o.Fact)
		return !ok
	})
	return p
}

// lifeWriter writes one life.
type lifeWriter struct {
	*dialogueStage
	scope *pipeline.Scope
	life  Life
	// said are lasting statements that no plan has, of sessions so far.
	said []string
}

// writeSession adds a session to the life. It returns why it cannot.
func (w *lifeWriter) writeSession(ctx context.Context, n int) (string, error) {
	in := w.dialogueInput(n)
	got, refused, err := w.dialogue.AskUntilUsable(ctx, w.scope, roleAuthor, w.cfg.Attempts,
		func(r []model.RejectedAnswer[dialogueAnswer]) dialogueInput {
			in.Refused = r
			return in
		},
		func(a model.Answer[dialogueAnswer]) ([]string, error) { return w.checkTurns(n, a.Value.Turns), nil })
	if why, ok := model.PermanentRejection(ctx, err); ok {
		return why.Reason, nil
	}
	if err != nil || len(refused) > 0 {
		return lastReasons(refused), err
	}
	s := Session{Turns: got.Value.Turns}
	w.life.Origin.Author = got.Model
	for {
		findings, err := w.readAgain(ctx, n, &s)
		if err != nil {
			return "", err
		}
		if len(findings) == 0 {
			break
		}
		if s.Mended == w.cfg.Mends {
			if slices.ContainsFunc(findings, Finding.Spoils) {
				return strings.Join(reasonsOf(findings), "; "), nil
			}
			break // what readers miss is not asked about
		}
		if err := w.mendTurns(ctx, n, &s, findings); err != nil {
			return "", err
		}
		s.Mended++
	}
	w.life.Sessions = append(w.life.Sessions, s)
	for _, b := range s.Readings[0].Beside {
		if b.Answer == "incidental" {
			w.said = append(w.said, b.Says)
		}
	}
	w.said = w.said[max(0, len(w.said)-mostSaid):]
	return "", nil
}

// mostSaid bounds how much of what was said along the way an author is told.
const mostSaid = 40

func lastReasons[T any](refused []model.RejectedAnswer[T]) string {
	if len(refused) == 0 {
		return ""
	}
	return strings.Join(refused[len(refused)-1].Reasons, "; ")
}

func reasonsOf(findings []Finding) (out []string) {
	for _, f := range findings {
		if !slices.Contains(out, f.Reason) {
			out = append(out, f.Reason)
		}
	}
	return out
}

// readAgain has a session read by all readers and compared by the judge. It returns what
// is not as planned.
func (w *lifeWriter) readAgain(ctx context.Context, n int, s *Session) (bad []Finding, err error) {
	p := w.life.Plan
	rnd := w.scope.Rand(p.ID, "form", fmt.Sprint(n))
	keys := p.formKeys(n, rnd.Perm)
	s.Readings = nil
	for _, role := range w.cfg.Readers {
		a, err := w.reading.Ask(ctx, w.scope, role, w.readingInput(n, *s, keys), 0)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(w.life.Origin.Readers, a.Model) {
			w.life.Origin.Readers = append(w.life.Origin.Readers, a.Model)
		}
		r := Reading{Reader: role, Form: keys, Found: cleanFound(a.Value.Found, len(keys), len(s.Turns))}
		for _, b := range a.Value.Beside {
			r.Beside = append(r.Beside, Beside{Says: b.Says, Turns: b.Turns, Answer: "incidental"})
		}
		s.Readings = append(s.Readings, r)
	}
	if err := w.judgeReadings(ctx, n, s); err != nil {
		return nil, err
	}
	for _, r := range s.Readings {
		for _, f := range p.Compare(n, r) {
			if f.State != Stated {
				bad = append(bad, f)
			}
		}
	}
	return bad, nil
}

// cleanFound leaves out entries for keys and turns that are not there.
func cleanFound(found []Found, keys, turns int) (out []Found) {
	for _, f := range found {
		f.Turns = slices.DeleteFunc(f.Turns, func(t int) bool { return t > turns })
		if f.Number <= keys && len(f.Turns) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// judgeReadings asks the judge about values in other words and about statements beside.
func (w *lifeWriter) judgeReadings(ctx context.Context, n int, s *Session) error {
	p := w.life.Plan
	in := compareInput{Session: w.sessionText(n, *s), Plan: p.judgeFacts(n)}
	type place struct{ reading, found int }
	var pairs []place
	var ids []string
	var beside []place
	for ri, r := range s.Readings {
		for fi, f := range r.Found {
			for _, c := range p.candidates(n, r.Form[f.Number-1], f) {
				if !equalValues(c.kind, f.Value, c.value) && !(fitsKind(c.kind, f.Value) && typed(c.kind)) {
					in.Pairs = append(in.Pairs, valuePair{len(pairs) + 1, c.key.String(), c.value, f.Value})
					pairs, ids = append(pairs, place{ri, fi}), append(ids, c.id)
				}
			}
		}
		for bi, b := range r.Beside {
			beside = append(beside, place{ri, bi})
			in.Beside = append(in.Beside, numberedText{len(beside), b.Says, b.Turns})
		}
	}
	if len(pairs)+len(beside) == 0 {
		return nil
	}
	a, err := w.compare.Ask(ctx, w.scope, roleJudge, in, 0)
	if err != nil {
		return err
	}
	for _, v := range a.Value.Pairs {
		if v.Answer == "same" && v.Number <= len(pairs) {
			at := pairs[v.Number-1]
			f := &s.Readings[at.reading].Found[at.found]
			f.Same = append(f.Same, ids[v.Number-1])
		}
	}
	for _, v := range a.Value.Beside {
		if v.Number <= len(beside) {
			at := beside[v.Number-1]
			b := &s.Readings[at.reading].Beside[at.found]
			b.Answer, b.Why = v.Answer, v.Why
		}
	}
	return nil
}

// typed reports whether a rule alone tells values of a kind apart.
func typed(kind string) bool { return kind == Date || kind == Hour || kind == Money }

// candidate is a planned value that a reader's value may say in other words.
type candidate struct {
	id, kind, value string
	key             Key
}

// candidates returns what an entry of a form is compared with: facts of its key of any
// session, and interferences, where its status says that something holds or does not.
func (p Plan) candidates(n int, k Key, f Found) (out []candidate) {
	if f.Status == Ended {
		return nil
	}
	for _, x := range p.Facts {
		if x.Key() == k && x.Op != Delete && f.Status == Holds && x.Session <= n+1 {
			out = append(out, candidate{x.ID, x.Kind, x.Value, k})
		}
	}
	for _, i := range p.Interfering {
		if x, ok := p.FactByID(i.Against); ok && x.Key() == k && i.Session == n {
			out = append(out, candidate{i.ID, x.Kind, i.Value, k})
		}
	}
	return out
}

// mendTurns has turns of a session written again.
func (w *lifeWriter) mendTurns(ctx context.Context, n int, s *Session, findings []Finding) error {
	asked := w.dialogueInput(n)
	in := mendInput{Life: asked.Life, Session: w.sessionText(n, *s), Told: asked.Session.Told, Holds: asked.SoFar.Holds, Reasons: reasonsOf(findings)}
	got, refused, err := w.mend.AskUntilUsable(ctx, w.scope, roleAuthor, w.cfg.Attempts,
		func(r []model.RejectedAnswer[mendAnswer]) mendInput {
			in.Refused = r
			return in
		},
		func(a model.Answer[mendAnswer]) ([]string, error) {
			return w.checkTurns(n, replaceTurns(s.Turns, a.Value.Turns)), nil
		})
	if _, ok := model.PermanentRejection(ctx, err); ok || len(refused) > 0 {
		return nil // it is read again as it is, and counts as a mending
	}
	if err != nil {
		return err
	}
	s.Turns = replaceTurns(s.Turns, got.Value.Turns)
	return nil
}

func replaceTurns(turns []Turn, again []numberedTurn) []Turn {
	out := slices.Clone(turns)
	for _, t := range again {
		if t.Number <= len(out) {
			out[t.Number-1].Text = strings.TrimSpace(t.Text)
		}
	}
	return out
}

// checkTurns returns what rules find wrong with the turns of a session.
func (w *lifeWriter) checkTurns(n int, turns []Turn) (why []string) {
	words, sent := 0, map[string]int{}
	for i, t := range turns {
		words += len(strings.Fields(t.Text))
		want := schemas.TurnUser
		if i%2 == 1 {
			want = schemas.TurnAssistant
		}
		if t.By != want {
			why = append(why, fmt.Sprintf("turn %d is by the %s; turns alternate, the user first", i+1, t.By))
		}
		if strings.TrimSpace(t.Text) == "" || answercues.HasControl(t.Text) {
			why = append(why, fmt.Sprintf("turn %d is empty, or not one paragraph of plain text", i+1))
		}
		for _, x := range t.Pictures {
			if sent[x]++; t.By != schemas.TurnUser {
				why = append(why, fmt.Sprintf("turn %d: the user sends pictures, not the assistant", i+1))
			}
		}
	}
	if want := w.turnsOf(n); len(turns) < want-2 || len(turns) > want+2 {
		why = append(why, fmt.Sprintf("there are %d turns; write %d", len(turns), want))
	}
	if off := words - w.cfg.Words; 3*max(off, -off) > w.cfg.Words {
		why = append(why, fmt.Sprintf("there are %d words; write about %d", words, w.cfg.Words))
	}
	for _, x := range w.life.Plan.Pictures {
		if x.Session == n && sent[x.ID] != 1 {
			why = append(why, fmt.Sprintf("picture %s is sent %d times; send it once", x.ID, sent[x.ID]))
		}
		delete(sent, x.ID)
	}
	for x := range sent {
		why = append(why, fmt.Sprintf("picture %q is not one of this session", x))
	}
	slices.Sort(why)
	return why
}

// turnsOf draws how many turns a session has: an even number a quarter around the average.
func (w *lifeWriter) turnsOf(n int) int {
	spread := w.cfg.Turns / 8
	return w.cfg.Turns + 2*(w.scope.Rand(w.life.Plan.ID, "turns", fmt.Sprint(n)).IntN(2*spread+1)-spread)
}

// calendar returns the Mondays from six weeks before to six weeks after a date.
func calendar(date string) (out []string) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil
	}
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	for week := -6; week <= 6; week++ {
		out = append(out, monday.AddDate(0, 0, 7*week).Format(time.DateOnly))
	}
	return out
}
