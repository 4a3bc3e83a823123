package format

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Metric names: a prefix of the task, and what a table's cell is made of.
const (
	overallSplit        = "m3eval_divided_attention_accuracy"
	overallInterference = "m3eval_memory_interference_accuracy"
	overallInterleaved  = "m3eval_interleaved_events_accuracy"
	overallNBack        = "m3eval_nback_accuracy"
	controlGrounding    = "control_spatial_source_grounding_accuracy"
	spatialGrounding    = "m3eval_divided_attention_spatial_source_grounding_accuracy"
)

// paperMetrics maps the fields of a row to the metric it counts for. Keys are
// joined by slashes: detail/dimension for source grounding and false memory,
// detail[/group]/error type for storylines.
func paperMetrics(task Task) map[string]string {
	switch task {
	case Split:
		return map[string]string{
			"source_memory/spatial":                              spatialGrounding,
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

// Variant says whose rules hold where M3Eval's paper and its code differ.
type Variant string

// The variants.
const (
	// Upstream scores as M3Eval's code does.
	Upstream Variant = "upstream"
	// Paper scores as its paper says: spatial source grounding counts split
	// screens with exchanged sides only (section 4.3, figure 9); the intrusion
	// rate is the share of all responses, those without an answer included
	// (section 3.1.2); and 3.0 is the number 3, 2.7 none.
	Paper Variant = "paper"
)

// Scores are the metrics of one run, and what a reader of them should know.
type Scores struct {
	// Variant is whose rules they follow.
	Variant Variant
	// Metrics are M3Eval's by its names.
	Metrics map[string]Count
	// Random sums up, for each metric, the chances that an answer drawn from a
	// question's options would count.
	Random map[string]float64
	// NBack counts by "N=n", "K=k", "K=k,N=n", "attribute,N=n" as M3Eval does,
	// and by "attribute,K=k,N=n".
	NBack map[string]Count
	// Readings counts how answers were read.
	Readings map[Reading]int
	// Skipped counts questions without a score.
	Skipped int
	// marks are those of each question by metric; a cluster is a question here.
	marks map[string][]agreement.Score
	// WarningList name what counts in a mean but in no table.
	WarningList []string
}

// Score scores one answer to each question, by question id. Every question
// needs one; use Skipped for those that were not asked. Repeated questions, and controls, are
// left out when none of them has an answer: M3Eval's tasks do not ask them.
func Score(set Set, answers map[string]string, v Variant) (Scores, error) {
	s := Scores{Variant: v, marks: map[string][]agreement.Score{}, Metrics: map[string]Count{}, Random: map[string]float64{}, NBack: map[string]Count{}, Readings: map[Reading]int{}}
	var missing, lost []string
	docs, unasked := askedDocs(set, answers)
	for _, none := range []struct {
		task Task
		text string
	}{{Repeated, "questions over repeated videos has an answer, so there is no figure 8"}, {Control, "controls of spatial grounding has an answer, so they have no figure"}} {
		if n := unasked[none.task]; n > 0 {
			s.WarningList = append(s.WarningList, fmt.Sprintf("none of the %d %s; M3Eval's own tasks do not ask them", n, none.text))
		}
	}
	bare := 0
	for _, d := range docs {
		if d.Task != NBack && len(d.Options) == 0 {
			bare++
		}
		answer, ok := answers[d.ID]
		if !ok {
			missing = append(missing, d.ID)
			continue
		}
		if !s.addAnswer(d, answer) {
			lost = append(lost, fmt.Sprintf("%s (%s)", d.ID, d.Task))
		}
	}
	if len(missing) > 0 {
		return s, &score.MissingError{IDs: missing}
	}
	if bare > 0 {
		s.WarningList = append(s.WarningList, fmt.Sprintf("%d questions have no options; like M3Eval, the letters A to E are taken for theirs", bare))
	}
	if len(lost) > 0 {
		s.WarningList = append(s.WarningList, fmt.Sprintf(
			"%d questions count in the mean of their task but in no table, because their group, detail, error type or dimension is absent or unknown: %s",
			len(lost), score.FirstFew(lost)))
	}
	return s, nil
}

// askedDocs returns the questions to score, and how many are left out of each task that
// M3Eval does not ask and none of whose questions has an answer.
func askedDocs(set Set, answers map[string]string) (docs []Doc, unasked map[Task]int) {
	asked := map[Task]bool{}
	for _, d := range set.Docs {
		_, answered := answers[d.ID]
		asked[d.Task] = asked[d.Task] || answered || !d.Task.beside()
	}
	unasked = map[Task]int{}
	for _, d := range set.Docs {
		if asked[d.Task] {
			docs = append(docs, d)
		} else {
			unasked[d.Task]++
		}
	}
	return docs, unasked
}

// addAnswer scores an answer. It reports whether the question counts in a
// table.
func (s *Scores) addAnswer(d Doc, answer string) bool {
	if strings.HasPrefix(answer, Skipped) {
		s.Skipped++
		return true
	}
	if d.Task == NBack {
		return s.addNBack(d, answer)
	}
	letters := Letters(d.Options)
	letter, how := ParseChoice(answer, letters)
	s.Readings[how]++
	right, chance := letter != "" && letter == strings.ToUpper(d.Answer), 1/float64(len(letters))
	metrics := paperMetrics(d.Task)
	var metric string
	switch d.Task {
	case Control:
		metric = controlGrounding
	case Split:
		s.countMetric(d.ID, overallSplit, right, chance)
		if metric = metrics[storyKey(d, d.Group)]; s.Variant == Paper && metric == spatialGrounding && d.Group != "swap10" {
			return true // figure 9 asks while sides are exchanged
		}
	case Interleaved:
		s.countMetric(d.ID, overallInterleaved, right, chance)
		metric = metrics[storyKey(d)]
	case Interference:
		s.countMetric(d.ID, overallInterference, right, chance)
		metric = metrics[direction(d)]
		s.countIntrusion(d, letter, metric, letters)
	case Repeated:
		metric = repeatedMetric(d)
		s.countIntrusion(d, letter, metric, letters)
	}
	if metric != "" {
		s.countMetric(d.ID, metric, right, chance)
	}
	return metric != ""
}

func (s *Scores) countIntrusion(d Doc, letter, metric string, letters []string) {
	intruded, known := intrusion(d, letter, s.Variant)
	if !known || metric == "" {
		return
	}
	each := 0
	for _, l := range letters {
		if yes, _ := intrusion(d, l, s.Variant); yes {
			each++
		}
	}
	s.countMetric(d.ID, strings.Replace(metric, "_accuracy", "_intrusion_rate", 1), intruded, float64(each)/float64(len(letters)))
}

func repeatedMetric(d Doc) string {
	known := d.Repetition == repeatsTarget || d.Repetition == repeatsInterferer
	if way := direction(d); known && (way == "proactive" || way == "retroactive") {
		return "repeated_" + d.Repetition + "_" + way + "_accuracy"
	}
	return ""
}

const (
	repeatsTarget     = "target"
	repeatsInterferer = "interferer"
)

func (s *Scores) countMetric(id, metric string, yes bool, chance float64) {
	s.marks[metric] = append(s.marks[metric], agreement.Score{Cluster: id, Value: benchformat.BoolScore(yes)})
	add(s.Metrics, metric, yes)
	s.Random[metric] += chance
}

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

// storyKey returns the key of paperMetrics for a row about storylines or
// sources.
func storyKey(d Doc, group ...string) string {
	if d.Detail == "storyline_reconstruction" {
		return strings.Join(slices.Concat([]string{d.Detail}, group, []string{d.ErrorType}), "/")
	}
	return d.Detail + "/" + d.Dimension
}

// intrusion reports whether the answer came from the competing video, and
// whether the row lets one know. Roles come first; the one letter of older
// rows only counts where the answer has no role. Of a row that has roles, the
// paper counts a response without an answer; M3Eval's code does not, unless the
// row names that letter too.
func intrusion(d Doc, letter string, v Variant) (intruded, known bool) {
	if role := stripSpace(d.Roles[letter]); role != "" {
		return role == "intrusion", true
	}
	if d.Intrusion != "" {
		return letter != "" && letter == strings.ToUpper(d.Intrusion), true
	}
	return false, v == Paper && len(d.Roles) > 0
}

func (s *Scores) addNBack(d Doc, answer string) bool {
	word, how := d.parseYesNo(answer)
	s.Readings[how]++
	right := word != "" && strings.EqualFold(word, d.Answer)
	const chance = 0.5
	s.countMetric(d.ID, overallNBack, right, chance)
	known := d.Attribute == "action" || d.Attribute == "scene"
	if known {
		s.countMetric(d.ID, "m3eval_nback_"+d.Attribute+"_accuracy", right, chance)
	}
	if n := d.N.toInt(s.Variant); n != nil && *n >= 1 && *n <= 4 {
		s.countMetric(d.ID, fmt.Sprintf("m3eval_nback_n%d_accuracy", *n), right, chance)
	} else {
		known = false
	}
	for _, key := range nbackKeys(d, s.Variant) {
		add(s.NBack, key, right)
	}
	return known
}

// parseYesNo reads Yes or No, or the key of an option that says so: a release asks with keys,
// M3Eval's tasks with the words alone.
func (d Doc) parseYesNo(answer string) (string, Reading) {
	for i, o := range d.Options {
		if stripSpace(answer) == schemas.Letter(i) {
			return o, ReadKey
		}
	}
	return ParseYesNo(answer)
}

func nbackKeys(d Doc, v Variant) []string {
	var keys []string
	n, hasN := d.N.breakdownKey(v)
	k, hasK := d.K.breakdownKey(v)
	if hasN {
		keys = append(keys, "N="+n)
	}
	if hasK {
		keys = append(keys, "K="+k)
	}
	if hasN && hasK {
		keys = append(keys, "K="+k+",N="+n)
	}
	if d.Attribute != "" && hasN {
		keys = append(keys, d.Attribute+",N="+n)
	}
	if d.Attribute != "" && hasN && hasK {
		keys = append(keys, d.Attribute+",K="+k+",N="+n)
	}
	return keys
}

// Scorer is M3Eval's, as it is registered.
func Scorer() score.Scorer {
	return score.Scorer{
		Name: "m3eval",
		Help: `Scores answers as M3Eval's code does, or as its paper says, and prints its tables
with what random choice would give. Questions over repeated videos (figure 8), and
controls, are scored when they have answers. A line of the answers is {"id": ..., "prediction":
...}, or one of the samples that lmms-eval logs.`,
		Variants: []string{string(Upstream), string(Paper)},
		Takes:    takes(),
		Load:     func(dir string) (score.QuestionSet, error) { return Load(dir) },
		Release:  askedInRelease,
		Answers:  score.ReadAnswers,
	}
}

func askedInRelease(c release.Contents) (score.QuestionSet, error) {
	tree, err := Layout(c)
	if err != nil {
		return nil, err
	}
	files := slices.Clone(tree.Files)
	for _, f := range tree.BesideFiles {
		files = append(files, export.File{Path: path.Join("..", path.Base(besideFolder), f.Path), Data: f.Data})
	}
	return load("", func(name string) ([]byte, error) {
		i := slices.IndexFunc(files, func(f export.File) bool { return f.Path == filepath.ToSlash(name) })
		if i < 0 {
			return nil, fs.ErrNotExist
		}
		return files[i].Data, nil
	})
}

// IDs names the questions.
func (s Set) IDs() []string {
	ids := make([]string, len(s.Docs))
	for i, d := range s.Docs {
		ids[i] = d.ID
	}
	return ids
}

// Score is Score, which sees questions without an answer as skipped where the run
// is incomplete.
func (s Set) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	all := map[string]string{}
	for _, d := range s.Docs {
		if a, there := answers[d.ID]; there {
			all[d.ID] = a
		} else if o.Incomplete {
			all[d.ID] = Skipped
		}
	}
	return Score(s, all, Variant(o.Variant))
}

// Warnings gives the warnings.
func (s Scores) Warnings() []string { return s.WarningList }
