package simulate

import (
	"math/rand/v2"
	"slices"
)

// pickProfile draws who keeps a conversation. Names are common ones of many places.
func pickProfile(rnd *rand.Rand, occupations ...string) map[string]string {
	last := []string{
		"Adler", "Bianchi", "Costa", "Dahl", "Eriksen", "Farouk", "Garcia", "Haddad", "Ito", "Jansen", "Kaya", "Lindt", "Moreau", "Nowak", "Okafor", "Petrov",
		"Quist", "Rossi", "Silva", "Tanaka", "Ueda", "Varga", "Weber", "Yilmaz",
	}
	return map[string]string{
		"name": pick(rnd, firstNames()) + " " + pick(rnd, last), "occupation": pick(rnd, occupations),
	}
}

// firstNames are common ones of many places.
func firstNames() []string { return append(womensNames(), mensNames()...) }

func womensNames() []string {
	return []string{
		"Ada", "Carla", "Dina", "Elif", "Farah", "Greta", "Hana", "Lena", "Maya", "Noor", "Olga", "Priya", "Rosa", "Selma", "Uma", "Wanda", "Yara", "Zuri",
	}
}

func mensNames() []string {
	return []string{"Amir", "Bruno", "Chidi", "Emil", "Ivo", "Jonas", "Kemal", "Luis", "Nils", "Paulo", "Samir", "Tariq", "Viktor", "Zeno"}
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// sample draws n different ones.
func sample[T any](rnd *rand.Rand, from []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range rnd.Perm(len(from))[:n] {
		out = append(out, from[i])
	}
	return out
}

// pickOther draws one that is not among some; nothing where all are.
func pickOther(rnd *rand.Rand, from []string, not ...string) string {
	if !slices.ContainsFunc(from, func(v string) bool { return !slices.Contains(not, v) }) {
		return ""
	}
	for {
		v := pick(rnd, from)
		taken := false
		for _, n := range not {
			taken = taken || n == v
		}
		if !taken {
			return v
		}
	}
}
