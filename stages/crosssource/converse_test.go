package crosssource_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/author/chatauthor"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// speaker answers all requests for chats well: each turn says its own words.
func speaker(a testkit.ChatRequest) any {
	switch a.Task {
	case "crosssource_subtopics":
		var out chatauthor.Planned
		_, rest, _ := strings.Cut(a.User, "Wanted: ")
		n := 0
		if _, err := fmt.Sscan(rest, &n); err != nil {
			return err.Error()
		}
		for i := range n {
			out.Topics = append(out.Topics, fmt.Sprintf("Sub-topic %d is worth a talk.", i+1))
		}
		return out
	case "crosssource_turn":
		sum := string(pipeline.DigestOf(a.Body))[:12]
		if strings.HasSuffix(a.User, "It is long.") {
			return chatauthor.Written{Text: strings.Repeat("I keep thinking of "+sum+" and of what it means for us. ", 5)}
		}
		return chatauthor.Written{Text: "To me it is more like " + sum + "."}
	case "crosssource_anchor":
		return chatauthor.Anchored{Anchor: "NONE"}
	case "crosssource_people":
		var people []chatauthor.Portrait
		if err := a.Data("people", &people); err != nil {
			return err.Error()
		}
		for i := range people {
			people[i].Habits, people[i].Voice = []string{"writes on the tram"}, "dry, never an exclamation mark"
			for k := 1; k < min(len(people), 12); k++ {
				people[i].Relations = append(people[i].Relations, chatauthor.Relation{With: people[(i+k)%len(people)].Name, Is: "neighbour"})
			}
			people[i].Likes = append([]string{}, people[i].Likes...)
		}
		return chatauthor.Portrayed{People: people}
	case "crosssource_paper":
		_, rest, _ := strings.Cut(a.User, "Wanted: ")
		n := 0
		if _, err := fmt.Sscan(rest, &n); err != nil {
			return err.Error()
		}
		var out chatauthor.Entries
		for i := range n {
			out.Entries = append(out.Entries, fmt.Sprintf("Paragraph %c of %s goes on.", 'A'+i, string(pipeline.DigestOf(a.Body))[:6]))
		}
		return out
	}
	var wanted []chatauthor.WantedLine
	var what chatauthor.SharedThing
	if err := a.Data("wanted", &wanted); err != nil {
		return err.Error()
	}
	if err := a.Data("exchange", &what); err != nil {
		return err.Error()
	}
	var out chatauthor.Threaded
	for i, w := range wanted {
		text := fmt.Sprintf("Line %c, which is said %s.", 'A'+i, w.Does)
		if w.Does == "announce" || w.Does == "inline" {
			text += " " + what.Name
		}
		out.Lines = append(out.Lines, text)
	}
	return out
}

// planned are the channels of a small family, and its items.
func planned(t *testing.T, turns int) (channels, items []pipeline.Record) {
	t.Helper()
	drawnOnce.once.Do(func() {
		w, _ := small()
		worlds, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: w}.Read(t)
		if err != nil {
			t.Fatal(err)
		}
		drawnOnce.records, _, err = testkit.Subject{Register: crosssource.RegisterUndrawn, Use: "crosssource.draw", Inputs: worlds}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
	})
	if drawnOnce.records == nil {
		t.Fatal("the items that tests share were not made; the first of them says why")
	}
	_, p := small()
	p.Turns = turns
	items = of(schemas.NameEvidenceItem, drawnOnce.records)
	for i := range items {
		items[i].Blobs = nil
	}
	out, _ := run(t, "crosssource.plan", 0, p, append(of(schemas.NameProfile, drawnOnce.records), items...)...)
	return of("crosssource.channel", out), items
}

// drawnOnce are the items of a world, undrawn, which several tests plan chats of.
var drawnOnce struct {
	once    sync.Once
	records []pipeline.Record
}

// chats are channels that are conversations.
func chatChannels(t *testing.T, all []pipeline.Record) (out []pipeline.Record) {
	t.Helper()
	for _, r := range all {
		c, err := pipeline.Decode[placement.Channel](r)
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind == schemas.KindGroupChat || c.Kind == schemas.KindPrivateChat {
			out = append(out, r)
		}
	}
	return out
}

