package release

// keptInflated is how much the tables may take whose rows are kept while they are
// checked, as budgets count: references are followed in half a dozen passes, and to
// decode so little each time takes longer than all that is checked of it.
const keptInflated = 8 << 20

// keeping collects the rows of a table as they are read for the first time.
type keeping struct {
	of     *verifier
	on     bool
	unread int
	rows   []row
}

// keeping begins with a table.
func (v *verifier) keeping(first bool) *keeping {
	return &keeping{of: v, on: first && v.kept != nil, unread: v.unread}
}

// row keeps a row, unless too much was read by now.
func (k *keeping) row(r row) {
	if k.on = k.on && k.of.budget.all-k.of.budget.left <= keptInflated; !k.on {
		k.rows = nil
		return
	}
	k.rows = append(k.rows, r)
}

// all has the rows given to who asks again, where all of them could be read.
func (k *keeping) all(t table) {
	if k.on && k.of.failed == nil && k.of.unread == k.unread {
		k.of.kept[t.name] = k.rows
	}
}
