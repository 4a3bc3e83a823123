package ledger

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// NearestRequest is the recorded request that is most like one that is not recorded.
type NearestRequest struct {
	// Item it was made for, and the fields in which it differs, in the order in
	// which they enter the key.
	Item    string
	Changed []string
}

// maxCompared bounds how many recorded requests are compared.
const maxCompared = 2000

// Nearest finds the recorded request of the same task with the fewest fields
// that differ, one for the same item before others. Without any it returns no
// changed field.
func (l *Ledger) Nearest(ctx context.Context, r pipeline.Request, item string) (near NearestRequest, err error) {
	_, want := Digests(r)
	rows, err := l.db.QueryContext(ctx, `SELECT item, request FROM calls JOIN requests ON call = id WHERE task = $1
		ORDER BY item = $2 DESC, id DESC LIMIT $3`, r.Task, item, maxCompared)
	if err != nil {
		return NearestRequest{}, fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var at string
		var request []byte
		if err := rows.Scan(&at, &request); err != nil {
			return NearestRequest{}, fmt.Errorf("read ledger: %w", err)
		}
		if near.Item == item && at != item && len(near.Changed) > 0 {
			break
		}
		var recorded pipeline.Request
		if decode(request, &recorded) != nil {
			continue
		}
		_, have := Digests(recorded)
		if changed := want.diff(have); len(near.Changed) == 0 || len(changed) < len(near.Changed) {
			near = NearestRequest{Item: at, Changed: changed}
		}
	}
	return near, rows.Err()
}

func (f FieldDigests) diff(other FieldDigests) []string {
	var names []string
	for _, name := range fieldOrder {
		if f[name] != other[name] {
			names = append(names, name)
		}
	}
	return names
}
