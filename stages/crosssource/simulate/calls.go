package simulate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

// functionCall asks for one tool call. A procedure names one of two desks, a card shows
// whose thing it is and its code, and the rest is said.
func functionCall(s *simulator, pieces int) (Item, error) {
	pieces = max(pieces, 3)
	firm, thing := s.firm(), s.pickName(machines())
	desks := []string{s.stem() + " Desk", s.stem() + " Desk"}
	verbs := weights.Sample(s.rnd, []string{"repair", "inspect", "collect", "replace", "calibrate", "insure", "store", "clean"}, 2)
	code := s.code()
	card := &Picture{Kind: Card, Title: thing, Columns: []string{"field", "entry"}, Rows: [][]string{{"owner", firm}, {"code", code}, {"built", strconv.Itoa(1960 + s.rnd.IntN(60))}}}
	item := Item{
		Ask: s.askCall(verbs[0], thing), Explanation: "The procedure of " + firm + " names the " + desks[0] + ", and the sources give each argument.",
		Units: []Unit{
			{Home: s.pictureHome(), Role: schemas.RoleClue, Picture: card, Title: "card"},
			s.documentUnit(schemas.RoleClue, s.procedure(firm, verbs[0], desks[0])),
		},
	}
	for _, desk := range []string{desks[1], desks[0], desks[1]} { // each desk is that of two firms
		s.addMisleading([]int{1}, s.documentUnit("", s.procedure(s.firm(), verbs[0], desk)))
	}
	arguments := map[string]any{"code": code}
	if pieces >= 4 {
		level := weights.Pick(s.rnd, levels())
		arguments["priority"] = level
		item.Units = append(item.Units, Unit{Home: HomeChat, Role: schemas.RoleClue, Text: s.sayFact(thing, "priority", level)})
	}
	n, err := s.addLimit(&item, thing, pieces)
	if err != nil {
		return Item{}, err
	}
	arguments["budget"] = n
	if item.Tools, err = toolsOf(desks, verbs, pieces >= 4); err != nil {
		return Item{}, err
	}
	name := item.Tools[0].Name
	s.rnd.Shuffle(len(item.Tools), func(i, j int) { item.Tools[i], item.Tools[j] = item.Tools[j], item.Tools[i] })
	call, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return Item{}, err
	}
	item.Call, err = schemas.CanonicalCall(string(call))
	return item, err
}

func machines() []string {
	return []string{"Lathe", "Loom", "Kiln", "Pump", "Press", "Scale", "Lamp", "Boiler", "Mixer", "Printer", "Crane", "Oven"}
}

func (s *simulator) askCall(verb, thing string) string {
	_, sort, _ := strings.Cut(strings.ToLower(thing), " ")
	return s.word(wordings.Call, map[string]string{"verb": verb, "sort": sort})
}

func toolsOf(desks, verbs []string, leveled bool) (out []schemas.Tool, err error) {
	for _, d := range desks {
		for _, v := range verbs {
			tool, err := Tool(d, v, leveled)
			if err != nil {
				return nil, err
			}
			out = append(out, tool)
		}
	}
	return out, nil
}

// addLimit tells a cost limit and changes it until the item has enough pieces.
func (s *simulator) addLimit(item *Item, thing string, pieces int) (int, error) {
	var w simulation.Timeline
	key := simulation.Key{Entity: thing, Aspect: "budget"}
	n := 20 + s.rnd.IntN(60)
	for i := 0; i == 0 || len(item.Units) < pieces; i++ {
		u := Unit{Home: HomeChat, Role: schemas.RoleClue, Text: s.sayFact(thing, "budget", strconv.Itoa(n))}
		if i > 0 {
			by := 1 + s.rnd.IntN(9)
			n += by
			u = Unit{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.sayRaise(thing, "budget", by), Revises: []int{len(item.Units) - 1}}
		}
		item.Units = append(item.Units, u)
		if err := w.Set(i, key, strconv.Itoa(n)); err != nil {
			return 0, err
		}
	}
	return strconv.Atoi(w.At(len(item.Units), key))
}

func levels() []string { return []string{"low", "normal", "high", "urgent"} }

func (s *simulator) procedure(firm, verb, desk string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"At {f}, whatever there is to {v} goes through the {d}.", "{f} turns to the {d} whenever there is something to {v}.", "Requests of {f} to {v} anything are handled by the {d}.",
	}), "f", firm, "v", verb, "d", desk)
}

// Tool returns what a desk offers for one thing to do.
func Tool(desk, verb string, leveled bool) (schemas.Tool, error) {
	properties := map[string]any{
		"code":   map[string]any{"type": "string", "description": "the code on the card"},
		"budget": map[string]any{"type": "integer", "minimum": 1, "description": "how much it may cost"},
	}
	required := []string{"code", "budget"}
	if leveled {
		properties["priority"] = map[string]any{"type": "string", "enum": levels(), "description": "its priority"}
		required = append(required, "priority")
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	return schemas.Tool{
		Name: strings.ReplaceAll(strings.ToLower(desk), " ", "_") + "_" + verb, Description: fmt.Sprintf("Files a request with the %s to %s something.", desk, verb), Parameters: string(b),
	}, err
}
