package release

// keptInflated is how much the tables may take whose rows are kept while they are
// checked, as budgets count: references are followed in half a dozen passes, and to
// decode so little each time takes longer than all that is checked of it.
const keptInflated = 8 << 20

// rowCache collects the rows of a table as they are read for the first time.
type rowCache struct {
	of     *verifier
	on     bool
	unread int
	rows   []row
}

// newRowCache begins with a table.
func (v *verifier) newRowCache(first bool) *rowCache {
	return &rowCache{of: v, on: first && v.kept != nil, unread: v.unread}
}

// add keeps a row, unless too much was read by now.
func (k *rowCache) add(r row) {
	if k.on = k.on && k.of.budget.all-k.of.budget.left <= keptInflated; !k.on {
		k.rows = nil
		return
	}
	k.rows = append(k.rows, r)
}

// store has the rows given to who asks again, where all of them could be read.
func (k *rowCache) store(t table) {
	if k.on && k.of.failed == nil && k.of.unread == k.unread {
		k.of.kept[t.name] = k.rows
	}
}