// conversed runs crosssource.converse with answers that may be changed, and gives what
// was asked. Losses are those of the first record.
func conversed(t *testing.T, cfg any, change func(task string, answer any) any, in ...pipeline.Record) ([]pipeline.Record, []pipeline.Rejection, []testkit.ChatRequest) {
	t.Helper()
	var asked []testkit.ChatRequest
	var mu sync.Mutex
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, a)
		out := speaker(a)
		if change != nil {
			out = change(a.Task, out)
		}
		return testkit.ReplyJSON(out)
	})
	roles, models := server.Live(t, "author")
	out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Config: cfg, Inputs: in, Roles: roles, Models: models}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return out, lost, asked
}

// TestChatsByAModel are placed and judged as those by rule are, and no request for them
// holds evidence: no text, row or caption of a unit, no option, no argument of a call,
// no picture.
func TestChatsByAModel(t *testing.T) {
	channels, items := planned(t, testsize.Choose(20, 120))
	talked, lost, asked := conversed(t, nil, nil, channels...)
	if len(lost) > 0 || len(talked) != len(channels) {
		t.Fatalf("%d of %d channels, lost %v", len(talked), len(channels), lost)
	}
	written, _ := run(t, "crosssource.write", 0, nil, talked...)
	sessions := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, written)
	checkTalk(t, testkit.DecodeAll[placement.Channel](t, "crosssource.channel", talked), sessions)
	placements, _ := run(t, "crosssource.place", 0, nil, append(of("crosssource.placed", written), items...)...)
	byRule, _ := run(t, "crosssource.write", 0, nil, channels...)
	before, _ := run(t, "crosssource.place", 0, nil, append(of("crosssource.placed", byRule), items...)...)
	if len(placements) != len(before) || len(placements) == 0 {
		t.Fatalf("%d placements, %d by rule", len(placements), len(before))
	}
	questions, _ := run(t, "crosssource.ask", 0, nil, append(placements, items...)...)
	if len(questions) != len(placements) {
		t.Errorf("%d questions of %d placements", len(questions), len(placements))
	}
	noEvidence(t, asked, testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, items))
}

// checkTalk holds that every own turn of a chat is the model's, and every piece there.
func checkTalk(t *testing.T, channels []placement.Channel, sessions []schemas.Session) {
	t.Helper()
	model := 0
	for i, c := range channels {
		var said []string
		for _, turn := range sessions[i].Turns {
			said = append(said, turn.Text)
		}
		for _, l := range c.Own {
			if !slices.Contains(said, l.Text) {
				t.Errorf("%s does not say %q", c.SessionID, l.Text)
			}
			if !strings.HasPrefix(l.Text, "To me") && !strings.HasPrefix(l.Text, "I keep") && !strings.HasPrefix(l.Text, "Paragraph") {
				t.Errorf("%s has a turn that is not the model's: %q", c.SessionID, l.Text)
			}
			model++
		}
		if len(said) != c.Turns() {
			t.Errorf("%s has %d turns, want %d", c.SessionID, len(said), c.Turns())
		}
	}
	if model == 0 {
		t.Error("no turn is a model's")
	}
}

// noEvidence looks for what is secret in requests, but those for lines around a piece: these
// may hold their piece, and neither the question nor another piece of its item.
func noEvidence(t *testing.T, asked []testkit.ChatRequest, items []schemas.EvidenceItem) {
	t.Helper()
	var secret []string
	for _, i := range items {
		secret = append(secret, i.Question.Question)
		for _, u := range i.Units {
			secret = append(secret, u.Text, u.Caption)
			for _, r := range u.Rows {
				secret = append(secret, strings.Join(r, " | "))
			}
		}
	}
	secret = slices.DeleteFunc(secret, func(s string) bool { return len(s) < 12 })
	if len(asked) == 0 || len(secret) < 20 {
		t.Fatalf("%d requests, %d secrets", len(asked), len(secret))
	}
	told := 0
	for _, a := range asked {
		for _, s := range secret {
			if strings.Contains(a.User, s) && a.Task == "crosssource_thread" && !strings.HasSuffix(s, "?") {
				told++
				continue
			}
			if strings.Contains(a.User, s) || strings.Contains(a.System, s) {
				t.Fatalf("a request for %s holds evidence: %q", a.Task, s)
			}
		}
		if len(a.Images) > 0 {
			t.Fatalf("a request for %s shows a picture", a.Task)
		}
	}
	if told == 0 {
		t.Error("no request for the lines around a piece holds it")
	}
}

