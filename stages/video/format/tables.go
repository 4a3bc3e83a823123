package format

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Row is one figure of a table: a share in percent, or the difference of two.
type Row struct {
	Name string
	// Percent is nil where nothing was scored. It has four decimals, as in
	// M3Eval's own output.
	Percent *float64
	// Random is what drawing every answer from its options would give on average
	// (the row Random of the paper's tables), nil like Percent.
	Random *float64
	// Count is empty for differences.
	Count Count
	// metric is what the row shows; empty for differences.
	metric string
}

// Table is one of M3Eval's tables, its rows in M3Eval's order.
type Table struct {
	Name  string
	Title string
	Rows  []Row
}

// Tables arranges the scores as M3Eval does: paper tables 1 to 3, the summary
// of N-Back, and its figures by N, K and attribute when there are any. Figure 8,
// which M3Eval's code does not have, follows where its questions were answered.
func (s Scores) Tables() []Table {
	out := []Table{s.dividedAttention(), s.interference(), s.interleaved(), s.nback()}
	if repeats := s.repeats(); len(repeats.Rows) > 0 {
		out = append(out, repeats)
	}
	if s.Metrics[controlGrounding].Total > 0 {
		out = append(out, Table{Name: "control", Title: "Control, no test items: spatial source grounding without exchange of sides, where the video tells its side", Rows: []Row{s.metricRow("spatial_source_grounding", controlGrounding)}})
	}
	if len(s.NBack) > 0 {
		t := Table{Name: "nback_k_n_breakdown", Title: "N-Back by N, K and attribute, accuracy"}
		for _, key := range slices.Sorted(maps.Keys(s.NBack)) {
			half := 50.0
			t.Rows = append(t.Rows, Row{Name: key, Percent: percent(s.NBack[key].Share()), Random: &half, Count: s.NBack[key]})
		}
		out = append(out, t)
	}
	return out
}

func (s Scores) metricRow(name, metric string) Row {
	c := s.Metrics[metric]
	return Row{Name: name, Percent: percent(c.Share()), Random: percent(s.meanChance(metric)), Count: c, metric: metric}
}

func (s Scores) meanChance(metric string) *float64 {
	n := s.Metrics[metric].Total
	if n == 0 {
		return nil
	}
	mean := s.Random[metric] / float64(n)
	return &mean
}

func (s Scores) differenceRow(name, a, b string) Row {
	x, y := s.Metrics[a].Share(), s.Metrics[b].Share()
	if x == nil || y == nil {
		return Row{Name: name}
	}
	d, r := *x-*y, *s.meanChance(a)-*s.meanChance(b)
	return Row{Name: name, Percent: percent(&d), Random: percent(&r)}
}

// percent rounds to four decimals as Python's round does: by the exact value.
func percent(share *float64) *float64 {
	if share == nil {
		return nil
	}
	v, err := strconv.ParseFloat(strconv.FormatFloat(*share*100, 'f', 4, 64), 64)
	if err != nil {
		return nil
	}
	return &v
}

func (s Scores) dividedAttention() Table {
	const m = "m3eval_divided_attention_"
	t := Table{Name: "table_1_divided_attention", Title: "Table 1, divided attention (split screen): accuracy"}
	kinds := []string{"source_identification", "order_understanding", "content_retention"}
	for _, k := range kinds {
		t.Rows = append(t.Rows, s.metricRow("no_swap_"+k, m+"no_swap_"+k+"_accuracy"))
	}
	for _, k := range kinds {
		t.Rows = append(t.Rows, s.metricRow("swap_"+k, m+"swap_"+k+"_accuracy"),
			s.differenceRow("swap_"+k+"_delta", m+"swap_"+k+"_accuracy", m+"no_swap_"+k+"_accuracy"))
	}
	t.Rows = append(t.Rows, s.metricRow("spatial_source_grounding", m+"spatial_source_grounding_accuracy"))
	return t
}

func (s Scores) interference() Table {
	const m = "m3eval_memory_interference_"
	return Table{Name: "table_2_memory_interference", Title: "Table 2, memory interference: accuracy and intrusion rate", Rows: []Row{
		s.metricRow("proactive_accuracy", m+"proactive_accuracy"),
		s.metricRow("retroactive_accuracy", m+"retroactive_accuracy"),
		s.differenceRow("accuracy_delta_proactive_minus_retroactive", m+"proactive_accuracy", m+"retroactive_accuracy"),
		s.metricRow("proactive_intrusion_rate", m+"proactive_intrusion_rate"),
		s.metricRow("retroactive_intrusion_rate", m+"retroactive_intrusion_rate"),
		s.differenceRow("intrusion_delta_proactive_minus_retroactive", m+"proactive_intrusion_rate", m+"retroactive_intrusion_rate"),
	}}
}

