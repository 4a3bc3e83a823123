package dialogs

import (
	"fmt"
	"maps"
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
	for _, key := range []string{"human-annotated QAs", "human_annotated_qas", "qas"} {
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

// dateOf returns the day of a session; empty where it has none, or one before that of a
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

// parsePictures reads a path or a list of paths with as many captions, or none.
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

// pictureNames returns the names that questions use for the pictures of the rounds.
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

func (c *conversation) roundsQuestion(q question, o annotation.Object, names map[string]bool) (err error) {
	err = o.Fill(annotation.Field{Key: "question", Into: &q.text}, annotation.Field{Key: "answer", Into: &q.answer}, annotation.Field{Key: "question_id", Into: &q.id})
	if err != nil {
		return err
	}
	if q.id != "" && !idForm.MatchString(q.id) {
		return fmt.Errorf("question_id %q: want at most 64 letters, digits, dots, - and _", annotation.Truncate(q.id))
	}
	if q.kind, q.labels, err = parsePoint(o); err != nil {
		return err
	}
	clues, err := o.Texts("clue")
	if err != nil {
		return err
	}
	q.refs = c.parseEvidence(q.place, clues)
	if ref, err := laterClue(o, q.refs); err != nil || ref != "" {
		if err == nil {
			c.reject(q.place, codeLater, "its clue %s is of a session after all that it names (session_id): the question is left out", ref)
		}
		return err
	}
	if err := q.takeOptions(o); err != nil {
		return err
	}
	if q.text == "" || q.answer == "" {
		return fmt.Errorf("it lacks a question or an answer")
	}
	if pictureID.MatchString(q.answer) && !names[q.answer] {
		return fmt.Errorf("its answer is the picture %s, which no round has", q.answer)
	}
	if q.pictures, err = ownPictures(o); err != nil {
		return err
	}
	c.questions = append(c.questions, q)
	return nil
}

// ownPictures returns the pictures of a question itself, with captions under either of
// two keys.
func ownPictures(o annotation.Object) (out []picture, err error) {
	for _, key := range []string{"question_image", "question_images"} {
		if len(out) > 0 {
			break
		}
		captions := "question_image_caption"
		if _, there := o[captions]; !there {
			captions = "image_caption"
		}
		if out, err = parsePictures(o, key, captions); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// laterClue finds a clue of a session after all those that a question names.
func laterClue(o annotation.Object, refs []string) (string, error) {
	named, err := o.Texts("session_id")
	if err != nil {
		return "", err
	}
	number := func(id string) int {
		m := numberedSession.FindStringSubmatch(id)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1]) // at most four digits
		return n
	}
	last := 0
	for _, id := range named {
		last = max(last, number(id))
	}
	for _, ref := range refs {
		if of, _, _ := strings.Cut(ref, ":"); last > 0 && number(of) > last {
			return ref, nil
		}
	}
	return "", nil
}

// parsePoint reads what a question tests: a code, or codes of MemEye's two axes, of
// which each but the first is a label of its own.
func parsePoint(o annotation.Object) (kind string, labels map[string]string, err error) {
	if code, err := o.Text("point"); err == nil {
		kind, known := roundsKinds()[code]
		if !known {
			return "", nil, fmt.Errorf("point %q is no kind of question that is known", annotation.Truncate(code))
		}
		return kind, nil, nil
	}
	axes, err := annotation.ParseList(o["point"])
	if err != nil || len(axes) != 2 {
		return "", nil, fmt.Errorf("point %s is neither a code nor two lists of codes", annotation.Truncate(string(o["point"])))
	}
	labels = map[string]string{}
	for i, name := range []string{schemas.LabelGranularity, schemas.LabelReasoning} {
		codes, err := (annotation.Object{"codes": axes[i]}).Texts("codes")
		if err != nil || len(codes) == 0 {
			return "", nil, fmt.Errorf("point %s has no codes of axis %d", annotation.Truncate(string(o["point"])), i+1)
		}
		slices.Sort(codes)
		labels[name] = strings.Join(codes, "+")
	}
	return kindGrid, labels, nil
}

// takeOptions reads options: one object of letters, or rotations of the same
// options, each with the letter of its answer.
func (q *question) takeOptions(o annotation.Object) error {
	raw, there := o["options"]
	if !there || string(raw) == "null" {
		return nil
	}
	if one, err := o.Object("options"); err == nil {
		return q.takeLetterOptions(one)
	}
	rotations, err := o.Objects("options")
	if err != nil || len(rotations) == 0 {
		return fmt.Errorf("options are neither an object nor a list of objects")
	}
	visited := map[string]bool{}
	var first map[string]bool
	for i, r := range rotations {
		letter, texts, err := rotation(r)
		if err != nil {
			return fmt.Errorf("rotation %d: %w", i+1, err)
		}
		all := setOfTexts(texts)
		if first == nil {
			first, q.answer = all, texts[letter]
		}
		if !maps.Equal(all, first) || texts[letter] != q.answer || visited[letter] || len(all) != len(texts) {
			return fmt.Errorf("rotation %d is not a rotation of the first with the right text at a letter of its own", i+1)
		}
		visited[letter] = true
	}
	if len(rotations) != len(first) {
		return fmt.Errorf("%d rotations of %d options: the right text must stand at each letter once", len(rotations), len(first))
	}
	q.takeWrong(first)
	return nil
}

// takeLetterOptions reads options of one object, whose answer is a letter.
func (q *question) takeLetterOptions(o annotation.Object) error {
	_, texts, err := rotation(o)
	if err != nil {
		return err
	}
	all := setOfTexts(texts)
	if texts[q.answer] == "" || len(all) != len(texts) {
		return fmt.Errorf("answer %q is none of %d different options", annotation.Truncate(q.answer), len(all))
	}
	q.answer = texts[q.answer]
	q.takeWrong(all)
	return nil
}

func (q *question) takeWrong(all map[string]bool) {
	for _, text := range slices.Sorted(maps.Keys(all)) {
		if text != q.answer {
			q.wrong = append(q.wrong, text)
		}
	}
}

// rotation reads the texts of options by their letters, and the letter of the
// answer where that stands among them.
func rotation(o annotation.Object) (letter string, texts map[string]string, err error) {
	texts = map[string]string{}
	for _, key := range sortedKeys(o) {
		text, err := o.Text(key)
		if err != nil || text == "" {
			return "", nil, fmt.Errorf("option %q is no text", annotation.Truncate(key))
		}
		switch {
		case key == "answer":
			letter = text
		case len(key) == 1 && key >= "A" && key <= "Z":
			texts[key] = text
		default:
			return "", nil, fmt.Errorf("option %q: want letters from A to Z", annotation.Truncate(key))
		}
	}
	if len(texts) < 2 || letter != "" && texts[letter] == "" {
		return "", nil, fmt.Errorf("answer %q is none of %d options", annotation.Truncate(letter), len(texts))
	}
	return letter, texts, nil
}

func setOfTexts(texts map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, t := range texts {
		out[t] = true
	}
	return out
}
