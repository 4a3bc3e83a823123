package words

// offset and prime are those of the 64-bit FNV-1a hash.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// Hash is the 64-bit FNV-1a hash of a text.
func Hash(s string) uint64 { return hash(offset, s) }

func hash(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// Mix spreads the bits of x (the finaliser of SplitMix64).
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
