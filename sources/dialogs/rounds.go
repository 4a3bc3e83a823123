package dialogs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

// keyDialogues holds the sessions in the layout of Mem-Gallery, which MemEye shares.
const keyDialogues = "multi_session_dialogues"

// openSuffix ends the name of the file with the open form of a task's questions.
const openSuffix = "_Open"

// keysOfQuestions are what upstream's loader looks for, in its order.
func keysOfQuestions() []string { return []string{"human-annotated QAs", "human_annotated_qas", "qas"} }

// numberedSession is a session's id, D3. pointCode is one axis of a cell of the
// grid, or the two or three letters of a kind of question.
var (
	numberedSession = regexp.MustCompile(`^D([1-9][0-9]{0,3})$`)
	// A picture is called D2:IMG_003, and its file D2_IMG_003.jpg.
	pictureID = regexp.MustCompile(`^D[1-9][0-9]{0,3}:IMG_[0-9]{1,6}$`)
	fileID    = regexp.MustCompile(`^D[1-9][0-9]{0,3}_IMG_[0-9]{1,6}$`)
	day       = regexp.MustCompile(`^[0-9]{4}-[01][0-9]-[0-3][0-9]$`)
)

// Kinds of question by Mem-Gallery's codes, where the meaning is known.
func roundsKinds() map[string]string {
	return map[string]string{
		"FR": "factual_retrieval", "TR": "temporal_reasoning", "VS": "visual_search", "VR": "visual_reasoning", "MR": "multi_entity_reasoning",
		"KR": "knowledge_resolution", "CD": "conflict_detection", "TTL": "test_time_learning", "AR": "answer_refusal",
	}
}

// kindGrid is that of questions which a cell of MemEye's grid describes.
const kindGrid = "visual_memory"

// parseRounds reads the layout in which a turn is a round of a user and an assistant.
func parseRounds(o annotation.Object, name string) (conversation, error) {
	c := conversation{name: name}
	profile, err := o.Object("character_profile")
	if err == nil {
		c.summary, err = profile.Text("persona_summary")
	}
	if err != nil {
		c.reject("character_profile", codeSession, "%v", err)
	}
	list, err := o.Objects(keyDialogues)
	if err != nil {
		return c, err
	}
	for i, s := range list {
		c.roundsSession(fmt.Sprintf("%s[%d]", keyDialogues, i), s)
	}
	if len(c.sessions) == 0 {
		return c, fmt.Errorf("none of its %d sessions can be read", len(list))
	}
	names := c.pictureNames()
	for _, key := range keysOfQuestions() {
		if _, there := o[key]; !there {
			continue
		}
		questions, err := o.Objects(key)
		if err != nil {
			return c, err
		}
		for i, q := range questions {
			place := fmt.Sprintf("%s[%d]", key, i)
			if err := c.roundsQuestion(question{number: i + 1, place: place}, q, names); err != nil {
				c.reject(place, codeQuestion, "%v", err)
			}
		}
		break
	}
	return c, nil
}

func (c *conversation) roundsSession(place string, o annotation.Object) {
	id, err := o.Text("session_id")
	m := numberedSession.FindStringSubmatch(id)
	if err != nil || m == nil {
		c.reject(place, codeSession, "session_id %q is not one like D3", annotation.Truncate(id))
		return
	}
	s := session{}
	s.number, _ = strconv.Atoi(m[1]) // at most four digits
	if slices.ContainsFunc(c.sessions, func(o session) bool { return o.number == s.number }) {
		c.reject(place, codeCopy, "the session %s is there already", id)
		return
	}
	s.at = c.dateOf(place, o)
	list, err := o.Objects("dialogues")
	if err != nil {
		c.reject(place, codeSession, "%v", err)
		return
	}
	for i, r := range list {
		turns, err := parseRound(id, r)
		if err == nil && slices.ContainsFunc(s.turns, func(t turn) bool { return t.ref == turns[0].ref }) {
			err = fmt.Errorf("the round %s is there already", turns[0].ref)
		}
		if err != nil {
			c.reject(fmt.Sprintf("%s.dialogues[%d]", place, i), codeTurn, "%v", err)
			continue
		}
		s.turns = append(s.turns, turns...)
	}
	if len(s.turns) > 0 {
		c.sessions = append(c.sessions, s)
	}
}

// dateOf is the day of a session; empty where it has none, or one before that of a
// session ahead of it.
func (c *conversation) dateOf(place string, o annotation.Object) string {
	at, err := o.Text("date")
	switch {
	case err != nil || at != "" && !day.MatchString(at):
		c.reject(place, codeDate, "date %q is not one like 2024-06-17: the session has no date", annotation.Truncate(at))
		return ""
	case at != "" && slices.ContainsFunc(c.sessions, func(o session) bool { return o.at > at }):
		c.reject(place, codeBack, "the date %s is before that of a session ahead of it: the session has no date", at)
		return ""
	}
	return at
}

// parseRound gives the two turns of a round. Its pictures belong to what the user says.
func parseRound(session string, o annotation.Object) ([]turn, error) {
	ref, err := o.Text("round")
	if err != nil {
		return nil, err
	}
	if of, _, _ := strings.Cut(ref, ":"); of != session || !turnRef.MatchString(ref) {
		return nil, fmt.Errorf("round %q is not one of session %s", annotation.Truncate(ref), session)
	}
	user := turn{ref: ref, role: schemas.TurnUser}
	answer := turn{ref: ref, role: schemas.TurnAssistant}
	if user.text, err = o.Text("user"); err != nil {
		return nil, err
	}
	if answer.text, err = o.Text("assistant"); err != nil {
		return nil, err
	}
	if user.pictures, err = parsePictures(o, "input_image", "image_caption"); err != nil {
		return nil, err
	}
	for i := range user.pictures {
		if fileID.MatchString(stem(user.pictures[i].path)) {
			user.pictures[i].name = strings.Replace(stem(user.pictures[i].path), "_", ":", 1)
		}
	}
	return []turn{user, answer}, nil
}

// parsePictures are those of a key, a path or a list of them, with their captions: none,
// or as many.
func parsePictures(o annotation.Object, key, captionKey string) ([]picture, error) {
	paths, err := o.Texts(key)
	if err != nil {
		return nil, err
	}
	captions, err := o.Texts(captionKey)
	if err != nil {
		return nil, err
	}
	if len(captions) > 0 && len(captions) != len(paths) {
		return nil, fmt.Errorf("%d captions for %d pictures", len(captions), len(paths))
	}
	out := make([]picture, len(paths))
	for i, p := range paths {
		if out[i].path = p; strings.TrimSpace(p) == "" {
			out[i].path = nowhere
		}
		if len(captions) > 0 {
			out[i].caption = captions[i]
		}
	}
	return out, nil
}

// nowhere stands for an empty path, which is no picture and no lack of one either:
// MemEye's loader takes it for the folder.
const nowhere = "./"

// pictureNames are what questions call the pictures of the rounds.
func (c *conversation) pictureNames() map[string]bool {
	out := map[string]bool{}
	for _, s := range c.sessions {
		for _, t := range s.turns {
			for _, p := range t.pictures {
				out[p.name] = true
			}
		}
	}
	return out
}
