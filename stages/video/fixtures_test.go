package video

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

// TestFixturesOfTheOracle keeps the tables and questions that the tests of package oracle
// read: of each layout the films about which most types of questions are asked, with one
// of each.
func TestFixturesOfTheOracle(t *testing.T) {
	s := shelvedFilms(t)
	asked := map[string]map[string]schemas.Question{} // by medium and type
	for _, q := range s.questions {
		id := q.Media[0]
		if asked[id] == nil {
			asked[id] = map[string]schemas.Question{}
		}
		if _, is := asked[id][q.Type]; !is {
			asked[id][q.Type] = q
		}
	}
	best := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(asked)) {
		layout := s.cases[id].Media.Recipe.Layout
		if len(asked[id]) > len(asked[best[layout]]) {
			best[layout] = id
		}
	}
	for layout, id := range best {
		c := s.cases[id]
		c.Labels = slices.DeleteFunc(slices.Clone(c.Labels), func(l schemas.StatedLabel) bool {
			return !slices.ContainsFunc(c.Media.Recipe.Segments, func(g schemas.Segment) bool { return g.Original == l.Original })
		})
		var out strings.Builder
		fmt.Fprintln(&out, golden.JSON(t, c))
		for _, typ := range slices.Sorted(maps.Keys(asked[id])) {
			fmt.Fprintln(&out, golden.JSON(t, asked[id][typ]))
		}
		golden.Check(t, "../oracle/testdata/"+layout, out.String())
	}
}
