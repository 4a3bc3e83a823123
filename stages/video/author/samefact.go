package author

import (
	"regexp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// CheckSameFact wants the right option of a rewrite to claim what the old one
// did: some of its words must stay, in whatever form.
func CheckSameFact(old, next Draft) []string {
	for i, o := range next.Options {
		if o.Role != schemas.RoleCorrect || i >= len(old.Options) {
			continue
		}
		if was := claimGist(old.Options[i].Text); len(sharedMeanings(was, claimGist(o.Text))) == 0 && len(was) > 0 {
			return []string{"the correct option " + quote(old.Options[i].Text) + " has become " + quote(o.Text) + "; it may be put in other words and must stay the same fact"}
		}
	}
	return nil
}

// AddSections adds all sections of a video to evidence that are not cut.
func (in Input) AddSections(of string, evidence []Evidence) []Evidence {
	out := slices.Clone(evidence)
	for _, p := range in.story(of).Sections {
		if e := (Evidence{of, p.Section}); !p.Cut && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

func quote(s string) string { return `"` + s + `"` }

// names of videos that questions by rule use: by title, or by what they begin
// with.
var naming = regexp.MustCompile(`the video (?:titled "[^"]*"|that [^,?]*)`)

// NamesIn are the names of videos in a question that was written by rule.
func NamesIn(question string) []string {
	out := naming.FindAllString(question, -1)
	slices.Sort(out)
	return slices.Compact(out)
}

// FindMoment finds wording that names a video or a moment of one by its place or
// time; nothing when there is none. Names of videos are left out.
func FindMoment(question string) string {
	return findPlacement(naming.ReplaceAllString(question, theVideo), false)
}
