// Package trajectory holds what the adapters of recorded agent runs share: finding the
// files and the pictures, choosing one run of an episode, cutting steps into sessions
// and giving tasks, sessions and pictures. An adapter reads runs out of one file; what
// of it becomes no record is rejected field by field, so that it is counted.
package trajectory

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Codes of what a file holds and no record can.
const (
	// CodeFile, CodeRun and CodeStep mark a file, a run or a step that cannot be read.
	CodeFile = "bad-file"
	CodeRun  = "bad-run"
	CodeStep = "bad-step"
	// CodeField is a field of upstream that no record has, with how often it is there.
	CodeField = evidence.CodeField
	// CodeNoAction is what an agent said without doing anything; the step stays.
	CodeNoAction = "no-action"
	// CodeMark is an action on a mark that the screen does not have; the step stays.
	CodeMark = "unknown-mark"
	// CodeOmitted is an observation that upstream itself left out.
	CodeOmitted = "observation-omitted"
	// CodeModel is a run of an episode of which another model's run is given.
	CodeModel = "other-model"
	// CodeCopy is a run whose id is there already.
	CodeCopy = "duplicate-run"
	// CodeNumber marks pictures or steps whose numbers are not those of the run.
	CodeNumber = "renumbered"
	// CodeBox marks a screenshot of which only the form without marks is there.
	CodeBox = "no-box-twin"
	// CodeTime and CodeBack mark a time that is none, and one before the step ahead;
	// the step stays and has no time.
	CodeTime = "bad-time"
	CodeBack = "time-runs-back"
	// CodeLong marks steps behind the most that a run may have.
	CodeLong = "too-many-steps"
	// CodeCut marks a text of which the end is left out.
	CodeCut = "text-cut"
	// CodeFlag is a flag that is neither true nor false.
	CodeFlag = "bad-flag"
)

// Run is one attempt of an agent at one task.
type Run struct {
	// Name is the run in ids, Episode the task that several agents may have tried: of
	// equal ones the run with the highest Rank is given. An empty Episode is its own.
	Name, Episode string
	Rank          int
	// Domain is web, gui or embodied; Scenario the site, the kind or the split.
	Domain, Scenario string
	// Goal is what the user asked for, Agent who tried.
	Goal, Agent string
	// Facts are what upstream states of the run as a whole, in the order in which it
	// begins: they stand in the first turn of the environment.
	Facts []string
	// Outcome is the verdict on the run: it is the feedback of a last turn.
	Outcome string
	Steps   []Step
	losses  []loss
}

// Step is what an agent saw, thought and did, and what followed.
type Step struct {
	// Ref leads to the step within its run, for those who look up a loss.
	Ref string
	// Opens says that a session begins with this step; Event is of what kind the
	// session is then, Says the instruction that the user gives for it.
	Opens       bool
	Event, Says string

	Observation, Reasoning, Action, Feedback string
	// Time is an RFC 3339 time or empty.
	Time  string
	Shots []Shot
}

// Shot is a picture of a step: a file by the end of its path, or bytes.
type Shot struct {
	Name    string
	Data    []byte
	Caption string
}

type loss struct{ place, code, why string }

// Reject notes a part of the run that becomes nothing. A place leads to it.
func (r *Run) Reject(place, code, format string, args ...any) {
	r.losses = append(r.losses, loss{place, code, fmt.Sprintf(format, args...)})
}

// UnusedFields counts what objects of a run have beside the keys that are kept.
type UnusedFields = evidence.UnusedFields

// RejectFields notes the fields that were left out, each once, with how often.
func (r *Run) RejectFields(f UnusedFields) {
	for place, why := range f.Rejections {
		r.Reject(place, why.Code, "%s", why.Reason)
	}
}

// ParseFlag reads true, false, 1.0 and 0.0, also as text; given is false where it is absent.
func ParseFlag(o annotation.Object, key string) (value, given bool, err error) {
	var v any
	if raw := o[key]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return false, false, fmt.Errorf("key %q: %w", key, err)
		}
	}
	switch t := v.(type) {
	case nil:
		return false, false, nil
	case bool:
		return t, true, nil
	case float64:
		if t == 0 || t == 1 {
			return t == 1, true, nil
		}
	case string:
		switch strings.ToLower(strings.TrimSpace(t)) {
		case "true", "1", "1.0":
			return true, true, nil
		case "false", "0", "0.0":
			return false, true, nil
		}
	}
	return false, false, fmt.Errorf("key %q: want true or false, 1.0 or 0.0, have %s", key, annotation.Truncate(string(o[key])))
}

// Flag is the function of this name; what is no flag is lost at a place.
func (r *Run) Flag(place string, o annotation.Object, key string) (value, given bool) {
	value, given, err := ParseFlag(o, key)
	if err != nil {
		r.Reject(place, CodeFlag, "%v; it counts as not stated", err)
	}
	return value, given
}

// OutcomeOf returns the outcome that a flag states; empty where it is absent.
func OutcomeOf(success, given bool) string {
	switch {
	case !given:
		return ""
	case success:
		return "The task was judged done."
	}
	return "The task was judged not done."
}

// FormatMillis returns the RFC 3339 time of milliseconds since 1970, or empty for 0.
func FormatMillis(ms float64) string {
	if ms <= 0 || ms > 4102444800000 { // the year 2100
		return ""
	}
	return time.UnixMilli(int64(ms)).UTC().Format(time.RFC3339)
}

var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// maxName bounds the name of a run in ids.
const maxName = 128

// RunName makes an id part of what upstream calls a run; an error says that nothing of it
// can stand in one.
func RunName(parts ...string) (string, error) {
	name := strings.Trim(unnamed.ReplaceAllString(strings.Join(parts, "-"), "_"), "._-")
	if name == "" || len(name) > maxName {
		return "", fmt.Errorf("%q makes no id: want 1 to %d letters, digits, - and _", annotation.Truncate(strings.Join(parts, "-")), maxName)
	}
	return name, nil
}

// section finds where Observation, Thought and Action begin in what an agent says.
var section = regexp.MustCompile(`(?im)^[ \t]*\**(observation|thought|reasoning|action)\**[ \t]*:[ \t]*\**`)

// SplitSections splits what an agent said into observation, reasoning and action. Text in
// front of the first name is reasoning; a name that comes again goes on.
func SplitSections(text string) (observation, reasoning, action string) {
	at, parts := "reasoning", map[string][]string{}
	last := 0
	put := func(end int) {
		if s := strings.TrimSpace(text[last:end]); s != "" {
			parts[at] = append(parts[at], s)
		}
	}
	for _, m := range section.FindAllStringSubmatchIndex(text, -1) {
		put(m[0])
		at, last = strings.ToLower(text[m[2]:m[3]]), m[1]
		if at == "thought" {
			at = "reasoning"
		}
	}
	put(len(text))
	return strings.Join(parts["observation"], "\n"), strings.Join(parts["reasoning"], "\n"), strings.Join(parts["action"], "\n")
}

func (l loss) rejection() *pipeline.Rejection { return pipeline.Reject(l.code, "%s", l.why) }
