package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// familyCheck holds what questions and tasks say of their family against what else
// tells it: their task, their media, and who wrote them. A family of which
// nothing is derived would be a way round.
type familyCheck struct {
	findings
	tasks, media map[string]string
	// wrote are those of all that writes questions in the build, where told.
	wrote              []string
	told               bool
	checked, unchecked int
}

func checkFamilies(reg *pipeline.Registry, c release.Contents) Part {
	f := familyCheck{tasks: map[string]string{}, media: map[string]string{}}
	f.wrote, f.told = newStepGraph(reg, c).writers()
	for _, m := range c.Media {
		if family := reg.ClaimedBy(m); family != "" {
			f.media[m.MediaID] = family
		}
	}
	for _, t := range c.Tasks {
		f.tasks[t.TaskID] = t.Family
		f.item("task "+t.TaskID, t.Family, t.Media)
	}
	for _, q := range c.Questions {
		f.question(q)
	}
	for _, q := range c.Flagged {
		f.question(q.Question)
	}
	p := part("families of questions", f.findings)
	p.Checked, p.Unchecked = f.checked, f.unchecked
	if f.unchecked > 0 {
		p.Why = fmt.Sprintf("of %d nothing but their task says the family", f.unchecked)
	}
	return p
}

func (f *familyCheck) question(q schemas.Question) {
	if of, known := f.tasks[q.TaskID]; known && of != q.Family {
		f.add("%s: it is of family %q and its task of %q", q.QuestionID, q.Family, of)
	}
	if f.item(q.QuestionID, q.Family, q.Media) {
		f.checked++
		return
	}
	f.unchecked++
}

// item reports whether anything tells the family of an item.
func (f *familyCheck) item(id, family string, media []string) bool {
	told := f.told
	if f.told && !slices.Contains(f.wrote, family) {
		f.add("%s: it is of family %q, and what writes questions in the build writes those of %s", id, family, strings.Join(f.wrote, ", "))
	}
	for _, m := range media {
		of := f.media[m]
		told = told || of != ""
		if of != "" && of != family {
			f.add("%s: it is of family %q, and only %s makes media as %s", id, family, of, m)
		}
	}
	return told
}
