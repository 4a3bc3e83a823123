package plugins_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/testkit"
)

// scripted answers as an author, a judge and a panel that know nothing: what it says
// follows from the request alone, but for the judge, who remembers which evidence a
// question has in all.
type scripted struct {
	mu    sync.Mutex
	whole map[string]evidence
}

// evidence is which texts were shown, and how many pictures.
type evidence struct {
	texts    []string
	pictures int
}

func (s *scripted) answer(a testkit.ChatRequest) testkit.ChatReply {
	out, err := s.say(a)
	if err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	return testkit.ReplyJSON(out)
}

// answered is an answer.
type answered map[string]any

func (s *scripted) say(a testkit.ChatRequest) (answered, error) {
	switch a.Task {
	case "gate_answer":
		return answered{"why": "It is not shown.", "answer": "unknown"}, nil
	case "gate_call":
		return answered{"why": "It is not shown.", "call": "unknown"}, nil
	case "gate_support":
		return s.judge(a)
	case "crosssource_complement":
		return complement(a)
	case "crosssource_split":
		return answered{"cannot": "", "calls": []int{1}, "question": "Book me the seat that goes with this picture?"}, nil
	case "crosssource_depict":
		return depict(a)
	case "crosssource_distract":
		return distract(a)
	case "crosssource_topics":
		return answered{"topics": []string{"travel", "food"}, "other": ""}, nil
	case "crosssource_subtopics":
		_, rest, _ := strings.Cut(a.User, "Wanted: ")
		n, list := 0, []string{}
		_, err := fmt.Sscan(rest, &n)
		for i := range n {
			list = append(list, fmt.Sprintf("Sub-topic %d is worth a talk.", i+1))
		}
		return answered{"topics": list}, err
	case "crosssource_turn":
		mark := string(pipeline.DigestOf([]byte(a.User)))[:10]
		if strings.HasSuffix(a.User, "It is long.") {
			return answered{"text": strings.Repeat("There is more to "+mark+" than one would think at first. ", 5)}, nil
		}
		return answered{"text": "What about " + mark + " then?"}, nil
	case "crosssource_anchor":
		return answered{"anchor": "NONE"}, nil
	case "crosssource_thread":
		return thread(a)
	case "crosssource_people":
		var people []answered
		if err := a.Data("people", &people); err != nil {
			return nil, err
		}
		for i, p := range people {
			p["habits"], p["voice"] = []string{"writes late"}, "short"
			p["relations"] = []answered{{"with": people[(i+1)%len(people)]["name"], "is": "a neighbour"}}
		}
		return answered{"people": people}, nil
	case "crosssource_paper":
		_, rest, _ := strings.Cut(a.User, "Wanted: ")
		n, list := 0, []string{}
		_, err := fmt.Sscan(rest, &n)
		for i := range n {
			list = append(list, fmt.Sprintf("Paragraph %d tells how things go here.", i+1))
		}
		return answered{"entries": list}, err
	}
	return nil, fmt.Errorf("nobody scripted %s", a.Task)
}

// judge says yes where all the evidence is shown that it saw of the question first, with
// other texts beside it or without.
func (s *scripted) judge(a testkit.ChatRequest) (answered, error) {
	var question string
	var passages []struct{ Text string }
	if err := a.Data("question", &question); err != nil {
		return nil, err
	}
	if strings.Contains(a.User, "<passages>") {
		if err := a.Data("passages", &passages); err != nil {
			return nil, err
		}
	}
	var proposed string
	if err := a.Data("proposed_answer", &proposed); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := question + proposed
	shown := evidence{pictures: len(a.Images)}
	for _, p := range passages {
		shown.texts = append(shown.texts, p.Text)
	}
	if _, seen := s.whole[key]; !seen {
		s.whole[key] = shown
	}
	verdict := "no"
	if whole := s.whole[key]; words.Within(whole.texts, shown.texts) && shown.pictures >= whole.pictures {
		verdict = "yes"
	}
	return answered{"why": "By what is shown.", "supported": verdict}, nil
}

func complement(a testkit.ChatRequest) (answered, error) {
	var question string
	err := a.Data("question", &question)
	return answered{"cannot": "", "text": "Nothing counts here but what all of us agreed on when we met first.", "question": "By that agreement: " + question}, err
}

var longWord = regexp.MustCompile(`[A-Za-z]{6,}`)

func depict(a testkit.ChatRequest) (answered, error) {
	var pieces []struct {
		Number int
		Text   string
	}
	if err := a.Data("pieces", &pieces); err != nil {
		return nil, err
	}
	for _, p := range pieces {
		word := longWord.FindString(p.Text)
		if word == "" {
			continue
		}
		text := regexp.MustCompile(`(?i)\b`+word+`\b`).ReplaceAllString(p.Text, "this")
		return answered{
			"cannot": "", "piece": p.Number, "phrase": word, "text": text, "title": "Ticket", "lines": []answered{{"name": "For", "value": word[:min(len(word), 40)]}},
		}, nil
	}
	return answered{"cannot": "no word is long", "piece": 0, "phrase": "", "text": "", "title": "", "lines": []answered{}}, nil
}

// distract writes other words of the same length.
func distract(a testkit.ChatRequest) (answered, error) {
	var answer, wrong []string
	if err := a.Data("answer", &answer); err != nil {
		return nil, err
	}
	if err := a.Data("wrong", &wrong); err != nil {
		return nil, err
	}
	options := []string{}
	for i := len(wrong); i < 3; i++ {
		sum := string(pipeline.DigestOf([]byte(fmt.Sprint(answer, i))))
		at := 0
		options = append(options, strings.Map(func(r rune) rune {
			at++
			c := rune(sum[at%len(sum)])
			switch {
			case r >= '0' && r <= '9':
				return '0' + (c*7+rune(i))%10
			case r >= 'a' && r <= 'z':
				return 'a' + (c*11+rune(i))%26
			case r >= 'A' && r <= 'Z':
				return 'A' + (c*11+rune(i))%26
			}
			return r
		}, answer[0]))
	}
	return answered{"cannot": "", "options": options}, nil
}

func thread(a testkit.ChatRequest) (answered, error) {
	var wanted []struct{ Does string }
	var what struct{ Name string }
	if err := a.Data("wanted", &wanted); err != nil {
		return nil, err
	}
	if err := a.Data("exchange", &what); err != nil {
		return nil, err
	}
	var lines []string
	for i, w := range wanted {
		line := fmt.Sprintf("Line %c, which is said %s.", 'A'+i, w.Does)
		if slices.Contains([]string{"announce", "inline"}, w.Does) {
			line += " " + what.Name
		}
		lines = append(lines, line)
	}
	return answered{"lines": lines}, nil
}
