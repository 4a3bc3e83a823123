package crosssource

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestOwnersAreKnown: a profile is of somebody who talks in a chat, or of whom it tells by
// name; somebody else's title, or a stranger, is found.
func TestOwnersAreKnown(t *testing.T) {
	profile := func(title, text string) schemas.Session {
		return schemas.Session{SessionID: "s", Kind: schemas.KindProfile, Title: title, Participants: []string{"Ida Holm"}, Turns: []schemas.Turn{{Text: text}}}
	}
	for name, c := range map[string]struct {
		s     schemas.Session
		chats bool
		ok    bool
	}{
		"talks":         {profile("profile_ida_holm", "Likes tea."), true, true},
		"is named":      {profile("profile_ida_holm", "Likes of Ida Holm: tea."), false, true},
		"a stranger":    {profile("profile_ida_holm", "Likes tea."), false, false},
		"another title": {profile("profile_bo_ask", "Likes of Ida Holm: tea."), true, false},
	} {
		if err := checkOwner(c.s, map[string]bool{"Ida Holm": c.chats}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
