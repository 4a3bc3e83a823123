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

// turnIndex holds what turns say and show, as far as other rows quote it: hashes with a
// random seed, some 80 bytes a turn however long it is.
type turnIndex struct {
	seed     maphash.Seed
	sessions map[uint64]*indexedSession
	// turns are by session and order once all are there, byID are their places by id.
	turns []indexedTurn
	byID  []int32
	// pictures are the pictures of all turns, those of one behind each other.
	pictures []indexedPicture
}

type indexedSession struct {
	task  uint64
	date  string
	order int32
	// turns [first, first+n) are its own.
	first, n int32
}

type indexedTurn struct {
	id, session, line uint64
	// position is the turn's place in the one stream of its task; 0 for none.
	position      int64
	length, order int32
	shows, n      int32
}

type indexedPicture struct{ media, captions uint64 }

func (k *turnIndex) hash(cells ...any) uint64 {
	return maphash.Bytes(k.seed, extsort.AppendKey(nil, cells...))
}

func (k *turnIndex) addTurn(t schemas.Turn) {
	line := t.Line()
	k.turns = append(k.turns, indexedTurn{
		id: k.hash(t.TurnID), session: k.hash(t.SessionID), line: maphash.String(k.seed, line), length: int32(len(line)), order: t.Order, position: t.Position,
		shows: int32(len(k.pictures)), n: int32(len(t.Attachments)),
	})
	for _, a := range t.Attachments {
		k.pictures = append(k.pictures, indexedPicture{k.hash(a.MediaID), k.hash(a.MediaID, a.Caption, a.MinimalCaption, a.TaskAwareCaption)})
	}
}

