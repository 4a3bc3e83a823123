package release

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/schemas"
)

// timed is a chat of two people, a turn a minute from a time on; none without one.
func timed(task, with, from string, said ...string) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(task, 0), TaskID: task, Kind: schemas.KindPrivateChat, Participants: []string{"Ada", with}}
	for i, text := range said {
		t := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Speaker: "Ada", Text: text}
		if from != "" {
			t.Timestamp = fmt.Sprintf("%s:%02d:00Z", from, i)
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

// TestTurnsOfRepeatedTasksCountOnce: t-1 is t-0 with two turns in each other's place and
// one in other words. Of the others each has the words of t-0 at another time, with
// somebody else or at no time: these are true repetitions.
func TestTurnsOfRepeatedTasksCountOnce(t *testing.T) {
	t.Parallel()
	const day = "2026-03-01T09"
	first := timed("t-0", "Bo", day, "The kiln is hot.", "We fire at noon.", "Who has the keys?", "Nobody knows.")
	again := timed("t-1", "Bo", day, "We fire at noon.", "The kiln is hot.", "Who has the keys?", "Nobody can tell.")
	for _, c := range []struct {
		name                string
		other               schemas.Session
		copies, texts, same int
	}{
		{"at another time", timed("t-2", "Bo", "2026-03-02T09", "The kiln is hot.", "We fire at noon.", "It rains.", "Bring a coat."), 4, 8, 4},
		{"with somebody else", timed("t-2", "Cy", day, "The kiln is hot.", "We fire at noon.", "It rains.", "Bring a coat."), 4, 8, 4},
		{"a turn longer", timed("t-2", "Bo", day, "The kiln is hot.", "We fire at noon.", "It rains.", "Bring a coat.", "Bye then."), 4, 9, 4},
		{"at no time", timed("t-2", "Bo", "", "The kiln is hot.", "We fire at noon.", "It rains.", "Bring a coat."), 4, 8, 4},
		{"once more", timed("t-2", "Bo", day, "The kiln is hot.", "We fire at noon.", "Who has the keys?", "Nobody knows."), 8, 4, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store, in := sample(t, 6)
			table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
			in.Tables = table.Tables()
			for _, s := range []schemas.Session{c.other, again, first} {
				in.Records = append(in.Records, record(t, schemas.NameSession, s.SessionID, s))
			}
			dir := write(t, store, t.TempDir(), in).Dir
			contents := mustRead(t, dir)
			card, err := os.ReadFile(filepath.Join(dir, describe.CardName))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{
				fmt.Sprintf("and %d turns of others are left out", c.copies),
			} {
				if !strings.Contains(string(card), want) {
					t.Errorf("the card does not say %q", want)
				}
			}
			same := fmt.Sprintf("%.1f %%", 100*float64(c.same)/float64(c.texts))
			row := regexp.MustCompile(`\| turns \| (\d+) \| (\d+) \| [\d.]+ \| [\d.]+ \| ([\d.]+ %) \|`).FindStringSubmatch(string(card))
			if len(row) == 0 || !slices.Equal(row[1:], []string{fmt.Sprint(c.copies + c.texts), fmt.Sprint(c.texts), same}) {
				t.Errorf("of turns the card says %q", row)
			}
			for _, r := range mustRestate(t, contents) {
				if len(r.Differs) > 0 {
					t.Errorf("%s: %v", r.Path, r.Differs)
				}
			}
		})
	}
}
