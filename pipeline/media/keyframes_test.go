package media

import (
	"slices"
	"testing"
)

func TestForcedKeyframesNameTheNextRegularOne(t *testing.T) {
	p := small()
	p.KeyEvery, p.FPS = 100, 30
	for _, c := range []struct {
		keys []int64
		want string
	}{
		{nil, ""},
		{[]int64{0, 100, 200}, ""},
		{[]int64{37}, "1.233333,3.333333"},
		{[]int64{250, 110, 37, 110, 100}, "1.233333,3.333333,3.666667,6.666667,8.333333,10.000000"},
	} {
		extra, err := extraKeys(c.keys, p)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := forceKeys(extra, p)["force_key_frames"].(string)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.keys, got, c.want)
		}
	}
	if _, err := extraKeys([]int64{5, -1}, p); err == nil {
		t.Error("a frame before the first was taken")
	}
	many := make([]int64, 2*MaxKeyframes)
	for i := range many {
		many[i] = int64(i)
	}
	if _, err := extraKeys(many, p); err == nil {
		t.Error("too many keyframes were taken")
	}
}

func TestIrregularKeyframesMustStand(t *testing.T) {
	p := small()
	p.KeyEvery = 10
	for name, c := range map[string]struct {
		found, extra []int64
		want         []int64
		bad          bool
	}{
		"regular":         {[]int64{0, 10, 20}, nil, nil, false},
		"extra":           {[]int64{0, 7, 10, 20}, []int64{7, 31}, []int64{7}, false},
		"more than asked": {[]int64{0, 10, 15, 20}, nil, []int64{15}, false},
		"regular missing": {[]int64{0, 10}, nil, nil, true},
		"extra missing":   {[]int64{0, 10, 20}, []int64{7}, nil, true},
	} {
		got, err := irregularKeys(c.found, c.extra, 25, p)
		if (err != nil) != c.bad || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
