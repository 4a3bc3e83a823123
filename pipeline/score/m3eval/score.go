package m3eval

import (
	"fmt"
	"slices"
	"strings"
)

// Metric names: a prefix of the task, and what a table's cell is made of.
const (
	overallSplit        = "m3eval_divided_attention_accuracy"
	overallInterference = "m3eval_memory_interference_accuracy"
	overallInterleaved  = "m3eval_interleaved_events_accuracy"
	overallNBack        = "m3eval_nback_accuracy"
)

// paperMetrics maps what a row says of itself to the metric it counts for.
// Keys are joined by slashes: detail/dimension for source grounding and false
// memory, detail[/group]/error type for storylines.
func paperMetrics(task Task) map[string]string {
	switch task {
	case Split:
		return map[string]string{
			"source_memory/spatial":                              "m3eval_divided_attention_spatial_source_grounding_accuracy",
			"storyline_reconstruction/swap0/source_confusion":    "m3eval_divided_attention_no_swap_source_identification_accuracy",
			"storyline_reconstruction/swap0/order_disruption":    "m3eval_divided_attention_no_swap_order_understanding_accuracy",
			"storyline_reconstruction/swap0/content_forgetting":  "m3eval_divided_attention_no_swap_content_retention_accuracy",
			"storyline_reconstruction/swap10/source_confusion":   "m3eval_divided_attention_swap_source_identification_accuracy",
			"storyline_reconstruction/swap10/order_disruption":   "m3eval_divided_attention_swap_order_understanding_accuracy",
			"storyline_reconstruction/swap10/content_forgetting": "m3eval_divided_attention_swap_content_retention_accuracy",
		}
	case Interleaved:
		return map[string]string{
			"source_memory/narrative":                     "m3eval_interleaved_events_temporal_source_grounding_accuracy",
			"false_source_attribution/narrative":          "m3eval_interleaved_events_false_memory_discrimination_accuracy",
			"storyline_reconstruction/source_confusion":   "m3eval_interleaved_events_source_identification_accuracy",
			"storyline_reconstruction/order_disruption":   "m3eval_interleaved_events_order_understanding_accuracy",
			"storyline_reconstruction/content_forgetting": "m3eval_interleaved_events_content_retention_accuracy",
		}
	case Interference:
		return map[string]string{
			"proactive":   "m3eval_memory_interference_proactive_accuracy",
			"retroactive": "m3eval_memory_interference_retroactive_accuracy",
		}
	}
	return nil
}

// Count is how many of the scored questions were answered so.
type Count struct {
	Yes   int `json:"yes"`
	Total int `json:"total"`
}

// Share is nil without a total: no question was scored.
func (c Count) Share() *float64 {
	if c.Total == 0 {
		return nil
	}
	share := float64(c.Yes) / float64(c.Total)
	return &share
}

// Scores are the metrics of one run, and what a reader of them should know.
type Scores struct {
	// Metrics are M3Eval's by its names.
	Metrics map[string]Count
	// NBack counts by "N=n", "K=k", "K=k,N=n", "attribute,N=n" as M3Eval does,
	// and by "attribute,K=k,N=n".
	NBack map[string]Count
	// Readings counts how answers were read.
	Readings map[Reading]int
	// Skipped counts questions without a score.
	Skipped int
	// Warnings name what counts in a mean but in no table.
	Warnings []string
}

// Score scores one answer to each question, by question id. Every question
// needs one; use Skipped for those that were not asked.
func Score(set Set, answers map[string]string) (Scores, error) {
	s := Scores{Metrics: map[string]Count{}, NBack: map[string]Count{}, Readings: map[Reading]int{}}
	var missing, lost []string
	for _, d := range set.Docs {
		answer, ok := answers[d.ID]
		if !ok {
			missing = append(missing, d.ID)
			continue
		}
		if !s.add(d, answer) {
			lost = append(lost, fmt.Sprintf("%s (%s)", d.ID, d.Task))
		}
	}
	if len(missing) > 0 {
		return s, &MissingError{IDs: missing}
	}
	if len(lost) > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			"%d questions count in the mean of their task but in no table, because their group, detail, error type or dimension is absent or unknown: %s",
			len(lost), some(lost)))
	}
	return s, nil
}

