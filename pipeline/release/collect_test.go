package release

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestTasksWithoutQuestionsAreLeftOut holds that a task whose questions were all
// lost keeps no medium alive, and one that is only cited stays.
func TestTasksWithoutQuestionsAreLeftOut(t *testing.T) {
	var c content
	c.questions = []schemas.Question{{
		QuestionID: "q", TaskID: "asked", Media: []string{"m-asked"},
		Evidence: []schemas.Evidence{{Ref: "cited#step=3"}, {Ref: "m-evidence#t=1.00,2.00"}},
	}}
	for _, id := range []string{"asked", "cited", "lost"} {
		c.tasks = append(c.tasks, schemas.Task{TaskID: id, Media: []string{"m-" + id, "m-shared"}})
	}
	c.tasks = append(c.tasks, schemas.Task{TaskID: "lost-too", Media: []string{"m-lost", "m-asked"}})
	for _, id := range []string{"m-asked", "m-cited", "m-evidence", "m-lost", "m-nobody", "m-shared"} {
		c.media = append(c.media, schemas.Media{MediaID: id})
	}
	for _, item := range []string{"m-lost", "m-asked", "lost", "cited", "q", "q-rejected"} {
		c.verdicts = append(c.verdicts, schemas.Verdict{Item: item})
	}
	c.dropUnused(Input{})
	var tasks, media, verdicts []string
	for _, t := range c.tasks {
		tasks = append(tasks, t.TaskID)
	}
	for _, m := range c.media {
		media = append(media, m.MediaID)
	}
	for _, v := range c.verdicts {
		verdicts = append(verdicts, v.Item)
	}
	if want := []string{"asked", "cited"}; !slices.Equal(tasks, want) {
		t.Errorf("tasks %v, want %v", tasks, want)
	}
	if want := []string{"m-asked", "m-cited", "m-evidence", "m-shared"}; !slices.Equal(media, want) {
		t.Errorf("media %v, want %v", media, want)
	}
	if want := []string{"m-asked", "cited", "q", "q-rejected"}; !slices.Equal(verdicts, want) {
		t.Errorf("verdicts on %v, want %v", verdicts, want)
	}
}
