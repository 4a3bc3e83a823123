package pipeline

// A PictureSender is a plugin whose requests to models have pictures.
type PictureSender interface {
	// MaxPictures is the most pictures of one request.
	MaxPictures() int
}

// A PictureLimiter is a Shower that can do with fewer.
type PictureLimiter interface {
	PictureSender
	// LimitPictures is the configuration under which no request has more than most, which
	// is at least 1.
	LimitPictures(most int) any
}