// MissingError lists questions without an answer.
type MissingError struct{ IDs []string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%d questions have no answer: %s; answer them all, or score the run as incomplete with --incomplete", len(e.IDs), some(e.IDs))
}

func some(list []string) string {
	const shown = 3
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}

// add scores an answer. It reports whether the question counts in a table.
func (s *Scores) add(d Doc, answer string) bool {
	if strings.HasPrefix(answer, Skipped) {
		s.Skipped++
		return true
	}
	if d.Task == NBack {
		return s.addNBack(d, answer)
	}
	letter, how := ParseChoice(answer, Letters(d.Options))
	s.Readings[how]++
	right := letter != "" && letter == strings.ToUpper(d.Answer)
	metrics := paperMetrics(d.Task)
	var metric string
	switch d.Task {
	case Split:
		s.count(overallSplit, right)
		metric = metrics[storyKey(d, d.Group)]
	case Interleaved:
		s.count(overallInterleaved, right)
		metric = metrics[storyKey(d)]
	case Interference:
		s.count(overallInterference, right)
		metric = metrics[direction(d)]
		if intruded, known := intrusion(d, letter); known && metric != "" {
			s.count(strings.Replace(metric, "_accuracy", "_intrusion_rate", 1), intruded)
		}
	}
	if metric != "" {
		s.count(metric, right)
	}
	return metric != ""
}

func (s *Scores) count(metric string, yes bool) { add(s.Metrics, metric, yes) }

func add(counts map[string]Count, key string, yes bool) {
	c := counts[key]
	c.Total++
	if yes {
		c.Yes++
	}
	counts[key] = c
}

func direction(d Doc) string {
	if d.Group != "" {
		return d.Group
	}
	return d.Direction
}

// storyKey is the key of paperMetrics for a row about storylines or sources.
func storyKey(d Doc, group ...string) string {
	if d.Detail == "storyline_reconstruction" {
		return strings.Join(slices.Concat([]string{d.Detail}, group, []string{d.ErrorType}), "/")
	}
	return d.Detail + "/" + d.Dimension
}

// intrusion reports whether the answer came from the competing video, and
// whether the row lets one know. Roles come first; the one letter of older
// rows only counts where the answer has no role.
func intrusion(d Doc, letter string) (intruded, known bool) {
	if role := strip(d.Roles[letter]); role != "" {
		return role == "intrusion", true
	}
	if d.Intrusion != "" {
		return letter != "" && letter == strings.ToUpper(d.Intrusion), true
	}
	return false, false
}

func (s *Scores) addNBack(d Doc, answer string) bool {
	word, how := ParseYesNo(answer)
	s.Readings[how]++
	right := word != "" && strings.EqualFold(word, d.Answer)
	s.count(overallNBack, right)
	known := d.Attribute == "action" || d.Attribute == "scene"
	if known {
		s.count("m3eval_nback_"+d.Attribute+"_accuracy", right)
	}
	if d.N != nil && *d.N >= 1 && *d.N <= 4 {
		s.count(fmt.Sprintf("m3eval_nback_n%d_accuracy", *d.N), right)
	} else {
		known = false
	}
	for _, key := range nbackKeys(d) {
		add(s.NBack, key, right)
	}
	return known
}

func nbackKeys(d Doc) []string {
	var keys []string
	if d.N != nil {
		keys = append(keys, fmt.Sprintf("N=%d", *d.N))
	}
	if d.K != nil {
		keys = append(keys, fmt.Sprintf("K=%d", *d.K))
	}
	if d.N != nil && d.K != nil {
		keys = append(keys, fmt.Sprintf("K=%d,N=%d", *d.K, *d.N))
	}
	if d.Attribute != "" && d.N != nil {
		keys = append(keys, fmt.Sprintf("%s,N=%d", d.Attribute, *d.N))
	}
	if d.Attribute != "" && d.N != nil && d.K != nil {
		keys = append(keys, fmt.Sprintf("%s,K=%d,N=%d", d.Attribute, *d.K, *d.N))
	}
	return keys
}
