// Package author holds what the model that writes questions about two described
// videos is asked (M3Eval C.1.3), what of its answers can be checked without
// watching, and how the built-in model answers by selection.
//
// The input holds nothing of how the two videos are composed but the kind of
// layout: no order, no swaps, no time in the composed video. Compositions that
// mirror each other therefore send one and the same request, and get the same
// questions.
package author

import (
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// Input is what a question is written from.
type Input struct {
	// Shown says in a sentence how the videos are shown.
	Shown string `json:"shown"`
	// Target is the video that the question is about.
	Target Story `json:"target"`
	Other  Story `json:"other"`
	// Asked are the questions of this type that exist already.
	Asked []string `json:"asked"`
	// Refused are earlier answers to this very question.
	Refused []Refusal `json:"refused"`
}

// Story is a video as its sections tell it.
type Story struct {
	// Name is how a question names the video.
	Name     string `json:"name"`
	Sections []Part `json:"sections"`
}

// Part is one described section. Section counts from 1, Start and End are
// seconds within the video itself. Of a Cut one only a part is shown: it tells
// what is true, and nothing may be asked about it.
type Part struct {
	Section int     `json:"section"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Cut     bool    `json:"cut,omitempty"`
	schemas.Description
}

// Refusal is an answer that did not pass CheckDraft, and why.
type Refusal = model.RejectedAnswer[Draft]

// Draft is a question as a model writes it. Types whose options are always the
// same have none in the answer; see AddFixedOptions.
type Draft struct {
	// Cannot says why there is no question; the rest is then empty.
	Cannot      string     `json:"cannot"`
	Question    string     `json:"question"`
	Options     []Option   `json:"options,omitempty"`
	Evidence    []Evidence `json:"evidence"`
	Explanation string     `json:"explanation"`
}

// Option is a choice and its role, one of schemas.Role....
type Option struct {
	Text string `json:"text"`
	Role string `json:"role"`
}

// Evidence names a section of Target ("target") or Other ("other").
type Evidence struct {
	Video   string `json:"video"`
	Section int    `json:"section"`
}

// Which video a piece of evidence belongs to.
const (
	RoleTarget = "target"
	RoleOther  = "other"
)

type kind struct {
	prompt string
	roles  map[string]int
	// needs lists whose sections the evidence must hold.
	needs []string
	// fixed: the options are the videos' names, both and neither.
	fixed bool
}

var distractors = map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}

var kinds = map[string]kind{
	schemas.TypeSourceIdentification: {prompt: "video.author.source_identification", roles: distractors, needs: []string{RoleTarget, RoleOther}},
	schemas.TypeOrderUnderstanding:   {prompt: "video.author.order_understanding", roles: distractors, needs: []string{RoleTarget}},
	schemas.TypeContentRetention:     {prompt: "video.author.content_retention", roles: distractors, needs: []string{RoleTarget}},
	schemas.TypeFalseMemory:          {prompt: "video.author.false_memory", roles: distractors, fixed: true},
	schemas.TypeSourceMemory:         {prompt: "video.author.source_memory", roles: distractors, needs: []string{RoleTarget}, fixed: true},
	schemas.TypeInterference: {prompt: "video.author.interference", needs: []string{RoleTarget, RoleOther},
		roles: map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1}},
}

// Types lists what can be asked over a layout, in a fixed order (M3Eval 3.1).
func Types(layout string) []string {
	switch layout {
	case schemas.LayoutConcat:
		return []string{schemas.TypeInterference}
	case schemas.LayoutSplit:
		return []string{
			schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention, schemas.TypeSpatialGrounding,
		}
	case schemas.LayoutInterleaved:
		return []string{
			schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention,
			schemas.TypeFalseMemory, schemas.TypeSourceMemory, schemas.TypeTemporalGrounding,
		}
	}
	return nil
}

// JobName is the name of the prompt for a question type. Types that ask where
// something happens have none of their own, see EventJob.
func JobName(typ string) string { return kinds[typ].prompt }

// LayoutSentence is the sentence that says how a layout shows two videos.
func LayoutSentence(layout string) string {
	switch layout {
	case schemas.LayoutSplit:
		return "Two videos are played side by side, each in one half of the picture."
	case schemas.LayoutInterleaved:
		return "Two videos are cut into segments, which are played in turn."
	}
	return "Two videos are played one after the other."
}

// Neither is the option that says that something happens in no video.
const Neither = "In neither of the two videos"

// AddFixedOptions adds the options of a type whose options are always the same.
func AddFixedOptions(typ string, in Input, d Draft) Draft {
	if !kinds[typ].fixed {
		return d
	}
	d.Options = []Option{
		{Text: onlyIn(in.Target.Name), Role: schemas.RoleDistractor}, {Text: onlyIn(in.Other.Name), Role: schemas.RoleDistractor},
		{Text: "In both of the two videos", Role: schemas.RoleDistractor}, {Text: Neither, Role: schemas.RoleDistractor},
	}
	if typ == schemas.TypeFalseMemory {
		d.Options[3].Role = schemas.RoleCorrect
	} else {
		d.Options[0].Role = schemas.RoleCorrect
	}
	return d
}

func onlyIn(name string) string { return "Only in " + name }

func (s Story) hasText(text string) bool {
	for _, p := range s.Sections {
		for _, t := range groundtruth.DescriptionTexts(p.Description) {
			if answercues.ContainsWords(t, text) {
				return true
			}
		}
	}
	return false
}

// named returns the phrase for a video that is recognised by a text of its own.
func named(text string) string {
	return `the video with a part described as "` + text + `"`
}

func (in Input) story(of string) Story {
	if of == RoleOther {
		return in.Other
	}
	return in.Target
}
