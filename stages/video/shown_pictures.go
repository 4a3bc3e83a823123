package video

// MaxPictures implements pipeline.Shower.
func (s *describeStage) MaxPictures() int { return s.cfg.Frames }

// MaxPictures implements pipeline.Shower.
func (s *annotateStage) MaxPictures() int { return s.cfg.Frames }
