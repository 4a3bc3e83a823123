package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// plain is a system that cannot be started anew, anew one that can.
type (
	plain struct{ System }
	anew  struct{ System }
)

func (a anew) Restart() System { return a }
func (anew) Concurrent() bool  { return false }

// TestIsolationsByWhatASystemCan: state where it is offered, else a process, and what is asked for or an error.
func TestIsolationsByWhatASystemCan(t *testing.T) {
	for _, tc := range []struct {
		wanted string
		state  bool
		s      System
		want   string
	}{
		{"", true, anew{}, IsolationState}, {"", true, plain{}, IsolationState}, {"", false, anew{}, IsolationProcess}, {"", false, plain{}, "error a server cannot be started anew"},
		{IsolationState, true, plain{}, IsolationState}, {IsolationState, false, anew{}, "error it does not offer save_state"}, {IsolationProcess, true, anew{}, IsolationProcess}, {IsolationProcess, true, plain{}, "error a server cannot be started anew"},
		{IsolationNone, false, plain{}, IsolationNone}, {IsolationNone, true, anew{}, IsolationNone},
	} {
		got, err := chooseIsolation(tc.wanted, Capabilities{State: tc.state}, tc.s)
		var unusable *SystemError
		if errors.As(err, &unusable) {
			got = "error " + unusable.Detail
		}
		if got != tc.want && !(strings.HasPrefix(tc.want, "error") && strings.HasPrefix(got, tc.want)) {
			t.Errorf("%q of %T, state %t: %q, want %q", tc.wanted, tc.s, tc.state, got, tc.want)
		}
	}
}

// TestViewsByName: no name is that of the whole history, and another one is refused with all there are.
func TestViewsByName(t *testing.T) {
	names := Views()
	first, err := ViewNamed("")
	if err != nil || first.Name != names[0] || first.Evidence != "" {
		t.Errorf("%+v, %v", first, err)
	}
	for _, name := range names {
		if v, err := ViewNamed(name); err != nil || v.Name != name {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := ViewNamed("none of these"); err == nil || !strings.Contains(err.Error(), strings.Join(names, ", ")) {
		t.Error(err)
	}
}

// TestCaptionsInPlaceOfPictures: of evidence that is a medium and has one; the question stays as it was.
func TestCaptionsInPlaceOfPictures(t *testing.T) {
	q := schemas.Question{Evidence: []schemas.Evidence{
		{Kind: schemas.EvidenceMedia, Ref: "m", Caption: "a cup"}, {Kind: schemas.EvidenceTurn, Ref: "t", Media: "m", Text: "Ann: look", Caption: "a cup"}, {Kind: schemas.EvidenceMedia, Ref: "m"}, {Kind: schemas.EvidenceTurn, Ref: "t", Text: "Ann: so", Caption: "a cup"},
	}}
	var got []string
	for _, e := range withCaptions(q).Evidence {
		got = append(got, fmt.Sprintf("%s %s%s %q", e.Kind, e.Ref, e.Media, e.Text))
	}
	want := fmt.Sprintf(`%[1]s  "[a cup]"|%[1]s  "Ann: look [a cup]"|%[2]s m ""|%[3]s t "Ann: so"`, schemas.EvidenceText, schemas.EvidenceMedia, schemas.EvidenceTurn)
	if text := strings.Join(got, "|"); text != want || q.Evidence[0].Ref != "m" {
		t.Errorf("%s, want %s", text, want)
	}
}
