package release

import "strings"

// checkStrays finds files that are no part of a release, though every list names
// them, and texts that it lacks. Files under media/ are those of table media, see
// checkMedia.
func (v *verifier) checkStrays(info Info) {
	belongs := map[string]bool{lockName: true}
	for _, name := range []string{cardName, licensesName, changelogName, reportName, croissantName} {
		belongs[name] = true
		if !info.Manifest.has(name) {
			v.add(name, "is missing, and no list names it")
		}
	}
	for _, t := range info.Manifest.Tables {
		for _, s := range t.Splits {
			belongs[s.Path] = true
		}
	}
	for _, f := range info.Manifest.Files {
		switch {
		case belongs[f.Path], strings.HasPrefix(f.Path, "media/"):
		case strings.HasPrefix(f.Path, "data/"):
			v.add(f.Path, "belongs to no table")
		default:
			v.add(f.Path, "is no file that a release has")
		}
	}
}
