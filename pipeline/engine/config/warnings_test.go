package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/config"
)

// typed is a build whose stage ask gives questions of the types order and recall,
// and whose stage vague gives some of types that nobody states.
func typed(release, gates string) string {
	return `version: 1
release: {name: demo, from: ` + release + `}
sources: {films: {use: procedural}}
stages:
  probe: {use: video.probe, from: [films]}
  ask: {use: ask.typed, from: [probe]}
  vague: {use: video.ask, from: [probe]}
  again: {use: video.ask, from: [ask]}
gates:
` + gates
}

func TestTypesAreHeldAgainstWhatArrives(t *testing.T) {
	for name, tc := range map[string]struct {
		gates, wrong string
		warned       []string
	}{
		"all":   {gates: `  g: {use: any-types, from: [ask]}`},
		"some":  {gates: `  g: {use: any-types, from: [ask], with: {types: [recall]}}`},
		"typo":  {gates: `  g: {use: any-types, from: [ask], with: {types: [recal, order]}}`, wrong: `pipeline.yaml:10:51: gate "g" judges questions of type "recal", which no plugin gives; did you mean "recall"?`},
		"alien": {gates: `  g: {use: any-types, from: [ask], with: {types: [zebra]}}`, wrong: `pipeline.yaml:10:51: gate "g" judges questions of type "zebra", which no plugin gives; known are: nback, order, recall, sequence`},
		"known, and cannot arrive": {gates: `  g: {use: any-types, from: [ask], with: {types: [order, nback]}}`,
			warned: []string{`pipeline.yaml:10:58: gate "g" judges questions of type "nback", and none can reach it (what reaches it: order, recall)`}},
		"through a stage that passes questions on": {gates: `  g: {use: any-types, from: [again], with: {types: [nback, order]}}`,
			warned: []string{`pipeline.yaml:10:53: gate "g" judges questions of type "nback", and none can reach it (what reaches it: order, recall)`}},
		"through a gate": {gates: "  g: {use: any-types, from: [h], with: {types: [zebra]}}\n  h: {use: any-types, from: [again]}",
			wrong: `"zebra", which no plugin gives`},
		"a gate that is made for others": {gates: `  g: {use: nback-only, from: [ask]}`,
			warned: []string{`pipeline.yaml:10:3: gate "g" judges questions of type nback, sequence, and none of these can reach it (what reaches it: order, recall): it would judge nothing`}},
		"unstated types may be any that is known":  {gates: `  g: {use: any-types, from: [vague], with: {types: [nback]}}`},
		"a gate that is made for others may do so": {gates: `  g: {use: nback-only, from: [vague]}`},
		"unstated types and a strange word": {gates: `  g: {use: any-types, from: [vague], with: {types: [nbck]}}`,
			warned: []string{`pipeline.yaml:10:53: gate "g" judges questions of type "nbck", which no plugin is known to give; did you mean "nback"?`}},
	} {
		c, err := config.Parse("pipeline.yaml", []byte(typed("[g]", tc.gates)), registry(), nil)
		if tc.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tc.wrong) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(c.Warnings, tc.warned) {
			t.Errorf("%s: warned of\n%s", name, strings.Join(c.Warnings, "\n"))
		}
	}
}

