package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/schemas"
)

// publishedTask returns the task of a published category, and nothing for one that is none of
// the five.
func publishedTask(category string) string {
	return map[string]string{
		"Single_Hop_QA": schemas.TaskSingleHop, "Multi_Hop_QA": schemas.TaskMultiHop, "Conflict_Resolution_QA": schemas.TaskConflict,
		"Preference_QA": schemas.TaskPreference, "Function_Call": schemas.TaskFunctionCall,
	}[category]
}

// The published shapes: a cluster's questions, a stream of turns, and the tools.
type (
	publishedQuestion struct {
		ID       string          `json:"id"`
		Category string          `json:"category"`
		Question string          `json:"question"`
		Answer   json.RawMessage `json:"answer"`
		Choice   struct {
			Options []string `json:"multi_choice_QA_options"`
			Right   int      `json:"multi_choice_QA_answer"`
		} `json:"multi_choice_QA"`
		Placed map[string][]struct {
			Conversation string `json:"conversation_name"`
			Turn         int    `json:"insert_conversation_turn"`
		} `json:"evidence_assignment"`
	}
	publishedStream struct {
		Turns []struct {
			Conversation string          `json:"conversation_name"`
			Content      json.RawMessage `json:"content"`
			Caption      string          `json:"caption"`
		} `json:"conversation"`
	}
	publishedTool struct {
		Name     string                     `json:"function_name"`
		Comment  string                     `json:"function_comment"`
		Defaults map[string]json.RawMessage `json:"default_arguments"`
	}
)

// readPublished reads the published folders: Samples/cluster_N with questions and streams,
// and candidate_tools.json.
func readPublished(root fs.FS) (items, error) {
	r := benchformat.Reader{Root: root}
	tools, err := readPublishedTools(&r)
	if err != nil {
		return nil, err
	}
	clusters, err := fs.Glob(root, "Samples/*")
	if err != nil {
		return nil, err
	}
	var out items
	seen := map[string]bool{}
	for _, cluster := range clusters {
		asked, texts, err := readCluster(&r, cluster)
		if err != nil {
			return nil, err
		}
		for _, q := range asked {
			if q.ID == "" || seen[q.ID] {
				return nil, fmt.Errorf("%s: the id %q is empty or there twice", cluster, q.ID)
			}
			seen[q.ID] = true
			i, err := q.item(path.Base(cluster), tools, texts)
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

func readPublishedTools(r *benchformat.Reader) (out []Tool, err error) {
	var list []publishedTool
	if err := readPublishedFile(r, "candidate_tools.json", &list); err != nil {
		return nil, err
	}
	for _, t := range list {
		properties := map[string]any{}
		for name, value := range t.Defaults {
			properties[name] = map[string]any{"default": value}
		}
		form, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		if err != nil {
			return nil, err
		}
		out = append(out, Tool{t.Name, t.Comment, form})
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

// readCluster returns the questions of a cluster, and what its turns say by their ids.
func readCluster(r *benchformat.Reader, cluster string) (asked []publishedQuestion, texts map[string]string, err error) {
	files, err := fs.Glob(r.Root, cluster+"/*.json")
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{}
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
			texts[publishedTurn(t.Conversation, n)] = cmp.Or(t.Caption, text)
		}
	}
	return asked, texts, nil
}

// publishedTurn returns the id of a turn: its stream, and its place from 0.
func publishedTurn(stream string, place int) string { return fmt.Sprintf("%s/%d", stream, place) }

func (q publishedQuestion) item(cluster string, tools []Tool, texts map[string]string) (item, error) {
	s := Sample{ID: q.ID, Environment: cluster, Task: publishedTask(q.Category), Question: q.Question, Answer: q.Answer}
	switch s.Task {
	case "": // in no figure
		s.Answer = json.RawMessage(`""`)
	case schemas.TaskFunctionCall:
		s.Tools = tools
	default:
		if q.Choice.Right < 0 || q.Choice.Right >= len(q.Choice.Options) || len(q.Choice.Options) > len(letters) {
			return item{}, fmt.Errorf("question %s: its answer is option %d of %d; want at most %d options", q.ID, q.Choice.Right, len(q.Choice.Options), len(letters))
		}
		s.Options = map[string]string{}
		for n, text := range q.Choice.Options {
			s.Options[letters[n:n+1]] = text
		}
		s.Answer = json.RawMessage(`"` + letters[q.Choice.Right:q.Choice.Right+1] + `"`)
	}
	for _, kind := range slices.Sorted(maps.Keys(q.Placed)) {
		modality, _, _ := strings.Cut(strings.TrimPrefix(kind, "mis_"), "_")
		role := schemas.RoleClue
		if strings.HasPrefix(kind, "mis_") {
			role = schemas.RoleSuperseded
		}
		for _, p := range q.Placed[kind] {
			turn := publishedTurn(p.Conversation, p.Turn)
			s.Evidence = append(s.Evidence, Evidence{Source: p.Conversation, Turn: turn, Order: int32(len(s.Evidence) + 1), Role: role, Modality: modality, Text: texts[turn]})
			if !slices.Contains(s.Sources, p.Conversation) {
				s.Sources = append(s.Sources, p.Conversation)
			}
		}
	}
	return newItem(s)
}
