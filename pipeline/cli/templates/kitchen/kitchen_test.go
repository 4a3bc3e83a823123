package kitchen

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// unpinned: when the domain is yours, take it out and set the Golden that the suite then
// asks for. It notices results that change under one version.
const unpinned = "the domain is a template"

const table = "day,thing,place\n01,cup,shelf\n01,cup,table\n01,cup,shelf\n01,bowl,sink\n01,bowl,oven\n02,cup,table\n02,cup,sink\n"

func TestSourceConforms(t *testing.T) {
	data := []byte(table)
	testkit.ConformSource(t, testkit.Subject{
		Register: Register, Use: "kitchen.days", Unpinned: unpinned,
		Assets: []pipeline.Asset{{Path: "may.csv", Blob: pipeline.DigestOf(data), Size: int64(len(data))}},
		Blobs:  [][]byte{data},
		Types:  map[string]func(pipeline.Record) error{DaySchema: testkit.DecodesTo[Day]},
	})
}

func TestStageConforms(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{
		Register: Register, Use: "kitchen.ask", Unpinned: unpinned,
		Inputs: dayRecords(t, table),
		Types:  map[string]func(pipeline.Record) error{ClueSchema: testkit.DecodesTo[Clue]},
	})
}

func TestGateConforms(t *testing.T) {
	testkit.ConformGate(t, testkit.Subject{
		Register: Register, Use: "kitchen.moved", Unpinned: unpinned,
		Inputs: ofSchema(asked(t, dayRecords(t, table)[0]), schemas.NameQuestion),
	})
}

// dayRecords returns the days of a table.
func dayRecords(t *testing.T, text string) (out []pipeline.Record) {
	t.Helper()
	names, all, why := parseDays([]byte(text))
	if why != nil {
		t.Fatal(why)
	}
	for i, day := range all {
		r, err := pipeline.NewRecord(DaySchema, "may-"+names[i], day)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func asked(t *testing.T, day pipeline.Record) []pipeline.Record {
	t.Helper()
	out, err := ask{}.Map(t.Context(), &pipeline.Scope{}, day)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ofSchema(all []pipeline.Record, schema string) []pipeline.Record {
	return slices.DeleteFunc(all, func(r pipeline.Record) bool { return r.Schema != schema })
}

// TestGoldIsTheLastPlace derives the answer from the files once more.
func TestGoldIsTheLastPlace(t *testing.T) {
	last := map[string]string{}
	for line := range strings.Lines(table) {
		row := strings.Split(strings.TrimSpace(line), ",")
		last["may-"+row[0]+"-"+row[1]] = row[2]
	}
	questions := 0
	for _, day := range dayRecords(t, table) {
		for _, r := range ofSchema(asked(t, day), schemas.NameQuestion) {
			q, err := pipeline.Decode[schemas.Question](r)
			if err != nil {
				t.Fatal(err)
			}
			if questions++; q.AnswerText != last[q.QuestionID] || len(q.Options) != 4 {
				t.Errorf("%s: answer %q of %d options, want %q of 4", q.QuestionID, q.AnswerText, len(q.Options), last[q.QuestionID])
			}
		}
	}
	if questions != 3 {
		t.Errorf("%d questions, want 3", questions)
	}
}

// TestGateFailsWhatCameBack: the cup of the first day stood on the shelf before.
func TestGateFailsWhatCameBack(t *testing.T) {
	items := ofSchema(asked(t, dayRecords(t, table)[0]), schemas.NameQuestion)
	verdicts, err := moved{}.Judge(t.Context(), nil, items)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []pipeline.Outcome{pipeline.Fail, pipeline.Pass} {
		if verdicts[i].Outcome != want {
			t.Errorf("%s: %+v, want %s", items[i].ID, verdicts[i], want)
		}
	}
}

func TestBadInputIsRejected(t *testing.T) {
	for text, code := range map[string]string{"": "other-columns", "a,b,c\n": "other-columns", "day,thing,place\n1,cup\n": "no-table"} {
		if _, _, why := parseDays([]byte(text)); why == nil || why.Code != code {
			t.Errorf("%q: %v, want %s", text, why, code)
		}
	}
	for _, text := range []string{"day,thing,place\n01,cup,shelf\n", "day,thing,place\n01,cup,shelf\n01,cup,table\n"} {
		if _, err := (ask{}).Map(t.Context(), &pipeline.Scope{}, dayRecords(t, text)[0]); err == nil || !strings.Contains(err.Error(), "too-few-places") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := newDays(DaysConfig{}); err == nil {
		t.Error("a source without a folder is accepted")
	}
}
