package score

import "github.com/memforge/memforge/pipeline/release"

// Reading returns a scorer of what two functions read: one from the folder of an export,
// one from a release.
func Reading[Questions any](s Scorer, load func(dir string) (Questions, error), read func(release.Contents) (Questions, error), of func(Questions) QuestionSet) Scorer {
	s.Load = func(dir string) (QuestionSet, error) {
		asked, err := load(dir)
		return of(asked), err
	}
	s.Release = func(c release.Contents) (QuestionSet, error) {
		asked, err := read(c)
		return of(asked), err
	}
	return s
}

// FindMissing returns which of the ids have no answer. These are an error unless the run
// is incomplete.
func FindMissing(ids []string, answers map[string]string, o Options) (missing []string, err error) {
	for _, id := range ids {
		if _, given := answers[id]; !given {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &MissingError{IDs: missing}
	}
	return missing, nil
}