// TestReactionsTellNothing: the author sees what is shared, and a line that repeats words,
// a number or what is asked is refused.
func TestReactionsTellNothing(t *testing.T) {
	channels, _ := planned(t, 80)
	chat, c := fullest(t, chatChannels(t, channels))
	refused := 0
	var spoil string
	for _, s := range c.Slots {
		if s.Piece != nil && len(s.Piece.Asked) > 0 {
			spoil = s.Piece.Asked[0]
		}
	}
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		out := speaker(a)
		lines, around := out.(chatauthor.Threaded)
		if !around {
			return testkit.ReplyJSON(out)
		}
		if strings.Contains(a.User, "An earlier answer of yours was refused") {
			if !strings.Contains(a.User, "repeats a number, a value or words") {
				t.Errorf("refused for other reasons: %s", a.User)
			}
			refused++
			return testkit.ReplyJSON(lines)
		}
		var what chatauthor.SharedThing
		if err := a.Data("exchange", &what); err != nil || what.Holds == "" {
			t.Errorf("the author does not see what is shared: %v", err)
		}
		words := strings.Fields(what.Holds)
		if len(words) < 6 {
			words = append(words, spoil)
		}
		lines.Lines[len(lines.Lines)-1] += " " + strings.Join(words[:min(len(words), 8)], " ")
		return testkit.ReplyJSON(lines)
	})
	roles, models := server.Live(t, "author")
	if _, _, err := (testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Inputs: []pipeline.Record{chat}, Roles: roles, Models: models}).Run(t); err != nil {
		t.Fatal(err)
	}
	if refused < 3 {
		t.Errorf("%d answers were refused", refused)
	}
}

// TestPeopleAreTheSameInAllSources: one request portrays the people of a batch, and turns and
// profiles are written with it.
func TestPeopleAreTheSameInAllSources(t *testing.T) {
	channels, _ := planned(t, 14)
	_, _, asked := conversed(t, nil, nil, channels...)
	portraits, told := map[string]int{}, 0
	for _, a := range asked {
		switch {
		case a.Task == "crosssource_people":
			portraits[a.User]++
		case a.Task == "crosssource_turn" && strings.Contains(a.User, "writes on the tram") && strings.Contains(a.User, "neighbour"):
			told++
		}
	}
	if len(portraits) != 1 || told == 0 {
		t.Errorf("%d different requests for people; %d turns know how a speaker and another one are related", len(portraits), told)
	}
}

// TestPlantedEvidenceIsFound shows that the test above can fail.
func TestPlantedEvidenceIsFound(t *testing.T) {
	channels, items := planned(t, 14)
	all := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, items)
	at := slices.IndexFunc(all[0].Units, func(u schemas.EvidenceUnit) bool { return len(u.Text) >= 12 })
	c, err := pipeline.Decode[placement.Channel](chatChannels(t, channels)[0])
	if err != nil {
		t.Fatal(err)
	}
	c.Themes = append([]string{all[0].Units[at].Text}, c.Themes...)
	r, err := pipeline.NewRecord("crosssource.channel", c.SessionID, c)
	if err != nil {
		t.Fatal(err)
	}
	_, _, asked := conversed(t, nil, nil, r)
	if !slices.ContainsFunc(asked, func(a testkit.ChatRequest) bool {
		return a.Task == "crosssource_turn" && strings.Contains(a.User, all[0].Units[at].Text)
	}) {
		t.Error("evidence that is planted in a theme is in no request")
	}
}

