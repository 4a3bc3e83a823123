package dialogs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

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

// ownPictures are those that a question itself shows, with their captions under either
// of two keys.
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

// takeLetterOptions are options of one object, of which the answer is a letter.
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
