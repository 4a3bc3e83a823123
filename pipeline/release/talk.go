package release

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/sorted"
	"github.com/memforge/memforge/schemas"
)

// talk is what is said and shown in all sessions, as far as other rows speak of it:
// hashes that nobody can foresee, some 70 bytes a turn whatever it says.
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
	length, order     int32
	shows, n          int32
}

// pictureMark is a picture: by its file, and with what captions say of it.
type pictureMark struct{ media, told uint64 }

func newTalk() *talk { return &talk{seed: maphash.MakeSeed(), sessions: map[uint64]*sessionMark{}} }

func (k *talk) hash(cells ...any) uint64 {
	return maphash.Bytes(k.seed, sorted.AppendKey(nil, cells...))
}

func (k *talk) addSession(s schemas.Session) {
	k.sessions[k.hash(s.SessionID)] = &sessionMark{task: k.hash(s.TaskID), date: s.Date, order: s.Order}
}

func (k *talk) addTurn(t schemas.Turn) {
	line := t.Line()
	k.turns = append(k.turns, turnMark{
		id: k.hash(t.TurnID), session: k.hash(t.SessionID), line: maphash.String(k.seed, line), length: int32(len(line)), order: t.Order,
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
	i := slices.IndexFunc(all, func(t table) bool { return t.name == name && t.declared != nil })
	if i < 0 {
		return table{}, false
	}
	return all[i], true
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
			c.add("session %s: another one of its task has the order %d", s.SessionID, s.Order)
		}
		spoken := []string{schemas.KindDialogue, schemas.KindGroupChat, schemas.KindPrivateChat}
		if len(s.Participants) == 0 && slices.Contains(spoken, s.Kind) {
			c.add("session %s: a %s needs participants", s.SessionID, s.Kind)
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
		c.add("turn %s: its speaker %q is not among the participants of session %s", t.TurnID, t.Speaker, t.SessionID)
	case said == "" && len(t.Attachments) == 0:
		c.add("turn %s: nothing is said in it and nothing shown", t.TurnID)
	case strings.HasPrefix(t.TurnID, t.SessionID+"/T") && t.TurnID != schemas.TurnIDOf(t.SessionID, int(t.Order)):
		c.add("turn %s: it has the order %d, and its id counts otherwise", t.TurnID, t.Order)
	}
	s := c.talk.sessions[c.talk.hash(t.SessionID)]
	for _, a := range t.Attachments {
		if s != nil && a.AttachmentID != "" && !names.add(int64(s.task), a.AttachmentID) {
			c.add("turn %s: another picture of the task is called %s, too", t.TurnID, a.AttachmentID)
		}
	}
}

// counted checks that the turns of a session count from 1.
func (c *checker) counted(s schemas.Session) {
	turns := c.talk.of(c.talk.sessions[c.talk.hash(s.SessionID)])
	if len(turns) == 0 {
		c.add("session %s: it has no turn", s.SessionID)
	}
	for i, t := range turns {
		if int(t.order) != i+1 {
			c.add("session %s: its turns do not count 1, 2, 3 and so on: there is a %d where %d should be", s.SessionID, t.order, i+1)
			return
		}
	}
}

// point checks what a memory point says of itself and of turns. That these are of its
// session is for references.
func (c *checker) point(p schemas.MemoryPoint) {
	switch {
	case len(p.EvidenceTurns) == 0:
		c.add("memory point %s: it names no turn that it rests on", p.MemoryID)
	case p.IsInterference && p.Resembles == "":
		c.add("memory point %s: it is interference and resembles nothing", p.MemoryID)
	}
	for _, m := range p.EvidenceMedia {
		want := c.talk.hash(m)
		if !slices.ContainsFunc(p.EvidenceTurns, func(id string) bool {
			from, _ := c.talk.turn(id)
			return len(from) > 0 && c.talk.any(from[:1], func(p pictureMark) bool { return p.media == want })
		}) {
			c.add("memory point %s: no turn that it names shows %s", p.MemoryID, m)
		}
	}
}
