package lifesim_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/lifesim"
)

func config(change func(*lifesim.Config)) lifesim.Config {
	var c lifesim.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func subject(t *testing.T, c lifesim.Config, users, events []byte) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("8", 40), Files: map[string][]byte{
		"data/single_session/users.jsonl": users, "data/single_session/events.jsonl": events, "data/language_templates.json": []byte("[]"),
	}}
	return testkit.Subject{Register: lifesim.Register, Use: "lifesim", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"dfy37/lifesim": repo}})
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), read(t, "users.jsonl"), read(t, "events.jsonl"))
	s.Golden = "2 b2068740fa8cf2e57c918fe9e62d8ad88412f2feba64016d310dd7d17d8de918"
	testkit.ConformSource(t, s)
}

func TestRecords(t *testing.T) {
	records, lost, err := subject(t, config(nil), read(t, "users.jsonl"), read(t, "events.jsonl")).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	profiles := map[string]schemas.Profile{}
	for _, p := range testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, records) {
		profiles[p.UpstreamID] = p
	}
	one := profiles["11"]
	if len(profiles) != 4 || one.ProfileID != "lifesim/11" || one.License != "NOASSERTION" || one.Name != "" || fmt.Sprint(one.Traits) != "[patient curious]" {
		t.Errorf("%d profiles, %+v", len(profiles), one)
	}
	if one.Attributes["age"] == "" || one.Attributes["religious"]+one.Attributes["party"] != "" || one.Attributes["bigfive openness to experience"] != "positive" {
		t.Errorf("attributes %v", one.Attributes)
	}
	if want := (schemas.Preference{Dimension: "Company", Level: "high", Text: "Shares every plan with friends before deciding."}); one.Preferences[1] != want {
		t.Errorf("preferences %+v", one.Preferences)
	}
	if n := profiles["12_0_1"].Notes; len(n) != 1 || n[0].Code != "left-out" {
		t.Errorf("notes %+v", n)
	}
	items := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records)
	checkItems(t, items, profiles)
	fields, others := apart(lost)
	if codes := testkit.Codes(others); codes != want {
		t.Errorf("lost\n%s\nwant\n%s", codes, want)
	}
	if got := fmt.Sprint(fields); got != wantFields {
		t.Errorf("fields lost %s\nwant %s", got, wantFields)
	}
}

// apart counts fields that were left out by their names, and gives what else was lost.
func apart(lost []pipeline.Rejection) (fields map[string]int, others []pipeline.Rejection) {
	fields = map[string]int{}
	for _, r := range lost {
		_, name, field := strings.Cut(r.ID, "/field:")
		if !field {
			others = append(others, r)
			continue
		}
		fields[name]++
	}
	return fields, others
}

// wantFields are the fields that the four users of the fixture and their three lives lose.
const wantFields = "map[_meta:3 events.location_detail:3 ideology:4 longterm_goal:3 overlap_score:4 party:4 race:4 religious:4 screen_name:4 trajectory_id:3 user_at_name:4]"

// want is what the fixture loses, by id.
const want = `data/single_session/events.jsonl:10 bad-annotation
data/single_session/events.jsonl:12 bad-annotation
data/single_session/events.jsonl:5 dangling-evidence
data/single_session/events.jsonl:6 bad-date
data/single_session/events.jsonl:7 bad-date
data/single_session/events.jsonl:8 bad-date
data/single_session/users.jsonl:5 bad-annotation
data/single_session/users.jsonl:8 bad-annotation
data/single_session/users.jsonl:9 bad-annotation
lifesim/11 duplicate-id
lifesim/14 contradictory-preferences
lifesim/event_dining_11 duplicate-id
lifesim/event_education_13 no-gold
lifesim/event_mental_health_11 no-evidence`

func checkItems(t *testing.T, items []schemas.EvidenceItem, profiles map[string]schemas.Profile) {
	t.Helper()
	if len(items) != 3 {
		t.Fatalf("%d items, want 3", len(items))
	}
	for _, i := range items {
		q := i.Question
		user := profiles[q.Labels["user"]]
		holds := slices.ContainsFunc(user.Preferences, func(p schemas.Preference) bool { return p.Text == q.AnswerText })
		if !holds || i.Task != schemas.TaskPreference || fmt.Sprint(i.Profiles) != fmt.Sprintf("[lifesim/%s]", user.UpstreamID) {
			t.Errorf("item %s: gold %q of %+v", i.ItemID, q.AnswerText, user)
		}
		for _, o := range q.Options {
			if o.Role != schemas.RoleCorrect && slices.ContainsFunc(user.Preferences, func(p schemas.Preference) bool { return p.Text == o.Text }) {
				t.Errorf("item %s: the wrong option %q holds", i.ItemID, o.Text)
			}
		}
	}
	u := items[slices.IndexFunc(items, func(i schemas.EvidenceItem) bool { return i.UpstreamID == "event_dining_11" })].Units
	if len(u) != 2 || u[0].Time != "2020-03-02T10:00:00+09:00" || u[0].Text != "The neighbour rehearses next door-again.\nAsks: Where can I read in peace?" {
		t.Errorf("units %+v", u)
	}
	if l := u[0].Labels; l["keywords"] != "Home, Neighbours' rules" || l["implicit"] != "Wants to read on." || l["explicit"] != "Wants an hour of quiet." {
		t.Errorf("labels %v", l)
	}
	late := items[slices.IndexFunc(items, func(i schemas.EvidenceItem) bool { return i.UpstreamID == "event_travel_12_0_1" })]
	if late.Units[0].Time != "2020-03-02T10:00:00+09:00" || len(late.Notes) != 1 || late.Notes[0].Code != "not-in-order" {
		t.Errorf("units %+v, notes %+v", late.Units, late.Notes)
	}
}

