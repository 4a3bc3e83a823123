package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// smallest is how many samples the list of the small split has (E1).
const smallest = 150

// Directories are those of the published samples (E1), by what they hold.
func Directories() []string {
	out := []string{"lifelong/personal"}
	for _, v := range []string{"academic", "education", "finance", "health", "software", "startup"} {
		out = append(out, "lifelong/project/"+v)
	}
	for _, kind := range []string{"excel", "file_mgmt", "image_edit", "web", "word_docs", "css", "mobile", "webarena_lite"} {
		out = append(out, "agent/gui/"+kind)
	}
	for _, set := range []string{"eb_alfred", "eb_nav"} {
		for _, part := range []string{"base", "common_sense", "complex_instruction", "long_horizon", "visual_appearance"} {
			out = append(out, "agent/embodied/"+set+"_"+part)
		}
	}
	return append(out, "agent/embodied/minecraft", "agent/embodied/omnigibson")
}

// directoryOf is the directory of a task, if there is one: that which its scenario
// names, whole or by the last part of its path.
func directoryOf(t schemas.Task) (string, bool) {
	for _, d := range Directories() {
		if t.Scenario == d || t.Scenario == path.Base(d) {
			return d, true
		}
	}
	return "", false
}

// Format is the layout of the published data set.
func Format() export.Format {
	return export.Format{
		Name: "worldmemarena", Root: "worldmemarena", Layout: Layout,
		Help: "OUT/worldmemarena then is a folder that WorldMemArena's loader reads: a JSON file a task in the directory of its scenario, its pictures beside it, small_ids.json in the root.",
	}
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
func Layout(c release.Contents) (export.Tree, error) {
	all, err := instances(c)
	if err != nil {
		return export.Tree{}, err
	}
	var covers []schemas.Checkpoint
	if hasTable(c, "checkpoints") {
		if covers, err = release.DecodeTable[schemas.Checkpoint](c, "checkpoints"); err != nil {
			return export.Tree{}, err
		}
	}
	return layout(c.Questions, all, c.Tasks, covers, c.Files)
}

// builder lays tasks out.
type builder struct {
	files          map[string]string // media id to its file in the release
	tree           export.Tree
	similarUpdates int // updates that what they replace nearly says
	names          []string
}

func layout(questions []schemas.Question, all []instance, tasks []schemas.Task, covers []schemas.Checkpoint, files map[string]string) (export.Tree, error) {
	b, others := builder{files: files}, 0
	byTask := map[string][]schemas.Question{}
	for _, q := range questions {
		byTask[q.TaskID] = append(byTask[q.TaskID], q)
	}
	for _, i := range all {
		at := slices.IndexFunc(tasks, func(t schemas.Task) bool { return t.TaskID == i.task })
		dir, known := "", false
		if at >= 0 && len(i.sessions) > 0 {
			dir, known = directoryOf(tasks[at])
		}
		if !known {
			others++
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(covers), func(c schemas.Checkpoint) bool { return c.TaskID != i.task })
		slices.SortFunc(mine, func(a, b schemas.Checkpoint) int { return cmp.Compare(a.Order, b.Order) })
		if err := b.addTask(i, dir, byTask[i.task], mine); err != nil {
			return export.Tree{}, err
		}
	}
	if len(b.names) == 0 {
		return export.Tree{}, fmt.Errorf("no task has sessions and a scenario that the layout has a directory for: %s", strings.Join(Directories(), ", "))
	}
	if others > 0 {
		b.tree.Notes = append(b.tree.Notes, fmt.Sprintf("%d tasks have no sessions, or a scenario without directory, and are left out", others))
	}
	if b.similarUpdates > 0 {
		b.tree.Notes = append(b.tree.Notes, fmt.Sprintf("%d updates have three quarters of their words from what they replace: the soft match of retrieval takes that for them", b.similarUpdates))
	}
	b.tree.Notes = append(b.tree.Notes, "upstream's cumulative gold state keeps facts that were replaced; memforge's drops them")
	return b.tree, b.writeSmallSplit()
}

// writeSmallSplit lists samples of the small split: all, or as many as fit, drawn by the digests
// of their names.
func (b *builder) writeSmallSplit() error {
	drawn := slices.Clone(b.names)
	slices.SortFunc(drawn, func(a, c string) int {
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(c))
		return slices.Compare(x[:], y[:])
	})
	drawn = drawn[:min(len(drawn), smallest)]
	slices.Sort(drawn)
	data, err := json.MarshalIndent(drawn, "", " ")
	if err != nil {
		return err
	}
	b.tree.Files = append(b.tree.Files, export.File{Path: "small_ids.json", Data: append(data, '\n')})
	return nil
}

// sampleName is the file's name of a task.
func sampleName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

func (b *builder) addTask(i instance, dir string, questions []schemas.Question, covers []schemas.Checkpoint) error {
	name := sampleName(i.task)
	if slices.Contains(b.names, name) {
		return fmt.Errorf("task %s and another would both be the sample %s", i.task, name)
	}
	b.names = append(b.names, name)
	s := sampleBuilder{b: b, name: name, dir: dir, sessions: map[string]string{}, points: map[string]string{}, pictures: map[string]string{}, texts: map[string]string{}}
	if err := s.nameSessions(i.sessions); err != nil {
		return fmt.Errorf("task %s: %w", i.task, err)
	}
	out := sampleFile{SampleID: name}
	for _, one := range i.sessions {
		if err := s.addSession(one, &out); err != nil {
			return fmt.Errorf("session %s: %w", one.SessionID, err)
		}
	}
	if err := s.addCheckpoints(i, questions, covers, &out); err != nil {
		return err
	}
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	b.tree.Files = append(b.tree.Files, export.File{Path: path.Join(dir, name+".json"), Data: append(data, '\n')})
	return nil
}
