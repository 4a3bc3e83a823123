package cli

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/server"
)

// warnFittedPictures says which nodes show more pictures than a model takes.
func warnFittedPictures(e *env, fits []config.Fit) {
	for _, f := range fits {
		what := fmt.Sprintf("warning: %s %s needs up to %d pictures a request, model %s (role %s) takes %d", f.Kind, f.Node, f.Pictures, f.Model, f.Role, f.Takes)
		switch {
		case f.Fitted:
			what += fmt.Sprintf(": views of more are fitted evenly to %d, which the probes state", f.Takes)
		case f.Takes == 0:
			what += ": give the role to a model that sees"
		default:
			what += ": larger requests are lost (model-too-large); show fewer, or raise media.max_images if the model takes more"
		}
		fmt.Fprintln(e.err, what)
	}
}

// warnPanelPictures says where a panel takes fewer pictures than it will be shown: what
// the release's was.
func warnPanelPictures(e *env, shows []rerun.PictureUse, players map[string]string, models map[string]server.Model) {
	for _, s := range shows {
		name := players[s.Role]
		if takes := models[name].Media.MaxImages; name != "" && takes > 0 && takes < s.Pictures {
			fmt.Fprintf(e.err, "warning: gate %s shows up to %d pictures a request, model %s (role %s) takes %d: views are those of the release, and larger requests fail\n",
				s.Gate, s.Pictures, name, s.Role, takes)
		}
	}
}
