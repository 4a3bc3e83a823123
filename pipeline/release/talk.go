package release

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/schemas"
)

// talk is what is said and shown in all sessions, as far as other rows speak of it:
// hashes that nobody can foresee, some 80 bytes a turn whatever it says.
type talk struct {
	seed     maphash.Seed
	sessions map[uint64]*sessionMark
	// turns are by session and order once all are there, byID are their places by id.
	turns []turnMark
	byID  []int32
	// shows are the pictures of all turns, those of one behind each other.
	shows []pictureMark
}

type sessionMark struct {
	task  uint64
	date  string
	order int32
	// turns [first, first+n) are its own.
	first, n int32
}

type turnMark struct {
	id, session, line uint64
	// position is the turn's place in the one stream of its task; 0 for none.
	position      int64
	length, order int32
	shows, n      int32
}

// pictureMark is a picture: by its file, and with what captions say of it.
type pictureMark struct{ media, told uint64 }

func newTalk() *talk { return &talk{seed: maphash.MakeSeed(), sessions: map[uint64]*sessionMark{}} }

func (k *talk) hash(cells ...any) uint64 {
	return maphash.Bytes(k.seed, extsort.AppendKey(nil, cells...))
}

func (k *talk) addSession(s schemas.Session) {
	k.sessions[k.hash(s.SessionID)] = &sessionMark{task: k.hash(s.TaskID), date: s.Date, order: s.Order}
}

func (k *talk) addTurn(t schemas.Turn) {
	line := t.Line()
	k.turns = append(k.turns, turnMark{
		id: k.hash(t.TurnID), session: k.hash(t.SessionID), line: maphash.String(k.seed, line), length: int32(len(line)), order: t.Order, position: t.Position,
		shows: int32(len(k.shows)), n: int32(len(t.Attachments)),
	})
	for _, a := range t.Attachments {
		k.shows = append(k.shows, pictureMark{k.hash(a.MediaID), k.hash(a.MediaID, a.Caption, a.MinimalCaption, a.TaskAwareCaption)})
	}
}

// order puts the turns in their order once all are there.
func (k *talk) order() {
	slices.SortFunc(k.turns, func(a, b turnMark) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.order, b.order))
	})
	k.byID = make([]int32, len(k.turns))
	for i, t := range k.turns {
		k.byID[i] = int32(i)
		if s := k.sessions[t.session]; s != nil {
			if s.n == 0 {
				s.first = int32(i)
			}
			s.n++
		}
	}
	slices.SortFunc(k.byID, func(a, b int32) int { return cmp.Compare(k.turns[a].id, k.turns[b].id) })
}

// of are the turns of a session in their order.
func (k *talk) of(s *sessionMark) []turnMark { return k.turns[s.first : s.first+s.n] }

// turn finds a turn, and those of its session from it on.
func (k *talk) turn(id string) (from []turnMark, in *sessionMark) {
	want := k.hash(id)
	i, ok := slices.BinarySearchFunc(k.byID, want, func(at int32, id uint64) int { return cmp.Compare(k.turns[at].id, id) })
	if !ok {
		return nil, nil
	}
	at := k.byID[i]
	s := k.sessions[k.turns[at].session]
	if s == nil {
		return nil, nil
	}
	return k.turns[at : s.first+s.n], s
}

// quoted are the first turns of those given that a text quotes as schemas.Quote does:
// all of them that are one round.
func (k *talk) quoted(text, date string, from []turnMark) []turnMark {
	rest, ok := strings.CutPrefix(text, schemas.Quoted(date))
	if ok && date != "" {
		rest, ok = strings.CutPrefix(rest, "\n")
	}
	for n, t := range from {
		if !ok || int(t.length) > len(rest) || maphash.String(k.seed, rest[:t.length]) != t.line {
			return nil
		}
		if rest = rest[t.length:]; rest == "" {
			return from[:n+1]
		}
		rest, ok = strings.CutPrefix(rest, "\n")
	}
	return nil
}

// shown reports whether one of the turns shows a picture and tells of it what a piece
// of evidence does; what says only of what kind it is may be the piece's own.
func (k *talk) shown(turns []turnMark, e schemas.Evidence) bool {
	with := k.hash(e.Media, e.Caption, e.MinimalCaption, e.TaskAwareCaption)
	without := k.hash(e.Media, e.Caption, "", e.TaskAwareCaption)
	return k.any(turns, func(p pictureMark) bool { return p.told == with || p.told == without })
}

// any reports whether something holds of a picture of the turns.
func (k *talk) any(turns []turnMark, holds func(pictureMark) bool) bool {
	return slices.ContainsFunc(turns, func(t turnMark) bool { return slices.ContainsFunc(k.shows[t.shows:t.shows+t.n], holds) })
}