// sortTurns orders the turns once all are there.
func (k *turnIndex) sortTurns() {
	slices.SortFunc(k.turns, func(a, b indexedTurn) int {
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

// findTurn returns a turn and those behind it in its session.
func (k *turnIndex) findTurn(id string) (from []indexedTurn, in *indexedSession) {
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

// quotedTurns returns the first of some turns that a text quotes as schemas.Quote does.
func (k *turnIndex) quotedTurns(text, date string, from []indexedTurn) []indexedTurn {
	rest, ok := strings.CutPrefix(text, schemas.QuoteDate(date))
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

// showsPicture reports whether a turn shows the picture of a piece of evidence with its
// captions; the minimal caption may be the piece's own.
func (k *turnIndex) showsPicture(turns []indexedTurn, e schemas.Evidence) bool {
	with := k.hash(e.Media, e.Caption, e.MinimalCaption, e.TaskAwareCaption)
	without := k.hash(e.Media, e.Caption, "", e.TaskAwareCaption)
	return k.anyPicture(turns, func(p indexedPicture) bool { return p.captions == with || p.captions == without })
}

func (k *turnIndex) anyPicture(turns []indexedTurn, holds func(indexedPicture) bool) bool {
	return slices.ContainsFunc(turns, func(t indexedTurn) bool { return slices.ContainsFunc(k.pictures[t.shows:t.shows+t.n], holds) })
}

// findDeclared returns the table of a shared schema, or of a list of its records, if the
// release has it.
func findDeclared(all []table, name string) (table, bool) {
	t, _ := findTable(all, name)
	return t, t.declared != nil
}

// checkSessions reads the sessions of a release and compares sessions, turns and memory
// points.
func (c *checker) checkSessions(all []table) {
	c.turns = &turnIndex{seed: maphash.MakeSeed(), sessions: map[uint64]*indexedSession{}}
	sessions, ok := findDeclared(all, pipeline.TableSessions)
	if !ok {
		return
	}
	turns, _ := findDeclared(all, pipeline.TableTurns)
	points, _ := findDeclared(all, pipeline.TablePoints)
	speakers := c.readSessions(sessions)
	names := newIDSet()
	for t := range declaredRecords[schemas.Turn](c.rows, turns) {
		c.readTurn(t, speakers, names)
	}
	c.turns.sortTurns()
	for s := range declaredRecords[schemas.Session](c.rows, sessions) {
		c.checkTurnOrder(s)
	}
	for p := range declaredRecords[schemas.MemoryPoint](c.rows, points) {
		c.checkMemoryPoint(p)
	}
}

// readSessions checks sessions and returns who speaks in each.
func (c *checker) readSessions(t table) (speakers *idSet) {
	speakers = newIDSet()
	places := newIDSet()
	for s := range declaredRecords[schemas.Session](c.rows, t) {
		c.turns.sessions[c.turns.hash(s.SessionID)] = &indexedSession{task: c.turns.hash(s.TaskID), date: s.Date, order: s.Order}
		if !places.add(s.TaskID, s.Order) {
			c.blameRow(pipeline.TableSessions, s.SessionID, "another one of its task has the order %d", s.Order)
		}
		spoken := []string{schemas.KindDialogue, schemas.KindGroupChat, schemas.KindPrivateChat}
		if len(s.Participants) == 0 && slices.Contains(spoken, s.Kind) {
			c.blameRow(pipeline.TableSessions, s.SessionID, "a %s needs participants", s.Kind)
		}
		for _, who := range s.Participants {
			speakers.add(s.SessionID, who)
		}
	}
	return speakers
}

// readTurn checks a turn and adds it to the index. names holds the names of the pictures
// of all tasks.
func (c *checker) readTurn(t schemas.Turn, speakers, names *idSet) {
	c.turns.addTurn(t)
	said := strings.TrimSpace(t.Text + t.Observation + t.Reasoning + t.Action + t.Feedback)
	switch {
	case t.Speaker != "" && !speakers.has(t.SessionID, t.Speaker):
		c.blameRow(pipeline.TableTurns, t.TurnID, "its speaker %q is not among the participants of session %s", t.Speaker, t.SessionID)
	case said == "" && len(t.Attachments) == 0:
		c.blameRow(pipeline.TableTurns, t.TurnID, "nothing is said in it and nothing shown")
	case strings.HasPrefix(t.TurnID, t.SessionID+"/T") && t.TurnID != schemas.TurnIDOf(t.SessionID, int(t.Order)):
		c.blameRow(pipeline.TableTurns, t.TurnID, "it has the order %d, and its id counts otherwise", t.Order)
	}
	s := c.turns.sessions[c.turns.hash(t.SessionID)]
	for _, a := range t.Attachments {
		if s != nil && a.AttachmentID != "" && !names.add(int64(s.task), a.AttachmentID) {
			c.blameRow(pipeline.TableTurns, t.TurnID, "another picture of the task is called %s, too", a.AttachmentID)
		}
	}
}

// checkTurnOrder checks that the turns of a session count from 1.
func (c *checker) checkTurnOrder(s schemas.Session) {
	own := c.turns.sessions[c.turns.hash(s.SessionID)]
	turns := c.turns.turns[own.first : own.first+own.n]
	if len(turns) == 0 {
		c.blameRow(pipeline.TableSessions, s.SessionID, "it has no turn")
	}
	for i, t := range turns {
		if int(t.order) != i+1 {
			c.blameRow(pipeline.TableSessions, s.SessionID, "its turns do not count 1, 2, 3 and so on: there is a %d where %d should be", t.order, i+1)
			return
		}
	}
}

// checkMemoryPoint checks what a memory point says of itself and of turns; checkRefs
// checks that these are of its session.
func (c *checker) checkMemoryPoint(p schemas.MemoryPoint) {
	switch {
	case len(p.EvidenceTurns) == 0:
		c.blameRow(pipeline.TablePoints, p.MemoryID, "it names no turn that it rests on")
	case p.IsInterference && p.Resembles == "":
		c.blameRow(pipeline.TablePoints, p.MemoryID, "it is interference and resembles nothing")
	}
	for _, m := range p.EvidenceMedia {
		want := c.turns.hash(m)
		if !slices.ContainsFunc(p.EvidenceTurns, func(id string) bool {
			from, _ := c.turns.findTurn(id)
			return len(from) > 0 && c.turns.anyPicture(from[:1], func(p indexedPicture) bool { return p.media == want })
		}) {
			c.blameRow(pipeline.TablePoints, p.MemoryID, "no turn that it names shows %s", m)
		}
	}
}
