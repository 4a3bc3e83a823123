package separability

import (
	"math"

	"github.com/memforge/memforge/pipeline/media"
)

// features are the numbers of one frame, each 0 to 1.
type features []float64

func featuresOf(a media.FrameAppearance) features {
	f := make(features, 0, len(a.Colours)+3)
	for _, share := range a.Colours {
		f = append(f, float64(share)/1000)
	}
	return append(f, float64(a.Brightness)/1000, float64(a.Contrast)/1000, float64(a.Edges)/1000)
}

// classifier gives a frame to the first video where the weighted sum of its
// features is above a threshold.
type classifier struct {
	weights   features
	threshold float64
	// error is the standard deviation of the sum when features are misread.
	error float64
}

// train learns from frames of both videos.
func train(a, b []media.FrameAppearance) classifier {
	meanA, varA := featureMoments(a)
	meanB, varB := featureMoments(b)
	c := classifier{weights: make(features, len(meanA))}
	square := 0.0
	for i := range c.weights {
		// Conversions keep processors from rounding sums of products once less.
		w := (meanA[i] - meanB[i]) / (float64(varA[i]+varB[i])/2 + misread*misread)
		c.weights[i] = w
		c.threshold += float64(w * (meanA[i] + meanB[i]) / 2)
		square += float64(w * w)
	}
	c.error = misread * math.Sqrt(square)
	return c
}

// featureMoments are mean and variance of every feature.
func featureMoments(frames []media.FrameAppearance) (means, variances features) {
	for _, frame := range frames {
		f := featuresOf(frame)
		if means == nil {
			means, variances = make(features, len(f)), make(features, len(f))
		}
		for i, x := range f {
			means[i] += x
			variances[i] += float64(x * x)
		}
	}
	n := float64(len(frames))
	for i := range means {
		means[i] /= n
		variances[i] = max(0, variances[i]/n-float64(means[i]*means[i]))
	}
	return means, variances
}

// accuracy is the mean chance of frames to be given to their video: sign is 1 for
// frames of the first video, -1 for those of the second. Between videos that
// looked the same in training the classifier tosses a coin.
func (c classifier) accuracy(frames []media.FrameAppearance, sign float64) float64 {
	if c.error == 0 {
		return 0.5
	}
	sum := 0.0
	for _, frame := range frames {
		score := -c.threshold
		for i, x := range featuresOf(frame) {
			score += float64(c.weights[i] * x)
		}
		sum += 0.5 * math.Erfc(-sign*score/c.error/math.Sqrt2)
	}
	return sum / float64(len(frames))
}
