package kitchen

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
)

const table = "day,thing,place\n01,cup,shelf\n01,cup,table\n01,bowl,sink\n02,cup,table\n"

func TestSourceConforms(t *testing.T) {
	data := []byte(table)
	testkit.ConformSource(t, testkit.Subject{
		Register: Register, Use: "kitchen.days", Unpinned: unpinned,
		Assets: []pipeline.Asset{{Path: "may.csv", Blob: pipeline.DigestOf(data), Size: int64(len(data))}},
		Blobs:  [][]byte{data},
		Types:  map[string]func(pipeline.Record) error{DaySchema: testkit.DecodesTo[Day]},
	})
}

func TestDaysAreRead(t *testing.T) {
	names, all, why := parseDays([]byte(table))
	if why != nil || !slices.Equal(names, []string{"01", "02"}) || len(all[0].Moves) != 3 || len(all[1].Places) != 3 {
		t.Errorf("days %v: %+v, %v", names, all, why)
	}
	for text, code := range map[string]string{"": "other-columns", "a,b,c\n": "other-columns", "day,thing,place\n1,cup\n": "no-table"} {
		if _, _, why := parseDays([]byte(text)); why == nil || why.Code != code {
			t.Errorf("%q: %v, want %s", text, why, code)
		}
	}
	if _, err := newDays(DaysConfig{}); err == nil {
		t.Error("a source without a folder is accepted")
	}
}
