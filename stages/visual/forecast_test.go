package visual

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestForecastOfConversations counts a profile for each task beside its sessions.
func TestForecastOfConversations(t *testing.T) {
	out := conversationStage{}.Forecast(pipeline.Volume{nameAlbum: {Records: 3}, volumeSessions: {Records: 40}, volumePictures: {Records: 7}}).Out
	for name, want := range map[string]float64{schemas.NameTask: 3, schemas.NameSession: 43, volumePictures: 7} {
		if out[name].Records != want {
			t.Errorf("%g of %s, want %g", out[name].Records, name, want)
		}
	}
}
