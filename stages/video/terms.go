package video

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// terms explain the question types and labels of the family.
func terms() pipeline.Terms {
	return pipeline.Terms{
		Says: "Two videos shown one after the other, side by side or cut into turns, or a row of short clips: what is remembered of which of them (M3Eval).",
		Types: map[string]string{
			schemas.TypeInterference:         "a detail of one of two videos played one after the other; two wrong options are true of the other",
			schemas.TypeSourceIdentification: "a detail of one of two videos shown together; the wrong options are true of the other",
			schemas.TypeOrderUnderstanding:   "in which order three events of one kind happen in one video",
			schemas.TypeContentRetention:     "a detail of an event; the wrong options are true of neither video",
			schemas.TypeSpatialGrounding:     "of which video an event is part, and on which side of the picture it is then",
			schemas.TypeTemporalGrounding:    "of which video an event is part, and in which half of the whole it happens",
			schemas.TypeFalseMemory:          "in which video something happens that happens in neither",
			schemas.TypeSourceMemory:         "in which video something happens: one, the other or both",
			schemas.TypeNBack:                "whether the last clip shows the same as the clip N places before it",
		},
		Labels: map[string]string{
			schemas.LabelFact: "name of the fact asked for", schemas.LabelMirror: "questions that differ only in how their videos are shown", schemas.LabelPair: "the two videos, in every layout",
			schemas.LabelTarget: "video asked about", schemas.LabelEvent: "kind of event asked about",
			schemas.LabelDirection: "where the disturbing video stands", schemas.LabelDirection + "=" + schemas.Proactive: "before the video asked about", schemas.LabelDirection + "=" + schemas.Retroactive: "after it",
			"detail":                 "what of an event is asked for",
			schemas.LabelRepetition:  "which video is played twice",
			schemas.LabelMetricGroup: "column of M3Eval's tables; swap10: left and right change places ten times", schemas.LabelMetricDetail: "row of M3Eval's diagnosis",
			schemas.LabelErrorType: "what a wrong choice means", schemas.LabelDimension: "what tells the videos apart: side (spatial) or turn (narrative)",
			schemas.LabelSeparability: "how well single frames tell the two videos apart: 0.50 as chance, 1.00 always", schemas.LabelLikeness: "how alike the two videos were made, 0 to 1",
			"lure": "where else than N places back the last clip's label stood", "lure=near": "next to that place", "lure=far": "further from it", "lure=none": "nowhere",
			"attribute": "what clips are compared by", "n_value": "N: how many places back", "clip_count": "number of clips", "match_kind": "what the clip N places before shows: the same in another clip, the same clip, or something else",
			"sequence": "clips of the video", "first_clip": "its first clip", "frames": "its length",
		},
	}
}
