package media

import (
	"bytes"
	"testing"
)

func box(kind string, body ...byte) []byte {
	return append([]byte{0, 0, 0, byte(8 + len(body)), kind[0], kind[1], kind[2], kind[3]}, body...)
}

func TestMoviesOfAFileAreCounted(t *testing.T) {
	t.Parallel()
	film := bytes.Join([][]byte{box("ftyp", 1, 2, 3, 4), box("moov", 9), box("mdat", 7, 7)}, nil)
	large := append([]byte{0, 0, 0, 1, 'm', 'd', 'a', 't', 0, 0, 0, 0, 0, 0, 0, 18, 1, 2}, box("moov")...)
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"nothing":               {nil, 0},
		"one":                   {film, 1},
		"two":                   {append(bytes.Clone(film), film...), 2},
		"a large box":           {large, 1},
		"a box to the end":      {append([]byte{0, 0, 0, 0, 'm', 'd', 'a', 't'}, film...), 0},
		"a box of no size":      {append([]byte{0, 0, 0, 3, 'm', 'd', 'a', 't'}, film...), 0},
		"a box beyond all":      {append([]byte{0, 0, 0, 1, 'm', 'd', 'a', 't', 0x7f, 255, 255, 255, 255, 255, 255, 255}, film...), 0},
		"one cut in the second": {append(bytes.Clone(film), film[:14]...), 1},
	} {
		if got, err := countMovies(bytes.NewReader(c.data)); err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, c.want)
		}
	}
}

func FuzzMoviesOfAFile(f *testing.F) {
	f.Add(box("moov", 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := countMovies(bytes.NewReader(data)); err != nil || n > len(data)/8 {
			t.Errorf("%d movies in %d bytes, %v", n, len(data), err)
		}
	})
}
