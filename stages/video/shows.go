package video

// Pictures implements pipeline.Shower.
func (s *describe) Pictures() int { return s.cfg.Frames }

// Pictures implements pipeline.Shower.
func (s *labelling) Pictures() int { return s.cfg.Frames }
