package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
)

// scene is a picture that tests and benchmarks draw.
type scene struct {
	name          string
	width, height int
	back          uint32
	draw          func(*draw.Canvas) error
}

var scenes = []scene{
	{"chat", 1024, 768, 0xffffff, chat},
	{"group", 720, 900, 0x121a23, group},
	{"room", 1024, 768, 0xeadfcf, room},
	{"chart", 1024, 768, 0xffffff, func(c *draw.Canvas) error {
		return boats(widget.Lines).Draw(c, light(), draw.PixelBox(56, 40, 912, 690))
	}},
	{"bars", 1024, 640, 0xffffff, func(c *draw.Canvas) error {
		return boats(widget.Bars).Draw(c, light(), draw.PixelBox(56, 36, 912, 570))
	}},
	{"stacked", 1024, 640, 0x1c2733, func(c *draw.Canvas) error {
		return boats(widget.Stacked).Draw(c, widget.Dark(draw.Hex(0x4c8dff)), draw.PixelBox(56, 36, 912, 570))
	}},
	{"pie", 900, 520, 0xffffff, pie},
	{"page", 800, 1100, 0xd9dee4, page},
	{"dashboard", 1200, 760, 0xdfe5ec, dashboard},
}

// canvas draws a scene.
func (s scene) canvas(t testing.TB, studio *draw.Studio) *draw.Canvas {
	t.Helper()
	c, err := studio.NewCanvas(s.width, s.height, draw.Hex(s.back))
	if err == nil {
		err = s.draw(c)
	}
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return c
}

func light() widget.Theme { return widget.Light(draw.Hex(0x2f7cf6)) }

func person(name string, back, skin, hair uint32, long bool) widget.Person {
	return widget.Person{Name: name, Back: draw.Hex(back), Skin: draw.Hex(skin), Hair: draw.Hex(hair), Long: long}
}

func cast() []widget.Person {
	return []widget.Person{
		person("Ines Calder", 0xf6c6b4, 0xf0c39f, 0x5b3a29, true),
		person("Tarek Aziz", 0xb9d8e8, 0xc68a5e, 0x1f1a1a, false),
		person("Ravi Menon", 0xd9ccf0, 0xa86e46, 0x231815, false),
		person("Piet Maas", 0xc9e4c5, 0xf3d0b0, 0xc58b3e, false),
		person("Choir", 0xf5e3a8, 0xe9b48c, 0x8a8a92, true),
		person("Rosa Belén", 0xf3c1d0, 0xd9a273, 0x7a2e1e, true),
		person("Łukasz Nowak", 0xc4d7f2, 0xe3b58d, 0x3c2a21, false),
	}
}

func chat(c *draw.Canvas) error {
	people := cast()
	h := widget.Chat{Title: "Ines Calder", Status: "online", People: people[:1]}
	for i, l := range strings.Split(`Is the ladder back in the shed? | 8:02
> It is, behind the paint tins on the left. The short one stayed at Piet's place. | 8:04
Good. How many tins are left? | 8:05
> Four white | 8:06
> and two of the blue we had for the shutters, one of them opened. | 8:06
Enough for the back wall. I'll fetch brushes and a roller on my way from the market. | 8:09
> Lovely | 8:10
Does the blue match the door, or was that one a shade darker? | 8:12
> Darker. The door is number 31, the shutters are 27. | 8:15
Then I ask for a tin of 31 as well. | 8:16
> Thanks! | 8:17
Back by half past ten. | 8:18`, "\n") {
		text, at, _ := strings.Cut(l, " | ")
		own := strings.HasPrefix(text, "> ")
		m := widget.Message{Own: own, Text: strings.TrimPrefix(text, "> "), At: at}
		if i == 0 {
			m.Day = "Saturday"
		}
		h.Messages = append(h.Messages, m)
	}
	last := []string{"Back by half past ten.", "The parcel came to us", "Can you look at the pump again tomorrow?", "Ladder is yours as long as you like", "New date for the concert: 4 June", "Photo", "See you on the ice"}
	at := []string{"8:18", "7:55", "7:31", "Fri", "Fri", "Thu", "Wed"}
	for i, p := range people {
		o := widget.Conversation{With: p, Last: last[i], At: at[i], Online: i%3 == 0}
		if i == 2 || i == 4 {
			o.Unread = i
		}
		h.Others = append(h.Others, o)
	}
	shown, err := h.Draw(c, light(), draw.PixelBox(0, 0, 1024, 768))
	if err == nil && shown != len(h.Messages) {
		err = fmt.Errorf("%d of %d bubbles fit", shown, len(h.Messages))
	}
	return err
}

