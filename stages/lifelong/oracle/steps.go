package oracle

import (
	"strings"
	"sync"
)

// shownForm are the ways in which applications and places tell an agent what its action
// did, and in which it reads or hears what counts for nothing.
var shownForm = sync.OnceValue(stepPatterns)

func stepPatterns() []pattern {
	var out []pattern
	for _, p := range [][2]string{
		{"split", `The A of T is shared now: V has the first half and W the second, where O had both`},
		{"merge", `V has the whole A of T again`},
		{"delete", `The A of T was cleared, where it read O`},
		{"delete", `Nothing is left as the A of T, where O was`},
		{"revise", `The A of T reads V now, where it read O`},
		{"revise", `V was written over O as the A of T`},
		{"revise", `From here on V is the A of T, and no longer O`},
		{"revise", `(?:Success: )?T has V as its A now, after O`},
		{"append", `The A of T reads V now`},
		{"append", `V was entered as the A of T`},
		{"append", `From here on V is the A of T`},
		{"append", `(?:Success: )?T has V as its A now`},
		{"plan", `V is not accepted as the A of T, and nothing was changed`},
		{"joke", `(?:New comment: |One comment: )?P (?:writes|calls over) for a laugh that V should be the A of T`},
		{"hearsay", `(?:An unsigned note|Some scrawl on the wall) claims V as the A of T, and nobody confirmed it`},
		{"affair", `P keeps something very much like T, and there the A reads V`},
	} {
		out = append(out, newPattern(p[0], p[1]))
	}
	return out
}

// scenarios are what the published data calls domains that have another name here.
const scenarios = `admin: webarena_lite
crafting: minecraft
documents: word_docs
files: file_mgmt
household: eb_alfred_base
life: personal
navigation: eb_nav_base
phone: mobile
pictures: image_edit
shop: web
spreadsheet: excel
styles: css
workshop: omnigibson`

// Scenario is what the published data calls a domain.
func Scenario(domain string) string {
	for _, line := range strings.Split(scenarios, "\n") {
		if name, scenario, _ := strings.Cut(line, ": "); name == domain {
			return scenario
		}
	}
	return domain
}