func (s Scores) interleaved() Table {
	t := Table{Name: "table_3_interleaved_events", Title: "Table 3, interleaved events: accuracy"}
	for _, k := range []string{"source_identification", "order_understanding", "content_retention", "false_memory_discrimination", "temporal_source_grounding"} {
		t.Rows = append(t.Rows, s.metricRow(k, "m3eval_interleaved_events_"+k+"_accuracy"))
	}
	return t
}

func (s Scores) nback() Table {
	t := Table{Name: "nback_summary", Title: "N-Back: accuracy", Rows: []Row{s.metricRow("overall", overallNBack)}}
	for _, k := range []string{"action", "scene", "n1", "n2", "n3", "n4"} {
		t.Rows = append(t.Rows, s.metricRow(k, "m3eval_nback_"+k+"_accuracy"))
	}
	return t
}

// repeats returns figure 8: what playing one of the two videos twice changes.
// The paper's questions are about the video that is played first: retroactive.
func (s Scores) repeats() Table {
	t := Table{Name: "figure_8_repetition", Title: "Figure 8, memory interference with one video repeated: accuracy and intrusion rate"}
	for _, figure := range []string{"accuracy", "intrusion_rate"} {
		for _, way := range []string{"proactive", "retroactive"} {
			for _, of := range []string{repeatsTarget, repeatsInterferer} {
				metric := "repeated_" + of + "_" + way + "_" + figure
				if s.Metrics[metric].Total == 0 {
					continue
				}
				name := way + "_" + of + "_repeated_" + figure
				t.Rows = append(t.Rows, s.metricRow(name, metric), s.differenceRow(name+"_delta", metric, "m3eval_memory_interference_"+way+"_"+figure))
			}
		}
	}
	return t
}

// Means are the overall figures of the four tasks, which also count rows that
// are in no table.
func (s Scores) Means() Table {
	return Table{Name: "means", Title: "Means over all questions of a task", Rows: []Row{
		s.metricRow(string(Split), overallSplit), s.metricRow(string(Interference), overallInterference),
		s.metricRow(string(Interleaved), overallInterleaved), s.metricRow(string(NBack), overallNBack),
	}}
}

// Print writes the tables for people.
func (s Scores) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range append([]Table{s.Means()}, s.Tables()...) {
		fmt.Fprintf(w, "%s (%%)\n", t.Title)
		for _, r := range t.Rows {
			if strings.Count(r.Name, ",") > 1 { // by attribute, K and N, few questions each: JSON has them
				continue
			}
			value, of, random := "N/A", "", ""
			if r.Percent != nil {
				value = fmt.Sprintf("%.2f", *r.Percent)
			}
			switch {
			case strings.Contains(r.Name, "delta") && r.Percent != nil:
				value = fmt.Sprintf("%+.2f", *r.Percent)
			case r.Count.Total > 0:
				of = fmt.Sprintf("\t%d of %d", r.Count.Yes, r.Count.Total)
			}
			if r.Random != nil {
				random = fmt.Sprintf("\trandom %.2f", *r.Random)
			}
			if of == "" && random != "" {
				of = "\t"
			}
			fmt.Fprintf(w, "  %s\t%s%s%s\n", r.Name, value, of, random)
		}
		fmt.Fprintln(w)
	}
	for _, how := range []Reading{ReadFinal, ReadBare, ReadKey, NotAnOption, NoAnswer} {
		if n := s.Readings[how]; n > 0 {
			fmt.Fprintf(w, "read as %s\t%d\n", how, n)
		}
	}
	if s.Skipped > 0 {
		fmt.Fprintf(w, "without a score\t%d\n", s.Skipped)
	}
	return w.Flush()
}

// MarshalJSON has the tables under M3Eval's names, figures in percent, and
// what else is known under names of its own.
func (s Scores) MarshalJSON() ([]byte, error) {
	tables, random := map[string]map[string]*float64{}, map[string]map[string]*float64{}
	for _, t := range append([]Table{s.Means()}, s.Tables()...) {
		tables[t.Name], random[t.Name] = map[string]*float64{}, map[string]*float64{}
		for _, r := range t.Rows {
			tables[t.Name][r.Name], random[t.Name][r.Name] = r.Percent, r.Random
		}
	}
	return json.Marshal(struct {
		Unit     string                         `json:"unit"`
		Variant  Variant                        `json:"variant"`
		Tables   map[string]map[string]*float64 `json:"tables"`
		Random   map[string]map[string]*float64 `json:"random"`
		Metrics  map[string]Count               `json:"metrics"`
		Readings map[Reading]int                `json:"readings"`
		Skipped  int                            `json:"skipped"`
		Warnings []string                       `json:"warnings"`
	}{"percent", s.Variant, tables, random, s.Metrics, s.Readings, s.Skipped, append([]string{}, s.WarningList...)})
}
