package m3bench

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// toolbox holds the tools by name, "server/tool".
type toolbox struct {
	names []string
	tools map[string]schemas.Tool
	// bad says why a tool cannot be offered, by name.
	bad map[string]*pipeline.Rejection
}

// tools reads the file of tools; where it lies nowhere the box is empty. In which file
// of the repository tools are described was not seen.
func (s *source) tools(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (toolbox, error) {
	box := toolbox{tools: map[string]schemas.Tool{}, bad: map[string]*pipeline.Rejection{}}
	at := slices.IndexFunc(assets, func(a pipeline.Asset) bool {
		return a.Need != needImages && strings.HasSuffix("/"+a.Path, "/"+s.cfg.Tools)
	})
	if s.cfg.Tools == "" || at < 0 {
		return box, nil
	}
	text, err := evidence.ReadText(ctx, scope, assets[at])
	if err != nil {
		return box, err
	}
	read, err := parseTools(text)
	if err != nil {
		scope.Reject(s.cfg.Tools, pipeline.Reject(evidence.CodeFile, "%v", err))
		return box, nil
	}
	for _, r := range read {
		if why := box.add(r); why != nil {
			scope.Reject(s.cfg.Tools+"#"+annotation.Truncate(r.Name), why)
		}
	}
	slices.Sort(box.names)
	return box, nil
}

// listedTool is a tool as it was read, and why it cannot be used.
type listedTool struct {
	schemas.Tool
	why *pipeline.Rejection
}

func (b *toolbox) add(r listedTool) *pipeline.Rejection {
	if _, twice := b.tools[r.Name]; r.why == nil && twice {
		return pipeline.Reject(evidence.CodeCopy, "another tool has this name; the first is kept")
	}
	why := r.why
	if why == nil {
		_, why = tool.Compile(r.Tool)
	}
	if why != nil {
		b.bad[r.Name] = why
		return why
	}
	b.names, b.tools[r.Name] = append(b.names, r.Name), r.Tool
	return nil
}

// parseTools reads a list of tools, an answer to tools/list with its key tools, or an
// object of either for each server.
func parseTools(text []byte) ([]listedTool, error) {
	if list, err := annotation.ParseList(text); err == nil {
		var out []listedTool
		for _, raw := range list {
			out = append(out, parseTool("", raw))
		}
		return out, nil
	}
	servers, err := annotation.ParsePairs(text)
	if err != nil {
		return nil, err
	}
	var out []listedTool
	for _, p := range servers {
		server, list := p.Key+"/", p.Value
		if p.Key == "tools" {
			server = ""
		} else if o, err := annotation.ParseObject(list); err == nil {
			list = o["tools"]
		}
		tools, err := annotation.ParseList(list)
		if err != nil {
			out = append(out, listedTool{schemas.Tool{Name: p.Key}, pipeline.Reject(tool.CodeTool, "server %q has no list of tools: %v", annotation.Truncate(p.Key), err)})
		}
		for _, raw := range tools {
			out = append(out, parseTool(server, raw))
		}
	}
	return out, nil
}

func parseTool(server string, raw []byte) listedTool {
	bad := func(name string, err error) listedTool {
		return listedTool{schemas.Tool{Name: name}, pipeline.Reject(tool.CodeTool, "%v", err)}
	}
	o, err := annotation.ParseObject(raw)
	if err != nil {
		return bad(server, err)
	}
	if inner, err := o.Object("function"); err == nil && len(inner) > 0 {
		o = inner
	}
	var t schemas.Tool
	if err := o.Fill(annotation.Field{Key: "name", Into: &t.Name}, annotation.Field{Key: "description", Into: &t.Description}); err != nil {
		return bad(server, err)
	}
	if server != "" && !strings.HasPrefix(t.Name, server) {
		t.Name = server + t.Name
	}
	key, err := o.SpellingOf("inputSchema", "input_schema", "parameters")
	if err != nil {
		return listedTool{t, pipeline.Reject(evidence.CodeSpellings, "%v", err)}
	}
	t.Parameters = tool.CompactParameters(o[key])
	return listedTool{t, nil}
}

// addTools adds tools to an item, checks the gold against them and takes its defaults out.
// Without known tools it adds a note.
func (b toolbox) addTools(item *schemas.EvidenceItem, most int, rnd *rand.Rand) *pipeline.Rejection {
	plan, err := schemas.ReadPlan(item.Question.AnswerCall)
	if err != nil {
		return pipeline.Reject(schemas.CodeMalformedAnswer, "the gold call: %v", err)
	}
	if len(b.names) == 0 {
		item.Notes = append(item.Notes, schemas.Note{Code: noteTools, Text: "no file says what tools there are: the call is held against no schema, and nothing else is offered"})
		return nil
	}
	var used []string
	for _, c := range slices.Concat(plan...) {
		_, known := b.tools[c.Name]
		switch {
		case b.bad[c.Name] != nil:
			return b.bad[c.Name]
		case !known:
			return pipeline.Reject(schemas.CodeNoToolForGold, "the gold calls %q, which is none of the %d tools", annotation.Truncate(c.Name), len(b.names))
		case !slices.Contains(used, c.Name):
			used = append(used, c.Name)
		}
	}
	item.Question.Tools = b.pickTools(used, most, rnd)
	if why := tool.CheckPlan(item.Question.Tools, item.Question.AnswerCall); why != nil {
		return why
	}
	if item.Question.AnswerCall, err = tool.WithoutDefaults(item.Question.Tools, item.Question.AnswerCall); err != nil {
		return pipeline.Reject(schemas.CodeMalformedAnswer, "the gold call: %v", err)
	}
	return nil
}

// pickTools returns the used tools and others, in order of names: of their servers, then of
// the rest.
func (b toolbox) pickTools(used []string, most int, rnd *rand.Rand) []schemas.Tool {
	server := func(name string) string { at, _, _ := strings.Cut(name, "/"); return at }
	others := slices.DeleteFunc(slices.Clone(b.names), func(n string) bool { return slices.Contains(used, n) })
	rnd.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	far := func(n string) int {
		if slices.ContainsFunc(used, func(u string) bool { return server(u) == server(n) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(others, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	chosen := slices.Concat(used, others[:min(max(most-len(used), 0), len(others))])
	slices.Sort(chosen)
	out := make([]schemas.Tool, len(chosen))
	for i, n := range chosen {
		out[i] = b.tools[n]
	}
	return out
}