// TestWhatAModelMayNotSay: rules stand in for what cannot be used, and it is counted.
func TestWhatAModelMayNotSay(t *testing.T) {
	channels, _ := planned(t, 80)
	chat, c := fullest(t, chatChannels(t, channels))
	name := c.Cast[0].Name
	for what, tc := range map[string]struct {
		task, code, want string
		answer           any
	}{
		"a handle":      {"crosssource_turn", "bad-turn", "nothing is shared", chatauthor.Written{Text: "As Fig. 0123abcd shows."}},
		"a name":        {"crosssource_turn", "bad-turn", "begins with a name", chatauthor.Written{Text: name + ": so be it."}},
		"two lines":     {"crosssource_turn", "bad-turn", "not one paragraph", chatauthor.Written{Text: "One.\nTwo."}},
		"too long":      {"crosssource_turn", "bad-turn", "characters", chatauthor.Written{Text: strings.Repeat("So it goes on. ", 200)}},
		"few topics":    {"crosssource_subtopics", "bad-topics", "sub-topics; give", chatauthor.Planned{Topics: []string{"one"}}},
		"no such index": {"crosssource_anchor", "bad-anchor", "no index of the window", chatauthor.Anchored{Anchor: "99999"}},
		"strangers":     {"crosssource_people", "bad-people", "people; give", chatauthor.Portrayed{People: []chatauthor.Portrait{}}},
		"few lines":     {"crosssource_thread", "bad-thread", "lines; give", chatauthor.Threaded{Lines: []string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "x"}}},
	} {
		out, lost, _ := conversed(t, nil, func(task string, answer any) any {
			if task == tc.task {
				return tc.answer
			}
			return answer
		}, chat)
		if len(out) != 1 || len(lost) == 0 || lost[0].Code != tc.code || !lost[0].Flagged || !strings.Contains(lost[0].Reason, tc.want) {
			t.Errorf("%s: %d channels, lost %v, want %s %q", what, len(out), lost, tc.code, tc.want)
			continue
		}
		if written, lost := run(t, "crosssource.write", 0, nil, out...); len(of(schemas.NameSession, written)) != 1 || lost > 0 {
			t.Errorf("%s: the chat cannot be written", what)
		}
	}
}

// fullest is the chat in which most is shared, of those in which a piece has room to
// stand elsewhere.
func fullest(t *testing.T, all []pipeline.Record) (r pipeline.Record, c placement.Channel) {
	t.Helper()
	most := -1
	for i, one := range testkit.DecodeAll[placement.Channel](t, "crosssource.channel", all) {
		roomy := false
		for k, s := range one.Slots {
			before, behind := -1, one.Base+2
			if k > 0 {
				before = one.Slots[k-1].After
			}
			if k+1 < len(one.Slots) {
				behind = one.Slots[k+1].After
			}
			roomy = roomy || s.Piece != nil && behind-before > 5
		}
		if n := len(slices.DeleteFunc(slices.Clone(one.Slots), func(s placement.Slot) bool { return s.Piece == nil })); roomy && n > most {
			most, r, c = n, all[i], one
		}
	}
	return r, c
}

// TestAnchors: an index moves a piece, within its window and between its neighbours;
// NONE leaves it.
func TestAnchors(t *testing.T) {
	channels, _ := planned(t, 80)
	moved, windows := 0, 0
	chats := chatChannels(t, channels)
	for _, r := range chats[:testsize.Choose(3, 6)] {
		was, err := pipeline.Decode[placement.Channel](r)
		if err != nil {
			t.Fatal(err)
		}
		server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
			if a.Task != "crosssource_anchor" {
				return testkit.ReplyJSON(speaker(a))
			}
			var window []chatauthor.IndexedMessage
			if err := a.Data("window", &window); err != nil {
				return testkit.ChatReply{Text: err.Error()}
			}
			windows++
			return testkit.ReplyJSON(chatauthor.Anchored{Anchor: fmt.Sprint(window[len(window)-1].Index)})
		})
		roles, models := server.Live(t, "author")
		out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Inputs: []pipeline.Record{r}, Roles: roles, Models: models}.Run(t)
		if err != nil || len(lost) > 0 {
			t.Fatal(err, lost)
		}
		now := testkit.DecodeAll[placement.Channel](t, "crosssource.channel", out)[0]
		for i, s := range now.Slots {
			if s.After < was.Slots[i].After-4 || s.After > was.Slots[i].After+4 || i > 0 && s.After < now.Slots[i-1].After+1 {
				t.Errorf("slot %d of %s moved from %d to %d", i, was.SessionID, was.Slots[i].After, s.After)
			}
			if s.After != was.Slots[i].After {
				moved++
			}
		}
	}
	if moved == 0 || windows < moved {
		t.Errorf("%d pieces moved, of %d windows", moved, windows)
	}
}
