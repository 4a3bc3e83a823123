package lifelong_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/lifesim"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

func livesConfig() lifelong.LivesConfig {
	var c lifelong.LivesConfig
	c.SetDefaults()
	return c
}

// user is a person with a name, and what happened to her.
func user(t *testing.T, change func(*schemas.Profile, *schemas.EvidenceItem)) []pipeline.Record {
	t.Helper()
	p := schemas.Profile{
		ProfileID: "set/7-a", UpstreamID: "7-a", License: "CC0-1.0", Name: "Mia Rowe", Attributes: map[string]string{"employment": "Student", "gender": "Female", "area": "Islands"},
		Traits: []string{"Calm", "Forgetful, with poor memory", "loud"}, Preferences: []schemas.Preference{{Dimension: "Need for Order (of things)", Level: "high", Text: "Likes order."}},
	}
	i := schemas.EvidenceItem{ItemID: "set/e", Profiles: []string{"set/7-a"}, Question: schemas.Question{Labels: map[string]string{"theme": "sport_health"}}}
	for n, place := range []string{"Gym", "Park", "Lake", "Lake", "Gym", "Hall"} {
		i.Units = append(i.Units, schemas.EvidenceUnit{Text: fmt.Sprintf("She runs %d miles\nAsks: How far next?", n), Time: fmt.Sprintf("2020-03-%02dT10:00:00+01:00", 2+3*n), Labels: map[string]string{"location": place, "weather": "Dry."}})
	}
	if change != nil {
		change(&p, &i)
	}
	var out []pipeline.Record
	for _, r := range []struct {
		schema, id string
		v          any
	}{{schemas.NameProfile, p.ProfileID, p}, {schemas.NameEvidenceItem, i.ItemID, i}} {
		rec, err := pipeline.NewRecord(r.schema, r.id, r.v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec)
	}
	return out
}

// TestLivesConform runs the suite of stages on one user.
func TestLivesConform(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{Register: lifelong.Register, Use: "lifelong.lives", Config: livesConfig(), Inputs: user(t, nil), Types: recordTypes(), Golden: "8 681a88cfd8231b2bd238f4487c4dade45ec45a1e9b5d11f17878466c237cd451"})
}

// TestLifeOfAUser wants name, facts, theme, days, places and words of a user in her life,
// and all else counted.
func TestLifeOfAUser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*schemas.Profile, *schemas.EvidenceItem)
		want   string
	}{
		"whole": {nil, "Mia Rowe is in Islands, Student, calm, forgetful, with poor memory, high; 2020-03-02 Gym, 2020-03-05 Park, 2020-03-08 Lake, 2020-03-14 Gym, 2020-03-17 Hall; " +
			"fields-left-out events at the same place again 1, events.hour 5, events.weather 6, gender 1, personality 1, preferences 1"},
		"unusable": {func(p *schemas.Profile, i *schemas.EvidenceItem) {
			p.Name, p.Traits[0], i.Question.Labels["theme"] = "mia!", "Calm. Loud", "x&y"
			p.Preferences[0].Dimension = "<b>"
			i.Units[0].Text = "My home area is Cities. Well"
			i.Units = append(i.Units, schemas.EvidenceUnit{Text: "Later.", Time: "2020-03-20T10:00:00Z", Labels: map[string]string{"location": "No. 7"}}, schemas.EvidenceUnit{Text: "Never.", Labels: map[string]string{"location": "Inn"}})
		}, "Quirin Wirth is in Islands, Student, forgetful, with poor memory; 2020-03-05 Park, 2020-03-08 Lake, 2020-03-14 Gym, 2020-03-17 Hall; " +
			"fields-left-out events at the same place again 1, events whose words tell another fact 1, events without a day 1, events without a place 1, events.hour 4, events.weather 6, gender 1, name 1, personality 2, preferences 1, preferences_value 1, theme 1"},
		"no events": {func(_ *schemas.Profile, i *schemas.EvidenceItem) { i.Profiles = nil }, "Mia Rowe is in Islands, Student, calm, forgetful, with poor memory, high; ; fields-left-out events 1, gender 1, personality 1, preferences 1"},
	} {
		out, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.lives", Config: livesConfig(), Inputs: user(t, c.change)}.Run(t)
		if err != nil || len(lost) != 1 {
			t.Fatalf("%s: lost %v, %v", name, lost, err)
		}
		life := testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", out)[0]
		if got := brief(life) + "; " + lost[0].Code + " " + lost[0].Reason; got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		if got := life.Rounds[1][0].User; name == "whole" && !strings.HasPrefix(got, "The latest stop of the Sport health diary is Gym. She runs 0 miles How far next?") {
			t.Errorf("the first visit is told as %q", got)
		}
		if id := out[0].ID; id != "life-set_7_a" {
			t.Errorf("the life is called %s", id)
		}
	}
}

