package catalog

import "math/bits"

// bitmap is a set of rows.
type bitmap []uint64

func newBitmap(rows int64) bitmap { return make(bitmap, (rows+63)/64) }

// fullBitmap has all rows.
func fullBitmap(rows int64) bitmap {
	b := newBitmap(rows)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if over := rows % 64; over > 0 {
		b[len(b)-1] = 1<<over - 1
	}
	return b
}

func (b bitmap) add(row int64) {
	if row >= 0 && row < int64(len(b))*64 {
		b[row/64] |= 1 << (row % 64)
	}
}

func (b bitmap) has(row int64) bool {
	return row >= 0 && row < int64(len(b))*64 && b[row/64]>>(row%64)&1 == 1
}

func (b bitmap) remove(row int64) { b[row/64] &^= 1 << (row % 64) }

// keep removes what is not in o, or with not what is.
func (b bitmap) keep(o bitmap, not bool) {
	for i := range b {
		if not {
			b[i] &^= o[i]
		} else {
			b[i] &= o[i]
		}
	}
}

func (b bitmap) count() (n int64) {
	for _, w := range b {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

// before counts the rows below a row.
func (b bitmap) before(row int64) int64 {
	row = min(max(row, 0), int64(len(b))*64)
	n := b[:row/64].count()
	if row%64 > 0 {
		n += int64(bits.OnesCount64(b[row/64] & (1<<(row%64) - 1)))
	}
	return n
}

// next returns the first row from one on, -1 where there is none.
func (b bitmap) next(row int64) int64 {
	for row = max(row, 0); row < int64(len(b))*64; row = (row/64 + 1) * 64 {
		if w := b[row/64] >> (row % 64); w != 0 {
			return row + int64(bits.TrailingZeros64(w))
		}
	}
	return -1
}

// previous returns the last row up to one, -1 where there is none.
func (b bitmap) previous(row int64) int64 {
	for row = min(row, int64(len(b))*64-1); row >= 0; row = row/64*64 - 1 {
		if w := b[row/64] << (63 - row%64); w != 0 {
			return row - int64(bits.LeadingZeros64(w))
		}
	}
	return -1
}

// each calls visit for every row.
func (b bitmap) each(visit func(row int64)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			visit(int64(i)*64 + int64(bits.TrailingZeros64(w)))
		}
	}
}