func TestGatesThatDoNotBearOnTheReleaseAreWarnedOf(t *testing.T) {
	const gates = `  a: {use: interference-roles, from: [ask]}
  b: {use: interference-roles, from: [a]}
  looked: {use: integrity, from: [probe]}`
	const unread = `pipeline.yaml:12:3: gate "looked": the release does not read it, so that its verdicts are in no table and it drops nothing; name it in release.from, or let a step that the release reads read it`
	for from, want := range map[string][]string{
		"[b, looked]": nil,
		"[b]":         {unread},
		"[a, looked]": {
			`pipeline.yaml:11:3: gate "b": the release does not read it, so that its verdicts are in no table and it drops nothing; name it in release.from, or let a step that the release reads read it`,
			`pipeline.yaml:2:30: release.from names "a", whose questions are judged after it by b: what fails there is released all the same; name the last gates alone`,
		},
		"[b, ask, looked]":   {`pipeline.yaml:2:33: release.from names "ask", whose questions are judged after it by a, b: what fails there is released all the same; name the last gates alone`},
		"[b, vague, looked]": {`pipeline.yaml:2:33: the questions of "vague" are released without any gate; let a gate read it and name the gate in release.from`},
		"[looked, b]":        nil,
	} {
		c := parse(t, typed(from, gates))
		if !slices.Equal(c.Warnings, want) {
			t.Errorf("%s: warned of\n%s", from, strings.Join(c.Warnings, "\n"))
		}
	}
	// A stage that hands questions on is as good as what stands before it.
	passing := strings.Replace(typed("[b, looked, again]", gates), "from: [ask]}\ngates", "from: [b]}\ngates", 1)
	if c := parse(t, passing); len(c.Warnings) != 0 {
		t.Errorf("behind a gate: warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
	if c := parse(t, typed("[b, looked, again]", gates)); len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], `the questions of "ask" are released without any gate`) {
		t.Errorf("behind no gate: warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
}

func TestMaxInsufficient(t *testing.T) {
	const gates = "  a: {use: interference-roles, from: [ask], max_insufficient: 0.25}\n  b: {use: interference-roles, from: [a]}\n"
	shares := func(text string) (out []float64) {
		for _, n := range parse(t, text).Plan.Steps {
			switch {
			case n.MaxInsufficient != nil:
				out = append(out, *n.MaxInsufficient)
			case n.Kind == "gate":
				out = append(out, -1)
			}
		}
		return out
	}
	if got := shares(typed("[b]", gates)); !slices.Equal(got, []float64{0.25, -1}) {
		t.Errorf("%v", got)
	}
	if got := shares(typed("[b]", gates) + "max_insufficient: 1\n"); !slices.Equal(got, []float64{0.25, 1}) {
		t.Errorf("with one for all: %v", got)
	}
	for text, want := range map[string]string{
		typed("[b]", strings.Replace(gates, "0.25", "1.5", 1)):                                           "pipeline.yaml:10:63: max_insufficient 1.5: want a share from 0 to 1",
		typed("[b]", gates) + "max_insufficient: -1\n":                                                   "pipeline.yaml:12:19: max_insufficient -1: want a share from 0 to 1",
		strings.Replace(typed("[b]", gates), "from: [films]}", "from: [films], max_insufficient: 1}", 1): `unknown key "max_insufficient"`,
	} {
		if _, err := config.Parse("pipeline.yaml", []byte(text), registry(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What ends a build after all its work is known from its configuration.
func TestWhatWouldEndABuildLateIsForeseen(t *testing.T) {
	const head = "version: 1\n"
	const rest = `
sources: {films: {use: folder, with: {license: CC-BY-44.0}}, own: {use: folder, with: {license: LicenseRef-ego4d}}}
stages:
  probe: {use: video.probe, from: [films, own]}
  ask: {use: ask.typed, from: [probe]}
gates: {g: {use: any-types, from: [ask]}}
`
	c := parse(t, head+"release: {name: demo, from: [g]}"+rest)
	want := []string{
		`pipeline.yaml:3:48: license "CC-BY-44.0" of source "films": it is none of the licences that a release may be published under; a release with it can only be private (--allow-unlicensed), or reference its media (release.media: licensed); did you mean "CC-BY-4.0"?`,
		`pipeline.yaml:3:97: license "LicenseRef-ego4d" of source "own": it is none of the licences that a release may be published under; a release with it can only be private (--allow-unlicensed), or reference its media (release.media: licensed)`,
	}
	if !slices.Equal(c.Warnings, want) {
		t.Errorf("warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
	mute := parse(t, strings.Replace(head+"release: {name: demo, from: [looked]}"+rest, "{g: {use: any-types, from: [ask]}}", "{looked: {use: integrity, from: [probe]}}", 1))
	if want := `pipeline.yaml:2:29: release.from names no step that gives questions: a release without any is refused when it is to be written`; !slices.Contains(mute.Warnings, want) {
		t.Errorf("without a question: warned of\n%s", strings.Join(mute.Warnings, "\n"))
	}
	if _, err := config.Parse("pipeline.yaml", []byte(head+"release: {name: demo, from: [g], license: cc-by-4.0}"+rest), registry(), nil); err != nil {
		t.Error(err)
	}
	for release, want := range map[string]string{
		"{name: demo, from: [g], license: CC-BY-ND-4.0}": `pipeline.yaml:2:43: license "CC-BY-ND-4.0" of the release: it allows no derivatives, and what a build makes is one`,
		"{name: demo, from: [g], license: CC-BY-40}":     `pipeline.yaml:2:43: license "CC-BY-40" of the release: it is none of the licences that a release may be published under; did you mean "CC-BY-4.0"?`,
		"{name: demo, from: [g, probe]}":                 `pipeline.yaml:2:33: release.from names stage "probe", which gives video: no table of a release holds any of it, nor of what it is made of; name steps that give questions or media`,
	} {
		_, err := config.Parse("pipeline.yaml", []byte(head+"release: "+release+rest), registry(), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", release, err)
		}
	}
}
