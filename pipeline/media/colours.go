package media

import (
	"cmp"
	"slices"
)

// The colours that are told apart, in the order in which equal shares are
// named.
const (
	black = iota
	white
	grey
	red
	orange
	yellow
	green
	cyan
	blue
	purple
	pink
	brown
	colourCount
)

var colourNames = [colourCount]string{"black", "white", "grey", "red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "brown"}

// colourOf names a pixel by hue, saturation and value, in whole numbers. What
// is dark is black, what has little colour grey or white; dark orange is
// brown, light red pink.
func colourOf(r, g, b uint8) int {
	hi, lo := int(max(r, g, b)), int(min(r, g, b))
	spread := hi - lo
	switch {
	case hi < 40:
		return black
	case spread*100 < 18*hi || spread < 20:
		if lo > 200 {
			return white
		}
		if hi < 60 {
			return black
		}
		return grey
	}
	return hueName(hue(int(r), int(g), int(b), hi, spread), hi, spread)
}

// hue is 0 to 359: red 0, green 120, blue 240.
func hue(r, g, b, hi, spread int) int {
	h := 0
	switch hi {
	case r:
		h = 60 * (g - b) / spread
	case g:
		h = 120 + 60*(b-r)/spread
	default:
		h = 240 + 60*(r-g)/spread
	}
	return (h + 360) % 360
}

func hueName(h, hi, spread int) int {
	pale := spread*100 < 50*hi
	switch {
	case h < 15 || h >= 345:
		if pale && hi > 180 {
			return pink
		}
		if hi < 110 {
			return brown
		}
		return red
	case h < 45:
		if hi < 170 || pale {
			return brown
		}
		return orange
	case h < 70:
		return yellow
	case h < 165:
		return green
	case h < 195:
		return cyan
	case h < 260:
		return blue
	case h < 300:
		return purple
	}
	return pink
}

// mostFrequentColours lists the most frequent colours.
func mostFrequentColours(shares []int64, total float64) []string {
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	var names []string
	for _, k := range order[:maxColours] {
		if float64(shares[k]) >= colourShare*total {
			names = append(names, colourNames[k])
		}
	}
	return names
}
