package view

import "github.com/memforge/memforge/pipeline"

// NumberedPassage is what a model is shown of a passage. Pictures are numbers
// of attached images, from 1. Absence marks, for a judge, what the answer says
// that something does not occur in, Own a picture of the question itself.
type NumberedPassage struct {
	Number   int    `json:"passage"`
	Span     string `json:"span,omitempty"`
	Text     string `json:"text,omitempty"`
	Caption  string `json:"caption,omitempty"`
	Pictures []int  `json:"pictures,omitempty"`
	Absence  bool   `json:"absence,omitempty"`
	Rest     bool   `json:"rest,omitempty"`
	Own      bool   `json:"of_the_question,omitempty"`
}

// NumberPassages numbers passages and the images taken of each that has a picture, and
// returns the images in that order.
func NumberPassages(list []Passage, taken [][]pipeline.Digest) ([]NumberedPassage, []pipeline.Digest) {
	var images []pipeline.Digest
	passages := []NumberedPassage{}
	for i, p := range list {
		out := NumberedPassage{Number: i + 1, Span: p.Span, Text: p.Text, Caption: p.Caption, Absence: p.Absence, Rest: p.Rest, Own: p.Own}
		if p.Picture != nil {
			for range taken[0] {
				out.Pictures = append(out.Pictures, len(images)+len(out.Pictures)+1)
			}
			images, taken = append(images, taken[0]...), taken[1:]
		}
		passages = append(passages, out)
	}
	return passages, images
}
