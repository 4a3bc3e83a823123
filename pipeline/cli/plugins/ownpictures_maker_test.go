package plugins_test

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
)

// maker plays captioner, author, panel and judge. It knows a question by its words: the
// right answer, and the pictures without which nobody can tell.
type maker struct {
	t     *testing.T
	mu    sync.Mutex
	gold  map[string]string
	needs map[string][][32]byte
	asked map[string]int
}

func newMaker(t *testing.T) *maker {
	return &maker{t: t, gold: map[string]string{}, needs: map[string][][32]byte{}, asked: map[string]int{}}
}

func (m *maker) answer(a testkit.ChatRequest) testkit.ChatReply {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch a.Task {
	case "visual_caption_minimal", "visual_caption_dense", "visual_caption_task_aware":
		return m.caption(a)
	case "visual_author":
		return m.question(a)
	case "gate_support":
		m.asked["judged"]++
		return testkit.ReplyJSON(object{"why": "It is so.", "supported": "yes"})
	case "gate_shipped":
		m.asked["shipped"]++
		return testkit.ReplyJSON(object{"why": "There is none.", "answerable": "yes", "unambiguous": "yes", "grammatical": "yes", "self_contained": "yes"})
	}
	return m.choose(a)
}

func (m *maker) caption(a testkit.ChatRequest) testkit.ChatReply {
	if len(a.Images) != 1 {
		m.t.Errorf("a captioner sees %d pictures", len(a.Images))
	}
	again := strings.Contains(a.User, "refused_answer")
	text := "The ground is plain and goes over from dark to light. Nothing stands on it, and its edges are sharp on all four sides."
	switch mark := sha256.Sum256(a.Images[0])[0]; a.Task {
	case "visual_caption_minimal":
		m.asked["minimal"]++
		if text = "a photo of a place"; !again && mark%4 == 0 {
			text = "a red photo of two boats"
			m.asked["telling captions"]++
		}
	case "visual_caption_task_aware":
		text += " " + text
		m.asked["task-aware"]++
	default:
		m.asked["dense"]++
	}
	return testkit.ReplyJSON(object{"cannot": "", "caption": text})
}

var target = regexp.MustCompile(`The target: (X[1-4]), (Y[1-3])\.`)

type toldRound struct {
	Round    string
	Lines    []string
	Pictures []struct{ Number int }
}

// question writes one for the target, of the first rounds whose pictures it sees.
func (m *maker) question(a testkit.ChatRequest) testkit.ChatReply {
	var rounds []toldRound
	var asked []string
	if err := a.Data("rounds", &rounds); err != nil {
		m.t.Error(err)
	}
	if err := a.Data("asked", &asked); err != nil {
		m.t.Error(err)
	}
	aim := target.FindStringSubmatch(a.User)
	x, y := aim[1], aim[2]
	m.asked["author"]++
	if x == "X2" && y == "Y3" {
		return testkit.ReplyJSON(empty("nothing changes its place here"))
	}
	var seen []toldRound
	for _, r := range rounds {
		if len(r.Pictures) > 0 && r.Pictures[0].Number > 0 {
			seen = append(seen, r)
		}
	}
	first := len(asked) % len(seen)
	used := seen[first : first+1]
	if y != "Y1" {
		used = []toldRound{seen[0], seen[1+len(asked)%(len(seen)-1)]}
	}
	shown := func(r toldRound) [32]byte { return sha256.Sum256(a.Images[r.Pictures[0].Number-1]) }
	var names []string
	d := empty("")
	clues := []object{}
	var needs [][32]byte
	for i, r := range used {
		role := "clue"
		if y == "Y3" {
			role = []string{"superseded", "update"}[i]
		}
		clues = append(clues, object{"round": r.Round, "role": role})
		names = append(names, strings.TrimSuffix(strings.Fields(r.Lines[0])[8], "."))
		if role != "superseded" {
			needs = append(needs, shown(r))
		}
	}
	mark := sha256.Sum256([]byte(x + y + strings.Join(names, " ")))
	at := int(mark[0]) % len(tints)
	options := []string{tints[at], tints[(at+1)%len(tints)], tints[(at+2)%len(tints)], tints[(at+3)%len(tints)]}
	part := map[string]string{"X1": "the whole", "X2": "the corner", "X3": "the nearest thing", "X4": "the label"}[x]
	form := map[string]string{"Y1": "", "Y2": " together", "Y3": " in the end"}[y]
	open := fmt.Sprintf("What tint had %s of what I saw at the %s%s?", part, strings.Join(names, " and the "), form)
	d["open_question"], d["mcq_question"] = open, "Which of these is right: "+strings.ToLower(open[:1])+open[1:]
	d["ground_truth"], d["options"], d["correct_option"], d["clue_rounds"], d["error_type"] = options[0], options, "A", clues, "other_value"
	d["target_X"], d["target_Y"] = x, y
	d["explanation"] = fmt.Sprintf("The picture from the %s shows the tint %s at %s; this decides, and the rounds named are just those that it takes.", names[len(names)-1], options[0], part)
	if y == "Y3" {
		d["update_in"], d["error_type"] = "picture", "stale_state"
	}
	m.gold[open], m.needs[open] = options[0], needs
	m.gold[d["mcq_question"].(string)], m.needs[d["mcq_question"].(string)] = options[0], needs
	m.spoil(d, mark[1], strings.Contains(a.User, "refused_answer"))
	return testkit.ReplyJSON(d)
}

// spoil makes some first answers such as can be repaired, and some such as cannot.
func (m *maker) spoil(d object, mark byte, again bool) {
	switch {
	case mark%4 == 0:
		options := slices.Clone(d["options"].([]string))
		for i := range options {
			options[i] = fmt.Sprintf("%c) %s ", 'A'+i, options[i])
		}
		d["options"] = options
		clues := slices.Clone(d["clue_rounds"].([]object))
		slices.Reverse(clues)
		d["clue_rounds"], d["correct_option"] = clues, "a"
		m.asked["repairable"]++
	case mark%4 == 1 && !again:
		d["clue_rounds"] = []object{{"round": "D9:9", "role": "clue"}}
		m.asked["unusable"]++
	}
}

func empty(cannot string) object {
	return object{
		"cannot": cannot, "open_question": "", "ground_truth": "", "mcq_question": "", "options": []string{}, "correct_option": "", "error_type": "",
		"clue_rounds": []object{}, "update_in": "", "target_X": "", "target_Y": "", "explanation": "",
	}
}

// choose answers as somebody who knows the right option once it sees the pictures.
func (m *maker) choose(a testkit.ChatRequest) testkit.ChatReply {
	var question string
	var options []struct{ Letter, Text string }
	if err := a.Data("question", &question); err != nil {
		m.t.Error(err)
	}
	if err := a.Data("options", &options); err != nil {
		m.t.Error(err)
	}
	needs, known := m.needs[question]
	if !known {
		m.t.Errorf("%s is asked %q", a.Task, question)
	}
	m.asked["panel"]++
	var shown [][32]byte
	for _, img := range a.Images {
		shown = append(shown, sha256.Sum256(img))
	}
	if !slices.ContainsFunc(needs, func(n [32]byte) bool { return !slices.Contains(shown, n) }) {
		for _, o := range options {
			if o.Text == m.gold[question] {
				return testkit.ReplyJSON(object{"why": "I see it.", "answer": o.Letter})
			}
		}
	}
	return testkit.ReplyJSON(object{"why": "Nothing tells.", "answer": "unknown"})
}
