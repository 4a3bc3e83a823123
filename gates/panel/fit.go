package panel

// Pictures implements pipeline.Shower.
func (g *gate) Pictures() int {
	if !g.Definition.Pictures {
		return 0
	}
	return g.cfg.MaxPictures
}

// Fitted implements pipeline.Fitter: views of more pictures are fitted.
func (g *gate) Fitted(most int) any {
	c := g.cfg
	c.MaxPictures = min(c.MaxPictures, most)
	return &c
}
