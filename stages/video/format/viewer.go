package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/schemas"
)

// viewerColumns are the columns of full_questions.csv, in M3Eval's order. Its
// meaning of variation_id is not documented; the column is left empty.
func viewerColumns() []string {
	return []string{
		"record_type", "subset", "scope", "question_id", "question_signature", "task_family", "task_type",
		"family_group", "family_group_display", "paper_table", "paper_metric_group", "paper_metric_detail",
		"cell_id", "cell_label", "dataset", "pair_id", "target_video", "focus", "source_dimension",
		"interference_direction", "storyline_error_type", "swap_count", "question", "options_json", "answer",
		"video_relpath", "sequence_case_id", "attribute", "domain", "domain_index", "test_index", "variation_id",
		"clip_count", "n_value", "target_label", "video_path_sequence_json", "video",
	}
}

// paradigm is how the viewer names a subset.
type paradigm struct{ group, display, table string }

func paradigmOf(subset string) paradigm {
	return map[string]paradigm{
		subsetSplit:        {"divided_attention", "Divided Attention", "table_1_divided_attention"},
		subsetInterference: {"memory_interference", "Memory Interference", "table_2_memory_interference"},
		subsetInterleaved:  {"interleaved_events", "Interleaved Events", "table_3_interleaved_events"},
		subsetNBack:        {"nback", "N-Back", "nback_summary"},
	}[subset]
}

func viewerFile(entries []exportEntry) (export.File, error) {
	var b bytes.Buffer
	columns := viewerColumns()
	rows := [][]string{columns}
	at := trialIndices(entries)
	for i, e := range entries {
		values, err := viewerValues(e)
		if err != nil {
			return export.File{}, err
		}
		values["domain_index"], values["test_index"] = at[i].domain, at[i].test
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = values[c]
		}
		rows = append(rows, row)
	}
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return export.File{}, fmt.Errorf("encode %s: %w", fileViewer, err)
	}
	return export.File{Path: fileViewer, Data: b.Bytes()}, nil
}

// viewerValues returns the cells of a question's row by column; those that do
// not apply are absent.
func viewerValues(e exportEntry) (map[string]string, error) {
	q, p := e.question, paradigmOf(e.cell.subset)
	options, answer := optionTexts(q), q.AnswerText
	if e.cell.subset != subsetNBack {
		var err error
		if options, err = letteredOptions(q); err != nil {
			return nil, err
		}
		answer = q.AnswerKey
	}
	list, err := plainJSON(options)
	if err != nil {
		return nil, err
	}
	sequence, err := plainJSON(originalFiles(e.media))
	if err != nil {
		return nil, err
	}
	signature, err := questionSignature(q.Question, options, answer)
	if err != nil {
		return nil, err
	}
	v := map[string]string{
		"record_type": "question", "subset": e.cell.subset, "scope": "full",
		"question_id": q.QuestionID, "question_signature": signature,
		"task_family": p.group, "task_type": q.Type, "family_group": p.group, "family_group_display": p.display,
		"paper_table": p.table, "paper_metric_group": groupOf(q, e.cell), "paper_metric_detail": e.cell.detail,
		"dataset": strings.Join(e.task.SourceRecords, "+"), "domain": e.task.Domain,
		"source_dimension": e.cell.dimension, "storyline_error_type": e.cell.errorType,
		"question": q.Question, "options_json": list, "answer": answer,
		"video_relpath": e.video, "video": e.video, "video_path_sequence_json": sequence,
	}
	addSubsetValues(v, e)
	return v, nil
}

func addSubsetValues(v map[string]string, e exportEntry) {
	q := e.question
	if e.cell.subset == subsetNBack {
		v["sequence_case_id"], v["attribute"] = q.Labels[labelSequence], q.Labels[labelAttribute]
		v["clip_count"], v["n_value"] = q.Labels[labelK], q.Labels[labelN]
		return
	}
	v["pair_id"], v["target_video"], v["focus"] = pairName(e.media), q.Labels[schemas.LabelTarget], q.Labels[schemas.LabelEvent]
	parts := []string{paradigmOf(e.cell.subset).group, v["paper_metric_group"], q.Type}
	switch {
	case e.repeated:
		v["scope"] = "repeated"
		parts = append(parts, q.Labels[schemas.LabelRepetition])
	case e.cell.subset == subsetSplit:
		v["swap_count"] = strconv.Itoa(len(e.media.Recipe.SwapFrames))
	}
	if e.cell.subset == subsetInterference {
		v["interference_direction"] = v["paper_metric_group"]
	}
	v["cell_id"] = strings.Join(parts, ":")
	v["cell_label"] = strings.ReplaceAll(strings.Join(parts, ", "), "_", " ")
}

// questionSignature returns 64 hexadecimal digits that are the same for the
// same question with the same options and answer, over any video.
func questionSignature(question string, options []string, answer string) (string, error) {
	b, err := pipeline.Canonical([]any{question, options, answer})
	if err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	return string(pipeline.DigestOf(b)), nil
}

// originalFiles lists the source files that a video shows, in the order in which
// they first appear (for N-Back: once for each clip).
func originalFiles(m schemas.Media) []string {
	out := []string{}
	for _, s := range m.Recipe.Segments {
		if m.Recipe.Layout == schemas.LayoutNBack || !slices.Contains(out, s.Original) {
			out = append(out, s.Original)
		}
	}
	return out
}

// pairName names the pair of source videos: the same for all layouts of it.
func pairName(m schemas.Media) string {
	parts := slices.Sorted(slices.Values(originalFiles(m)))
	return "pair-" + string(pipeline.DigestOf([]byte(strings.Join(parts, "\n"))))[:16]
}

func plainJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encode JSON cell: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// trialIndex counts, for N-Back, the sequences of a domain and the trials of a
// sequence, both from 1.
type trialIndex struct{ domain, test string }

func trialIndices(entries []exportEntry) []trialIndex {
	out := make([]trialIndex, len(entries))
	sequences := map[string][]string{} // of a domain
	trials := map[string]int{}
	for i, e := range entries {
		if e.cell.subset != subsetNBack {
			continue
		}
		domain, sequence := e.task.Domain, e.question.Labels[labelSequence]
		if !slices.Contains(sequences[domain], sequence) {
			sequences[domain] = append(sequences[domain], sequence)
		}
		trials[sequence]++
		out[i] = trialIndex{
			domain: strconv.Itoa(1 + slices.Index(sequences[domain], sequence)),
			test:   strconv.Itoa(trials[sequence]),
		}
	}
	return out
}
