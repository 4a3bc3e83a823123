package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/schemas"
)

// categories are the published names of the tasks.
func categories() map[string]string {
	return map[string]string{
		schemas.TaskSingleHop: "Single_Hop_QA", schemas.TaskMultiHop: "Multi_Hop_QA", schemas.TaskConflict: "Conflict_Resolution_QA",
		schemas.TaskPreference: "Preference_QA", schemas.TaskFunctionCall: "Function_Call",
	}
}

// The published shapes: a cluster's questions, a stream of turns, and the tools. Keys that a
// comment calls additional are ours.
type (
	publishedQuestion struct {
		ID       string                      `json:"id"`
		Category string                      `json:"category"`
		Domain   string                      `json:"domain"`
		Question string                      `json:"question"`
		Answer   json.RawMessage             `json:"answer"`
		Choice   *publishedChoice            `json:"multi_choice_QA,omitempty"`
		Evidence map[string][]string         `json:"evidence"`
		Placed   map[string][]publishedPlace `json:"evidence_assignment"`
		More     *publishedMore              `json:"memforge,omitempty"` // additional
	}
	publishedChoice struct {
		Options []string `json:"multi_choice_QA_options"`
		Right   int      `json:"multi_choice_QA_answer"`
	}
	publishedPlace struct {
		Conversation string `json:"conversation_name"`
		Turn         int    `json:"insert_conversation_turn"`
		Order        int32  `json:"order,omitempty"` // additional, as is Role
		Role         string `json:"role,omitempty"`
	}
	publishedMore struct {
		Fact        string    `json:"fact"`
		Arrangement string    `json:"arrangement,omitempty"`
		Preference  string    `json:"preference,omitempty"`
		Tools       []string  `json:"tools,omitempty"`
		Sufficient  [][]int32 `json:"sufficient,omitempty"`
	}
	publishedStream struct {
		Turns []publishedTurn `json:"conversation"`
	}
	publishedTurn struct {
		Sender       string          `json:"sender_name"`
		Time         string          `json:"timestamp"`
		Conversation string          `json:"conversation_name"`
		Type         string          `json:"content_type"`
		Content      json.RawMessage `json:"content"`
		Caption      string          `json:"caption,omitempty"`
		ID           string          `json:"turn_id,omitempty"`  // additional
		Position     int64           `json:"position,omitempty"` // additional: in the merged stream
	}
	publishedPart struct {
		Type    string `json:"type"`
		Content any    `json:"content"`
	}
	publishedTool struct {
		Name       string                     `json:"function_name"`
		Defaults   map[string]json.RawMessage `json:"default_arguments"`
		Comment    string                     `json:"function_comment"`
		Parameters json.RawMessage            `json:"parameters,omitempty"` // additional: the JSON Schema
	}
)

// largestFile is how many bytes of JSON a file may have.
const largestFile = 64 << 20