// pluggedNamed gives the table of a release that holds a shared schema, or a list of its
// records, if it has one.
func pluggedNamed(all []table, name string) (table, bool) {
	t, _ := find(all, name)
	return t, t.declared != nil
}

// talks reads what the sessions of a release say, and holds sessions, turns and
// memory points against each other.
func (c *checker) talks(all []table) {
	c.talk = newTalk()
	sessions, ok := pluggedNamed(all, pipeline.TableSessions)
	if !ok {
		return
	}
	turns, _ := pluggedNamed(all, pipeline.TableTurns)
	points, _ := pluggedNamed(all, pipeline.TablePoints)
	speakers := c.sessions(sessions)
	names := newIDSet()
	for t := range pluggedAs[schemas.Turn](c.rows, turns) {
		c.turn(t, speakers, names)
	}
	c.talk.order()
	for s := range pluggedAs[schemas.Session](c.rows, sessions) {
		c.counted(s)
	}
	for p := range pluggedAs[schemas.MemoryPoint](c.rows, points) {
		c.point(p)
	}
}

// sessions holds sessions against each other and gives who speaks in each.
func (c *checker) sessions(t table) (speakers *idSet) {
	speakers = newIDSet()
	places := newIDSet()
	for s := range pluggedAs[schemas.Session](c.rows, t) {
		c.talk.addSession(s)
		if !places.add(s.TaskID, s.Order) {
			c.blame(pipeline.TableSessions, s.SessionID, "another one of its task has the order %d", s.Order)
		}
		spoken := []string{schemas.KindDialogue, schemas.KindGroupChat, schemas.KindPrivateChat}
		if len(s.Participants) == 0 && slices.Contains(spoken, s.Kind) {
			c.blame(pipeline.TableSessions, s.SessionID, "a %s needs participants", s.Kind)
		}
		for _, who := range s.Participants {
			speakers.add(s.SessionID, who)
		}
	}
	return speakers
}

// turn takes a turn. names are those of the pictures of all tasks.
func (c *checker) turn(t schemas.Turn, speakers, names *idSet) {
	c.talk.addTurn(t)
	said := strings.TrimSpace(t.Text + t.Observation + t.Reasoning + t.Action + t.Feedback)
	switch {
	case t.Speaker != "" && !speakers.has(t.SessionID, t.Speaker):
		c.blame(pipeline.TableTurns, t.TurnID, "its speaker %q is not among the participants of session %s", t.Speaker, t.SessionID)
	case said == "" && len(t.Attachments) == 0:
		c.blame(pipeline.TableTurns, t.TurnID, "nothing is said in it and nothing shown")
	case strings.HasPrefix(t.TurnID, t.SessionID+"/T") && t.TurnID != schemas.TurnIDOf(t.SessionID, int(t.Order)):
		c.blame(pipeline.TableTurns, t.TurnID, "it has the order %d, and its id counts otherwise", t.Order)
	}
	s := c.talk.sessions[c.talk.hash(t.SessionID)]
	for _, a := range t.Attachments {
		if s != nil && a.AttachmentID != "" && !names.add(int64(s.task), a.AttachmentID) {
			c.blame(pipeline.TableTurns, t.TurnID, "another picture of the task is called %s, too", a.AttachmentID)
		}
	}
}

// counted checks that the turns of a session count from 1.
func (c *checker) counted(s schemas.Session) {
	turns := c.talk.of(c.talk.sessions[c.talk.hash(s.SessionID)])
	if len(turns) == 0 {
		c.blame(pipeline.TableSessions, s.SessionID, "it has no turn")
	}
	for i, t := range turns {
		if int(t.order) != i+1 {
			c.blame(pipeline.TableSessions, s.SessionID, "its turns do not count 1, 2, 3 and so on: there is a %d where %d should be", t.order, i+1)
			return
		}
	}
}

// point checks what a memory point says of itself and of turns. That these are of its
// session is for references.
func (c *checker) point(p schemas.MemoryPoint) {
	switch {
	case len(p.EvidenceTurns) == 0:
		c.blame(pipeline.TablePoints, p.MemoryID, "it names no turn that it rests on")
	case p.IsInterference && p.Resembles == "":
		c.blame(pipeline.TablePoints, p.MemoryID, "it is interference and resembles nothing")
	}
	for _, m := range p.EvidenceMedia {
		want := c.talk.hash(m)
		if !slices.ContainsFunc(p.EvidenceTurns, func(id string) bool {
			from, _ := c.talk.turn(id)
			return len(from) > 0 && c.talk.any(from[:1], func(p pictureMark) bool { return p.media == want })
		}) {
			c.blame(pipeline.TablePoints, p.MemoryID, "no turn that it names shows %s", m)
		}
	}
}