func TestPersonaIsKeptOnRequest(t *testing.T) {
	c := config(func(c *lifesim.Config) { c.Persona, c.MaxItems = true, 1 })
	records, _, err := subject(t, c, read(t, "users.jsonl"), read(t, "events.jsonl")).Read(t)
	profiles := testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, records)
	if err != nil || len(records) > len(profiles)+1 || profiles[0].Name != "A. Nonym" || profiles[0].Attributes["race"] != "Unstated" {
		t.Errorf("%d records, %v, %+v", len(records), err, profiles)
	}
}

func TestUnusable(t *testing.T) {
	for want, change := range map[string]func(*lifesim.Config){
		"owner/name": func(c *lifesim.Config) { c.Repo = "x" }, "part": func(c *lifesim.Config) { c.Part = "all" },
		"max_items": func(c *lifesim.Config) { c.MaxItems = -1 }, "max_bytes": func(c *lifesim.Config) { c.MaxBytes = 0 },
	} {
		if _, err := lifesim.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, lost, err := subject(t, config(nil), []byte("\xff"), []byte("{}\n")).Read(t)
	if err != nil || len(lost) != 2 || lost[0].Code != "bad-annotation" && lost[1].Code != "bad-annotation" {
		t.Errorf("a file that is no text: lost %+v, %v", lost, err)
	}
}

// TestRealUsers reads all 120 users and what happens to them.
func TestRealUsers(t *testing.T) {
	users, events := testkit.ReadRealInput(t, "lifesim/users.jsonl"), testkit.ReadRealInput(t, "lifesim/events.jsonl")
	records, lost, err := subject(t, config(nil), users, events).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	profiles := testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, records)
	items := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records)
	preferences, units, options, implicit, unordered := 0, 0, map[int]int{}, 0, 0
	for _, p := range profiles {
		preferences += len(p.Preferences)
	}
	for _, i := range items {
		units += len(i.Units)
		options[len(i.Question.Options)]++
		unordered += len(i.Notes)
		for _, u := range i.Units {
			if u.Labels["implicit"] != "" {
				implicit++
			}
		}
	}
	fields, others := apart(lost)
	got := fmt.Sprintf("%d profiles with %d preferences, %d items on %d events (%d with implicit wishes), options %v, %d out of order, fields lost %v, lost %s", len(profiles), preferences, len(items), units, implicit, options, unordered, fields, testkit.Codes(others))
	t.Log(got)
	if want := "120 profiles with 752 preferences, 119 items on 1190 events"; !strings.HasPrefix(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
	if want := "map[_meta:119 events.location_detail:119 ideology:120 longterm_goal:119 overlap_score:120 party:120 race:120 religious:120 screen_name:120 trajectory_id:119 user_at_name:120]"; fmt.Sprint(fields) != want {
		t.Errorf("fields lost %v, want %s", fields, want)
	}
}

// TestALifeInTwoZones: what happened later stands later, whatever the clocks on the wall
// said.
func TestALifeInTwoZones(t *testing.T) {
	events := strings.Replace(string(read(t, "events.jsonl")), `"time": "2020-03-07 21:30:00, Saturday", "timestamp": "2020-03-07 12:30:00"`, `"time": "2020-03-02 09:30:00, Monday", "timestamp": "2020-03-02 08:30:00"`, 1)
	records, _, err := subject(t, config(nil), read(t, "users.jsonl"), []byte(events)).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	items := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records)
	i := items[slices.IndexFunc(items, func(i schemas.EvidenceItem) bool { return i.UpstreamID == "event_dining_11" })]
	if u := i.Units; len(u) != 2 || u[0].Time != "2020-03-02T10:00:00+09:00" || u[1].Time != "2020-03-02T09:30:00+01:00" || len(i.Notes) != 0 {
		t.Errorf("units %+v, notes %+v", i.Units, i.Notes)
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), read(t, "users.jsonl"), read(t, "events.jsonl")).CheckSpoiled(t, "spoiled-users", "data/single_session/users.jsonl")
	subject(t, config(nil), read(t, "users.jsonl"), read(t, "events.jsonl")).CheckSpoiled(t, "spoiled-events", "data/single_session/events.jsonl")
}
