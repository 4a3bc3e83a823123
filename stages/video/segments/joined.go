package segments

import "github.com/memforge/memforge/schemas"

// JoinedKeyframes lists the keyframes of mezzanines played whole one after the other:
// KeyEvery is 0, for the regular distance of the parts has no common origin.
func JoinedKeyframes(parts ...schemas.NormalisedVideo) (keyEvery int32, keyframes []int64) {
	at := int64(0)
	for _, m := range parts {
		for _, k := range Keyframes(m) {
			if at+k > 0 {
				keyframes = append(keyframes, at+k)
			}
		}
		at += m.Frames
	}
	return 0, keyframes
}