// TestTooFewDays loses a user to whom things happened on three days.
func TestTooFewDays(t *testing.T) {
	t.Parallel()
	in := user(t, func(_ *schemas.Profile, i *schemas.EvidenceItem) { i.Units = i.Units[:3] })
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.lives", Config: livesConfig(), Inputs: in}.Run(t)
	if err != nil || len(out) != 0 || len(lost) != 1 || lost[0].Code != lifelong.CodeShort || !strings.Contains(lost[0].Reason, "on 3 days") {
		t.Errorf("%d lives, lost %v, %v", len(out), lost, err)
	}
}

// brief is what a life has of a user.
func brief(l lifelong.Simulation) string {
	var about, visits []string
	for _, e := range l.World.Events {
		switch {
		case e.Session == 0 && e.Key.Aspect == simulate.Area:
			about = append(about, "in "+e.Value)
		case e.Session == 0:
			about = append(about, e.Value)
		case e.Words != "":
			visits = append(visits, l.World.Sessions[e.Session].Date+" "+e.Value)
		}
	}
	return l.World.Person + " is " + strings.Join(about, ", ") + "; " + strings.Join(visits, ", ")
}

// TestRealLives makes a life of each of LifeSim's 120 users: what is known of them and
// what happened to them is in it, and what each user lost is counted field by field.
// In forty lives, ten in the small size, the replay agrees with all of it and
// no session has a fault.
func TestRealLives(t *testing.T) {
	t.Parallel()
	lives, lost := realLives(t)
	visits, about, sessions := 0, 0, 0
	for _, l := range testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", lives) {
		sessions += len(l.World.Sessions)
		for _, e := range l.World.Events {
			if e.Session == 0 {
				about++
			}
			if e.Words != "" {
				visits++
			}
		}
	}
	got := fmt.Sprintf("%d lives, %d sessions, %d facts of users, %d visits; %d users lost %v", len(lives), sessions, about, visits, len(lost), lostFields(t, lost))
	t.Log(got)
	want := "120 lives, 1132 sessions, 1570 facts of users, 1004 visits; 120 users lost map[bigfive:600 events:1 events at the same place again:3 events.explicit:1190 events.hour:1187 events.implicit:1190 events.keywords:1190 events.location:183 events.weather:1190 " +
		"gender:120 ideology:120 name:82 party:120 personality:356 preferences:752 race:120 religious:120 user_at_name:120]"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	b := buildOf(t, 1, lives[:testsize.Choose(10, 40)])
	allAgree(t, b)
	passes(t, b)
}

// lostFields adds up what users lost.
func lostFields(t *testing.T, lost []pipeline.Rejection) map[string]int {
	t.Helper()
	fields := map[string]int{}
	for _, r := range lost {
		if r.Code != lifelong.CodeLeft {
			t.Errorf("lost %+v", r)
		}
		for _, part := range strings.Split(r.Reason, ", ") {
			at := strings.LastIndexByte(part, ' ')
			n, err := strconv.Atoi(part[at+1:])
			if err != nil {
				t.Fatal(err)
			}
			fields[part[:at]] += n
		}
	}
	return fields
}

// realLives are the lives of LifeSim's users, and what was lost on the way.
func realLives(t *testing.T) ([]pipeline.Record, []pipeline.Rejection) {
	t.Helper()
	users, events := testkit.ReadRealInput(t, "lifesim/users.jsonl"), testkit.ReadRealInput(t, "lifesim/events.jsonl")
	var c lifesim.Config
	c.SetDefaults()
	c.Persona = true
	repo := testkit.Repo{Commit: strings.Repeat("8", 40), Files: map[string][]byte{"data/single_session/users.jsonl": users, "data/single_session/events.jsonl": events}}
	records, _, err := testkit.Subject{Register: lifesim.Register, Use: "lifesim", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"dfy37/lifesim": repo}}).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	lives, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.lives", Seed: 1, Config: livesConfig(), Inputs: records}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return lives, lost
}
