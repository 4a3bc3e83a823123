package pipeline

import (
	"regexp"
	"strconv"
	"strings"
)

// What becomes of an item that a gate flags.
const (
	// OnFailDrop drops it, OnFailKeep lets it go on with its verdict.
	OnFailDrop = "drop"
	OnFailKeep = "keep"
	// OnFailRelabel lets it go on under the labels that the gate offers, and
	// drops it when there are none.
	OnFailRelabel = "relabel"
	// OnFailRevise hands it on as a record of schema schemas.NameFlagged, for a
	// stage to rewrite it.
	OnFailRevise = "revise"
)

// A plan spells the loop of gates and rewriting out, so that it has no cycle:
// for each round there is a reviser, which reads what the gates of the round
// before hand on, and a copy of every gate of the loop. The names of such
// derived steps hold a "~", which the name of no written step does. Before each
// reviser stands a step that gathers what the gates of a round flagged and
// passed, so that questions with the same words are rewritten together.
const (
	roundMark    = "~"
	reviserMark  = "revise" + roundMark
	gathererMark = "gather" + roundMark
	flagsMark    = "flags" + roundMark
)

var (
	writtenStep = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	derivedStep = regexp.MustCompile(`^((revise|gather|flags)~)?[a-z0-9][a-z0-9_-]{0,63}(~[1-9][0-9]{0,5})?$`)
)

// IsWrittenStepName reports whether a step of a configuration may have the name, IsStepName
// whether that step or one derived of it may.
func IsWrittenStepName(name string) bool { return writtenStep.MatchString(name) }

// IsStepName is IsWrittenStepName for steps that were derived, too.
func IsStepName(name string) bool { return derivedStep.MatchString(name) }

// RoundName returns the name of a step's copy for a round of the loop, from 1.
func RoundName(node string, round int) string { return node + roundMark + strconv.Itoa(round) }

// ReviserName returns the name of the reviser of a round of the loop that begins
// with the gate head.
func ReviserName(head string, round int) string { return RoundName(reviserMark+head, round) }

// SplitReviser is the inverse of ReviserName; ok is false for any other name.
func SplitReviser(name string) (head string, round int, ok bool) {
	node, round := SplitRound(name)
	head, ok = strings.CutPrefix(node, reviserMark)
	return head, round, ok && round > 0
}

// GathererName returns the name of the step that gathers what goes into a round of
// the loop that begins with the gate head.
func GathererName(head string, round int) string { return RoundName(gathererMark+head, round) }

// FlagsName returns the name of the step that takes what gates before the last one
// of the loop flagged, and nothing that they passed, to the gatherer of a round.
func FlagsName(head string, round int) string { return RoundName(flagsMark+head, round) }

// copied begins the reason of a question that is rewritten for another's sake.
const copied = "of its copy "

// CopyReason is why a question that no gate flagged is rewritten: item, with the
// same words, was.
func CopyReason(item, reason string) string { return copied + item + ": " + reason }

// SplitCopyReason is the inverse of CopyReason.
func SplitCopyReason(s string) (item, reason string, ok bool) {
	rest, ok := strings.CutPrefix(s, copied)
	if !ok {
		return "", s, false
	}
	return strings.Cut(rest, ": ")
}

// SplitRound is the inverse of RoundName. The round of a written step is 0.
func SplitRound(name string) (node string, round int) {
	i := strings.LastIndex(name, roundMark)
	if i < 0 {
		return name, 0
	}
	round, err := strconv.Atoi(name[i+len(roundMark):])
	if err != nil || round < 1 {
		return name, 0
	}
	return name[:i], round
}
