package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
)

// missingFor says what no worker offers to a program, and how those that live differ from it.
func missingFor(p Program, workers []clusterstate.Worker, needs []pipeline.Resource) string {
	offered, driven := map[pipeline.Resource]bool{}, false
	var others []string
	for _, w := range workers {
		if w.Program != p.Name {
			others = append(others, fmt.Sprintf("%s has %s", w.ID, differs(p.Versions, w.Versions)))
			continue
		}
		driven = driven || w.Drives
		for r := range w.Slots {
			offered[r] = true
		}
	}
	var missing []string
	for _, r := range needs {
		if !offered[r] {
			missing = append(missing, string(r))
		}
	}
	if !driven {
		missing = append(missing, drives)
	}
	if len(missing) == 0 {
		return ""
	}
	text := "no worker of this program serves " + strings.Join(missing, ", ") + ": start one (memforge worker), the build waits for it"
	if len(others) > 0 {
		text += "; there are workers of other programs: " + strings.Join(others, "; ")
	}
	return text
}

// differs names the first of what another program has in other versions.
func differs(own, other map[string]string) string {
	names := map[string]bool{}
	for _, m := range []map[string]string{own, other} {
		for name := range m {
			names[name] = true
		}
	}
	const told = 3
	var parts []string
	more := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case own[name] == other[name]:
		case len(parts) == told:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s %s (here %s)", name, short(other[name]), short(own[name])))
		}
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

func short(version string) string {
	const most = 40
	switch {
	case version == "":
		return "none"
	case len(version) > most:
		return version[:most] + "..."
	}
	return version
}
