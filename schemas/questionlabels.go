package schemas

// Question types of the video family (M3Eval 3.1 and 4).
const (
	TypeInterference         = "interference"
	TypeSourceIdentification = "source_identification"
	TypeOrderUnderstanding   = "order_understanding"
	TypeContentRetention     = "content_retention"
	// TypeSpatialGrounding and TypeTemporalGrounding ask which video something is part
	// of, and where it is: on which side, in which half.
	TypeSpatialGrounding  = "spatial_grounding"
	TypeTemporalGrounding = "temporal_grounding"
	// TypeFalseMemory asks in which video something happens that happens in neither.
	// TypeSourceMemory asks the same of what does happen, so that the form of a
	// question does not reveal its answer.
	TypeFalseMemory  = "false_memory_discrimination"
	TypeSourceMemory = "source_memory"
	TypeNBack        = "nback"
)

// Labels of questions about two videos. An evaluation groups by them.
const (
	// LabelMirror is shared by questions that differ only in how their videos are
	// shown.
	LabelMirror = "mirror_group"
	// LabelPair is shared by all questions about one pair of videos, whatever their
	// layout. They are not independent, so resampling and cross-validation keep them
	// together.
	LabelPair = "pair"
	// LabelTarget is the video asked about: A or B, or also TargetBoth or TargetNeither
	// where the question asks in which video something happens.
	LabelTarget = "target"
	// LabelEvent is the kind of event asked about, LabelDetail what a question of
	// content retention asks about it: one of the values below.
	LabelEvent  = "event"
	LabelDetail = "detail"
	// LabelDirection is Proactive or Retroactive, LabelRepetition which of the
	// videos is played twice.
	LabelDirection  = "interference_direction"
	LabelRepetition = "repetition"
	// LabelMetricGroup is the column of the results: the direction, swap0 or
	// swap10, or GroupInterleaved. LabelMetricDetail, LabelErrorType and
	// LabelDimension place a question in the tables of M3Eval 4.1 and 4.3.
	LabelMetricGroup  = "metric_group"
	LabelMetricDetail = "metric_detail"
	LabelErrorType    = "error_type"
	LabelDimension    = "source_dimension"
	// LabelSeparability is how well a classifier that sees single frames tells the two
	// videos apart, usually 0.50 to 1.00; see Separability. Absent if it was not
	// measured.
	LabelSeparability = "separability"
	// LabelLikeness is how alike the two videos of a pair were made, from 0 to 1. Both
	// videos carry it, if it is known.
	LabelLikeness = "likeness"
	// LabelAuthor is the model that wrote the question, LabelDescriber the one that
	// wrote the descriptions behind it. Questions from ground truth have neither.
	LabelAuthor    = "author"
	LabelDescriber = "describer"
)

// LabelGranularity says how fine the evidence is that decides a question (MemEye 3.1):
// GrainScene, the gist of a picture; GrainRegion, what is at a place of it;
// GrainInstance, which of several alike; GrainPixel, small text, an exact colour, a
// count, a texture.
const (
	LabelGranularity = "granularity"

	GrainScene    = "X1"
	GrainRegion   = "X2"
	GrainInstance = "X3"
	GrainPixel    = "X4"
)

// LabelReasoning says how the evidence of a question is combined (MemEye 3.2):
// ReasonSingle, one piece suffices; ReasonJoined, several are needed; ReasonEvolving,
// one thing is shown at several times and only the last holds.
const (
	LabelReasoning = "reasoning"

	ReasonSingle   = "Y1"
	ReasonJoined   = "Y2"
	ReasonEvolving = "Y3"
)

// Values of the labels.
const (
	TargetBoth    = "both"
	TargetNeither = "neither"

	Proactive   = "proactive"
	Retroactive = "retroactive"

	RepeatsNone       = "none"
	RepeatsTarget     = "target"
	RepeatsInterferer = "interferer"

	GroupInterleaved = "interleaved"

	// DetailColour, DetailThing and DetailGarment are left out of a sentence: a colour,
	// what has it, what somebody wears in it. DetailHandled is what somebody handles,
	// DetailDeed who handles what, DetailSign what the sign says meanwhile, DetailWhole
	// all of what happens.
	DetailColour  = "colour"
	DetailThing   = "thing"
	DetailGarment = "garment"
	DetailHandled = "handled"
	DetailDeed    = "deed"
	DetailSign    = "sign"
	DetailWhole   = "whole"

	DetailSourceMemory     = "source_memory"
	DetailStoryline        = "storyline_reconstruction"
	DetailFalseAttribution = "false_source_attribution"

	ErrorSourceConfusion   = "source_confusion"
	ErrorOrderDisruption   = "order_disruption"
	ErrorContentForgetting = "content_forgetting"

	DimensionSpatial   = "spatial"
	DimensionNarrative = "narrative"
)

// LabelCheckpointSession is the last session, as its file calls it, that a question of
// somebody's own data may rest on.
const LabelCheckpointSession = "asked_after"