// readPublished reads the published folders: Samples/cluster_N with questions and streams,
// and candidate_tools.json.
func readPublished(root fs.FS) (items, error) {
	r := benchformat.Reader{Root: root}
	var tools []publishedTool
	if err := readPublishedFile(&r, toolsFile, &tools); err != nil {
		return nil, err
	}
	offered := defaults{}
	for _, t := range tools {
		offered.add(t.Name, t.Defaults)
	}
	clusters, err := fs.Glob(root, "Samples/*")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(clusters, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // by number
	var out items
	seen := map[string]bool{}
	for _, cluster := range clusters {
		asked, turns, err := readCluster(&r, cluster)
		if err != nil {
			return nil, err
		}
		for _, q := range asked {
			if q.ID == "" || seen[q.ID] {
				return nil, fmt.Errorf("%s: the id %q is empty or there twice", cluster, q.ID)
			}
			seen[q.ID] = true
			s, err := q.sample(path.Base(cluster), turns)
			if err != nil {
				return nil, fmt.Errorf("%s: question %s: %w", cluster, q.ID, err)
			}
			i, err := newItem(s, offered)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cluster, err)
			}
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of its folders Samples/* holds questions")
	}
	return out, nil
}

// readPublishedFile reads a file whose keys may be more than are known here.
func readPublishedFile(r *benchformat.Reader, name string, v any) error {
	data, err := r.ReadFile(name, largestFile)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// streamPlace is a place in a stream, from 0.
type streamPlace struct {
	stream string
	turn   int
}

// turnAt is a turn by its id, and what it says or its caption.
type turnAt struct{ id, text string }

// readCluster returns the questions of a cluster, and its turns by their places.
func readCluster(r *benchformat.Reader, cluster string) (asked []publishedQuestion, turns map[streamPlace]turnAt, err error) {
	files, err := fs.Glob(r.Root, cluster+"/*.json")
	if err != nil {
		return nil, nil, err
	}
	turns = map[streamPlace]turnAt{}
	for _, file := range files {
		if strings.HasPrefix(path.Base(file), "QA_") {
			var more []publishedQuestion
			if err := readPublishedFile(r, file, &more); err != nil {
				return nil, nil, err
			}
			asked = append(asked, more...)
			continue
		}
		var s publishedStream
		if err := readPublishedFile(r, file, &s); err != nil {
			return nil, nil, err
		}
		for n, t := range s.Turns {
			text := string(t.Content)
			var plain string
			if json.Unmarshal(t.Content, &plain) == nil {
				text = plain
			}
			turns[streamPlace{t.Conversation, n}] = turnAt{cmp.Or(t.ID, fmt.Sprintf("%s/%d", t.Conversation, n)), cmp.Or(t.Caption, text)}
		}
	}
	return asked, turns, nil
}

// sample returns a question of the folders. One of no task keeps its id alone.
func (q publishedQuestion) sample(cluster string, turns map[streamPlace]turnAt) (Sample, error) {
	s := Sample{ID: q.ID, Environment: cluster, Question: q.Question, Answer: q.Answer}
	for task, category := range categories() {
		if category == q.Category {
			s.Task = task
		}
	}
	switch s.Task {
	case "": // in no figure
		s.Answer = json.RawMessage(`""`)
	case schemas.TaskFunctionCall:
	default:
		c := cmp.Or(q.Choice, &publishedChoice{})
		if c.Right < 0 || c.Right >= len(c.Options) || len(c.Options) > len(letters) {
			return s, fmt.Errorf("its answer is option %d of %d; want at most %d options", c.Right, len(c.Options), len(letters))
		}
		s.Options = map[string]string{}
		for n, text := range c.Options {
			s.Options[letters[n:n+1]] = text
		}
		s.Answer = json.RawMessage(`"` + letters[c.Right:c.Right+1] + `"`)
	}
	sources := map[string]bool{}
	for _, kind := range slices.Sorted(maps.Keys(q.Placed)) {
		modality, _, _ := strings.Cut(strings.TrimPrefix(kind, misleads), "_")
		role := schemas.RoleClue
		if strings.HasPrefix(kind, misleads) {
			role = schemas.RoleSuperseded
		}
		for _, p := range q.Placed[kind] {
			at, there := turns[streamPlace{p.Conversation, p.Turn}]
			if !there {
				at.id = fmt.Sprintf("%s/%d", p.Conversation, p.Turn)
			}
			sources[p.Conversation] = true
			s.Evidence = append(s.Evidence, Evidence{Turn: at.id, Order: p.Order, Role: cmp.Or(p.Role, role), Modality: modality, Text: at.text})
		}
	}
	slices.SortStableFunc(s.Evidence, func(a, b Evidence) int { return cmp.Compare(a.Order, b.Order) })
	for i := range s.Evidence {
		s.Evidence[i].Order = int32(i + 1)
	}
	if len(sources) > 0 {
		s.Required = strconv.Itoa(len(sources))
	}
	if m := q.More; m != nil {
		s.Fact, s.Arrangement, s.Preference, s.Sufficient = m.Fact, m.Arrangement, m.Preference, m.Sufficient
	}
	for _, set := range s.Sufficient {
		if len(set) == 0 || slices.ContainsFunc(set, func(at int32) bool { return at < 1 || int(at) > len(s.Evidence) }) {
			return s, fmt.Errorf("a sufficient set is %v, of %d pieces", set, len(s.Evidence))
		}
	}
	return s, nil
}