func group(c *draw.Canvas) error {
	h := widget.Chat{Title: "Harbour walk", Status: "4 members, 3 online", People: cast()[:4], Group: true}
	inner, err := draw.NewStudio().NewCanvas(480, 320, draw.Hex(0x9cc7e4))
	if err != nil {
		return err
	}
	sky := draw.PixelBox(0, 0, 480, 320)
	inner.Rect(sky, draw.Down(sky, draw.Hex(0x6fa8d6), draw.Hex(0xf3d9b5)))
	inner.Oval(draw.Disc(draw.P(360, 190), draw.Px(34)), draw.Hex(0xffe9b0))
	sea := draw.PixelBox(0, 210, 480, 110)
	inner.Rect(sea, draw.Down(sea, draw.Hex(0x5b8fae), draw.Hex(0x24506e)))
	inner.Fill(new(draw.Path).Move(draw.P(120, 226)).Line(draw.P(230, 226), draw.P(212, 246), draw.P(136, 246)).Close(), draw.Hex(0x6b3a2a))
	inner.Fill(new(draw.Path).Move(draw.P(172, 120)).Line(draw.P(222, 218), draw.P(172, 218)).Close(), draw.Hex(0xfaf3e6))
	inner.Fill(new(draw.Path).Move(draw.P(166, 134)).Line(draw.P(166, 218), draw.P(128, 218)).Close(), draw.Hex(0xe9ddc8))
	h.Messages = []widget.Message{
		{Day: "Sunday 12 May", From: 1, Text: "We meet at the lighthouse at nine, not at the station.", At: "18:20"},
		{From: 1, Text: "Bring something warm, it blows out there.", At: "18:21"},
		{From: 3, Text: "The ferry at 8:40 was cancelled, I take the bus.", At: "18:33"},
		{Own: true, Text: "Then I'll wait for you at stop 14 with the thermos.", At: "18:35"},
		{From: 2, Text: "This was the view last time", At: "18:52", Picture: inner.Image()},
		{From: 0, Text: "Can we be back by three? Łukasz has a rehearsal.", At: "18:58"},
		{Own: true, Text: "Easily", At: "19:01"},
	}
	_, err = h.Draw(c, widget.Dark(draw.Hex(0x3d7de0)), draw.PixelBox(0, 0, 720, 900))
	return err
}

func boats(kind widget.Kind) widget.Chart {
	h := widget.Chart{
		Kind: kind, Title: "Boat hire, three harbours", Subtitle: "Hours a week", Source: "Source: harbour office ledgers",
		Labels: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
		Series: []widget.Series{
			{Name: "Northhaven", Values: []int64{18, 22, 31, 44, 63, 88, 104, 109, 76, 48, 29, 20}},
			{Name: "Eelwick", Values: []int64{30, 28, 36, 41, 52, 60, 71, 69, 66, 58, 41, 35}},
			{Name: "Grey Mole", Values: []int64{8, 9, 14, 26, 38, 47, 55, 51, 39, 22, 12, 9}},
		},
		Values: kind != widget.Stacked,
	}
	if kind == widget.Bars {
		h.Labels = h.Labels[:6]
		for i := range h.Series {
			h.Series[i].Values = h.Series[i].Values[:6]
		}
		h.Series[2].Values = []int64{-8, -3, 14, 26, -12, 47}
	}
	return h
}

func pie(c *draw.Canvas) error {
	return widget.Chart{
		Kind: widget.Pie, Title: "What the kitchen spent", Subtitle: "Euros in March", Places: 2,
		Labels: []string{"Vegetables", "Bread and flour", "Dairy", "Fish", "Spices and oil"},
		Series: []widget.Series{{Values: []int64{18450, 9620, 12380, 7405, 4310}}},
	}.Draw(c, light(), draw.PixelBox(56, 40, 788, 440))
}

func page(c *draw.Canvas) error {
	chart := boats(widget.Lines)
	chart.Title, chart.Source, chart.Values = "", "", false
	return widget.Page{
		Title: "Harbour report, second half", Byline: "Office of the harbour master · 14 January", Foot: "Page 3 of 11",
		Paragraphs: []widget.Paragraph{
			{Text: "Hire rose in all three harbours until August and fell faster than in other years, since the north pier was closed for repairs from the second week of September. The figures below are hours a week, averaged over each month."},
			{Heading: "Hours of hire", Chart: &chart, ChartHeight: draw.Px(300)},
			{Heading: "Repairs", Text: "Two of nine pontoons were replaced. What remains is planned for spring, after the ice.",
				Table: &widget.Table{Head: []string{"Pontoon", "State", "Cost, €"}, Right: []int{2}, Rows: [][]string{
					{"North 2", "replaced", "18,400"}, {"North 5", "replaced; the old chain was kept for the winter moorings on the east side", "21,950"}, {"Mole 1", "planned for April", "9,300"},
				}}},
		},
	}.Draw(c, light(), draw.PixelBox(40, 36, 720, 1028))
}

func dashboard(c *draw.Canvas) error {
	t := widget.Light(draw.Hex(0x0f8a7e))
	in := widget.Window(c, t, draw.PixelBox(40, 32, 1120, 690), "Health portal · Ines Calder")
	c.Fill(new(draw.Path).Corners(in, [4]draw.Unit{0, 0, 640, 640}), t.Back)
	for i, d := range []widget.Card{
		{Icon: "heart-pulse", Title: "Resting pulse", Value: "62 bpm", Note: "4 lower than in April"},
		{Icon: "footprints", Title: "Steps", Value: "9,418", Note: "Goal 10,000"},
		{Icon: "moon", Title: "Sleep", Value: "7 h 12 min", Note: "Deep sleep 1 h 40 min"},
	} {
		if err := d.Draw(c, t, draw.PixelBox(64+360*i, 96, 336, 130)); err != nil {
			return err
		}
	}
	chart := widget.Chart{Kind: widget.Lines, Title: "Blood pressure", Subtitle: "mmHg, mornings", Labels: strings.Fields("Mon Tue Wed Thu Fri Sat Sun"), Values: true,
		Series: []widget.Series{{Name: "Systolic", Values: []int64{128, 131, 126, 124, 129, 122, 121}}, {Name: "Diastolic", Values: []int64{82, 84, 80, 79, 83, 78, 77}}}}
	if err := (widget.Card{}).Draw(c, t, draw.PixelBox(64, 250, 700, 440)); err != nil {
		return err
	}
	if err := chart.Draw(c, t, draw.PixelBox(88, 270, 652, 400)); err != nil {
		return err
	}
	return widget.Card{Icon: "pill", Title: "Medication", Facts: [][2]string{{"Ramipril", "5 mg, mornings"}, {"Vitamin D", "1,000 IU, daily"}, {"Ibuprofen", "paused on 3 May"}}}.Draw(c, t, draw.PixelBox(788, 250, 332, 176))
}
