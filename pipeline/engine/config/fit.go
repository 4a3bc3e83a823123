package config

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// Fit is a node whose requests may have more pictures than a model takes that
// plays one of its roles.
type Fit struct {
	Node, Role, Model string
	Kind              pipeline.Kind
	// Pictures is the most in one request as configured, Takes what the model
	// takes: 0 when it sees none.
	Pictures, Takes int
	// Fitted says that the node's configuration was changed, so that it shows no
	// more. Else larger requests are lost.
	Fitted bool
}

// fit holds the pictures that a node shows against what the models behind its
// roles take, and lowers them where the plugin can do with fewer. All roles are
// shown the same, so the least counts.
func (l *loader) fit(d *draftStep, plugin *pipeline.Plugin, built any) error {
	shower, shows := built.(pipeline.PictureSender)
	if !shows || shower.MaxPictures() < 1 {
		return nil
	}
	f, over := l.smallestFit(d, shower.MaxPictures())
	if !over {
		return nil
	}
	fitter, fits := built.(pipeline.PictureLimiter)
	if f.Fitted = fits && f.Takes > 0; f.Fitted {
		var err error
		if d.Config, err = encode(plugin, fitter.LimitPictures(f.Takes)); err != nil {
			return fmt.Errorf("fit to the %d pictures that model %q takes: %w", f.Takes, f.Model, err)
		}
	}
	l.over = append(l.over, f)
	return nil
}

// smallestFit finds the role whose model takes the fewest pictures, if that is fewer
// than are shown.
func (l *loader) smallestFit(d *draftStep, shown int) (f Fit, over bool) {
	f = Fit{Node: d.Name, Kind: d.Kind, Pictures: shown, Takes: shown}
	var roles []string
	for _, a := range d.spec.Asks {
		roles = append(roles, a.Role)
	}
	slices.Sort(roles)
	for _, role := range slices.Compact(roles) {
		m, ok := l.file.Models[l.file.Roles[role]]
		takes := m.Media.MaxImages
		switch {
		case !ok:
			continue
		case !m.Capabilities.Images:
			takes = 0
		case takes == 0:
			continue
		}
		if takes < f.Takes {
			f.Role, f.Model, f.Takes, over = role, l.file.Roles[role], takes, true
		}
	}
	return f, over
}
