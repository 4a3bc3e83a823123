package life

import "math/rand/v2"

// person draws who keeps a conversation. Names are common ones of many places.
func person(rnd *rand.Rand, occupations ...string) map[string]string {
	first := []string{
		"Ada", "Amir", "Bruno", "Carla", "Chidi", "Dina", "Elif", "Emil", "Farah", "Greta", "Hana", "Ivo", "Jonas", "Kemal", "Lena", "Luis",
		"Maya", "Nils", "Noor", "Olga", "Paulo", "Priya", "Rosa", "Samir", "Selma", "Tariq", "Uma", "Viktor", "Wanda", "Yara", "Zeno", "Zuri",
	}
	last := []string{
		"Adler", "Bianchi", "Costa", "Dahl", "Eriksen", "Farouk", "Garcia", "Haddad", "Ito", "Jansen", "Kaya", "Lindt", "Moreau", "Nowak", "Okafor", "Petrov",
		"Quist", "Rossi", "Silva", "Tanaka", "Ueda", "Varga", "Weber", "Yilmaz",
	}
	return map[string]string{
		"name": pick(rnd, first) + " " + pick(rnd, last), "occupation": pick(rnd, occupations),
	}
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

// other draws one that is not among some.
func other(rnd *rand.Rand, from []string, not ...string) string {
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
