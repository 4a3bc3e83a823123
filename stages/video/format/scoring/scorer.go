package scoring

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/stages/video/format"
)

// Scorer is M3Eval's, as it is registered.
func Scorer() score.Scorer {
	return score.Scorer{
		Name: "m3eval",
		Help: `Scores answers as M3Eval's code does, or as its paper says, and prints its tables
with what random choice would give. Questions over repeated videos (figure 8) are
scored when they have answers. A line of the answers is {"id": ..., "prediction":
...}, or one of the samples that lmms-eval logs.`,
		Variants: []string{string(Upstream), string(Paper)},
		Load:     func(dir string) (score.QuestionSet, error) { return Load(dir) },
		Release:  askedInRelease,
		Answers:  score.ReadAnswers,
	}
}

// askedInRelease reads what an export of a release would ask.
func askedInRelease(c release.Contents) (score.QuestionSet, error) {
	tree, err := format.Layout(c)
	if err != nil {
		return nil, err
	}
	format := format.Format()
	files := slices.Clone(tree.Files)
	for _, f := range tree.BesideFiles {
		files = append(files, export.File{Path: path.Join("..", path.Base(format.Beside), f.Path), Data: f.Data})
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
