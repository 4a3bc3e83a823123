package pipeline

import (
	"fmt"
	"maps"
)

// A Forecaster is a plugin that can say beforehand what its work will take. It
// does no I/O and is given amounts, not records, so it is right to within a
// factor, not exactly.
type Forecaster interface {
	// Forecast says what comes of all that the step's inputs give. A source is
	// given what lies at its local needs as schema VolumeFile, or nothing.
	Forecast(in Volume) Forecast
}

// VolumeFile is the schema under which a volume counts files that no source
// has read yet.
const VolumeFile = "file"

// VolumeFileOf returns that of the files of one need alone, by its index.
func VolumeFileOf(need int) string { return fmt.Sprintf("%s.%d", VolumeFile, need) }

// Volume is an amount of records for each schema. Under other names a plugin
// may count what plugins of its family need to know of these; a name with a dot
// is between plugins alone and is not shown.
type Volume map[string]Amount

// Amount is how much there is of one schema. Media are counted as they play:
// what a record shows, wherever the bytes are.
type Amount struct {
	Records float64 `json:"records"`
	// Rough says that there may be more records than these: a plugin guessed how
	// many it will make. Otherwise there may only be fewer.
	Rough bool `json:"rough,omitempty"`
	// Seconds the media play, and of these the seconds with sound.
	Seconds float64 `json:"seconds"`
	Sound   float64 `json:"sound"`
	// Megapixels of all their frames.
	Megapixels float64 `json:"megapixels"`
	// Detail is how much there is to see in a frame, from 0 (plain areas) to 1
	// (ordinary footage). It decides how hard and how large encoding is.
	Detail float64 `json:"detail"`
	// Bytes of the media files.
	Bytes float64 `json:"bytes"`
}

// Plus adds two amounts. The detail of a sum is the mean by megapixels.
func (a Amount) Plus(b Amount) Amount {
	sum := Amount{
		Records: a.Records + b.Records, Seconds: a.Seconds + b.Seconds, Sound: a.Sound + b.Sound,
		Megapixels: a.Megapixels + b.Megapixels, Bytes: a.Bytes + b.Bytes, Rough: a.Rough || b.Rough,
	}
	if sum.Megapixels > 0 {
		sum.Detail = (a.Detail*a.Megapixels + b.Detail*b.Megapixels) / sum.Megapixels
	}
	return sum
}

// Times returns n times the amount.
func (a Amount) Times(n float64) Amount {
	return Amount{
		Records: n * a.Records, Seconds: n * a.Seconds, Sound: n * a.Sound,
		Megapixels: n * a.Megapixels, Detail: a.Detail, Bytes: n * a.Bytes, Rough: a.Rough,
	}
}

// Plus adds two volumes.
func (v Volume) Plus(w Volume) Volume {
	out := maps.Clone(v)
	if out == nil {
		out = Volume{}
	}
	for s, a := range w {
		out[s] = out[s].Plus(a)
	}
	return out
}

// Forecast is what a step's work takes and gives.
type Forecast struct {
	// Unknown says why nothing can be said after all; the rest is then ignored.
	Unknown string `json:"-"`
	// Short says why the step cannot give what its configuration asks for, however
	// the work goes: its input is too little. Out is then without that.
	Short string `json:"short,omitempty"`
	Out   Volume `json:"out"`
	// CPU seconds, those of the programs it runs included.
	CPU float64 `json:"cpu_seconds"`
	// Bytes that stay in the store.
	Bytes float64 `json:"bytes"`
	// Calls to the model behind the plugin's roles, the images they carry, and
	// the tokens of text and images.
	Calls float64 `json:"model_calls"`
	// CallsFull is how many there would be if every gate asked its full protocol.
	// It is 0 for what is no gate, and then Calls is all.
	CallsFull float64 `json:"model_calls_full,omitempty"`
	Images    float64 `json:"images"`
	TokensIn  float64 `json:"tokens_in"`
	TokensOut float64 `json:"tokens_out"`
}
