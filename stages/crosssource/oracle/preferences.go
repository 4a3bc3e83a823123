package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// answerAvoided returns the one entry whose kind somebody avoids.
func (t *Task) answerAvoided(a askedQuestion, m []string) (r Result, err error) {
	r.Variant = "explicit"
	poster, err := t.basePicture(a, "poster")
	if err != nil {
		return r, err
	}
	r.addPieces(schemas.RoleClue, poster)
	r.Offered = poster.entries()
	for _, f := range t.find("avoids") {
		for _, row := range poster.picture.Rows {
			if cmp.Or(f.args["p"], f.from.speaker()) != m[0] || row[1] != f.args["k"] {
				continue
			}
			if strings.Contains(f.args["l"], f.args["k"]) {
				return r, fmt.Errorf("%s is said to look for %s, and to stay away from it", m[0], f.args["k"])
			}
			if r.Right != "" && r.Right != row[0] {
				return r, fmt.Errorf("%s stays away from %s and %s", m[0], r.Right, row[0])
			}
			r.Right = row[0]
			r.addByTeller(schemas.RoleClue, f.from)
		}
	}
	if r.Right == "" {
		return r, fmt.Errorf("nothing on %s is known to be avoided by %s", poster.picture.Title, m[0])
	}
	return r, nil
}

// answerPreferred returns the one entry that somebody prefers to all others on the
// programme, directly or over other kinds.
func (t *Task) answerPreferred(a askedQuestion, m []string) (r Result, err error) {
	r.Variant = "implicit"
	poster, err := t.basePicture(a, "poster")
	if err != nil {
		return r, err
	}
	r.addPieces(schemas.RoleClue, poster)
	r.Offered = poster.entries()
	var mine []fact
	for _, f := range t.find("chose") {
		if f.from.speaker() == m[0] {
			if of := f.args["l"]; of != "" && of != f.args["k"] {
				return r, fmt.Errorf("%s is said to choose between %s and %s, and to take %s", m[0], of, f.args["b"], f.args["k"])
			}
			mine = append(mine, f)
		}
	}
	for _, row := range poster.picture.Rows {
		var used []*Piece
		all := true
		for _, other := range poster.picture.Rows {
			way, ok := choicesBetween(mine, row[1], other[1])
			all = all && (ok || other[1] == row[1])
			used = append(used, way...)
		}
		switch {
		case all && r.Right != "":
			return r, fmt.Errorf("%s picked %s and %s before all else", m[0], r.Right, row[0])
		case all:
			r.Right = row[0]
			r.addByTeller(schemas.RoleClue, used...)
		}
	}
	if r.Right == "" {
		return r, fmt.Errorf("nothing on %s was picked by %s before all else", poster.picture.Title, m[0])
	}
	return r, nil
}

// entries returns the first cells of a picture's rows.
func (p *Piece) entries() (out []string) {
	for _, row := range p.picture.Rows {
		out = append(out, row[0])
	}
	return out
}

// choicesBetween finds choices that lead from one kind to another, visiting each kind
// once.
func choicesBetween(list []fact, from, to string) ([]*Piece, bool) {
	came := map[string]*fact{from: nil}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for i, f := range list {
			if _, seen := came[f.args["b"]]; f.args["k"] == queue[0] && !seen {
				came[f.args["b"]] = &list[i]
				queue = append(queue, f.args["b"])
			}
		}
	}
	if _, ok := came[to]; !ok || to == from {
		return nil, false
	}
	var out []*Piece
	for at := to; came[at] != nil; at = came[at].args["k"] {
		out = append(out, came[at].from)
	}
	return out, true
}

// answerCall finds the tool of the desk that a procedure names, and its arguments.
func (t *Task) answerCall(a askedQuestion, m []string) (r Result, err error) {
	card, err := t.basePicture(a, "card")
	if err != nil {
		return r, err
	}
	r.addPieces(schemas.RoleClue, card)
	thing := card.picture.Title
	owner, _, err := t.currentValue(thing, "owner")
	if err != nil {
		return r, err
	}
	rules := t.find("procedure", "f", owner, "x", m[0])
	if len(rules) != 1 {
		return r, fmt.Errorf("%d procedures of %s say how to %s", len(rules), owner, m[0])
	}
	r.addPieces(schemas.RoleClue, rules[0].from)
	want := fmt.Sprintf("Files a request with the %s to %s something.", rules[0].args["d"], m[0])
	var fit []schemas.Tool
	for _, tool := range a.tools {
		if tool.Description == want {
			fit = append(fit, tool)
		}
	}
	if len(fit) != 1 {
		return r, fmt.Errorf("%d tools file a request with the %s to %s", len(fit), rules[0].args["d"], m[0])
	}
	arguments, err := t.arguments(fit[0], thing, &r)
	if err != nil {
		return r, err
	}
	b, err := json.Marshal(map[string]any{"name": fit[0].Name, "arguments": arguments})
	if err != nil {
		return r, err
	}
	r.Call, err = schemas.CanonicalCall(string(b))
	return r, err
}

// arguments returns the facts of a thing under the parameter names of a tool.
func (t *Task) arguments(tool schemas.Tool, thing string, r *Result) (map[string]any, error) {
	var schema struct {
		Properties map[string]struct {
			Type string   `json:"type"`
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(tool.Parameters), &schema); err != nil {
		return nil, fmt.Errorf("parameters of %s: %w", tool.Name, err)
	}
	out := map[string]any{}
	for name, p := range schema.Properties {
		if p.Type == "integer" {
			n, _, err := t.sumChanges(thing, name, r)
			if err != nil {
				return nil, err
			}
			out[name] = n
			continue
		}
		v, from, err := t.currentValue(thing, name)
		if err != nil {
			return nil, err
		}
		if len(p.Enum) > 0 && !slices.Contains(p.Enum, v) {
			return nil, fmt.Errorf("the %s of %s is %q, which %s does not take", name, thing, v, tool.Name)
		}
		r.addPieces(schemas.RoleClue, from)
		out[name] = v
	}
	return out, nil
}
