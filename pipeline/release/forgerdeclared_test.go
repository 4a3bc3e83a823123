package release

import "strings"

// Declared leaves of what can be forged the tables that a plugin declares and whose
// names begin so.
func (f *Forger) Declared(prefix string) {
	f.names, f.spots = nil, map[string][]spot{}
	for _, info := range f.manifest.Tables {
		if info.Declared != nil && strings.HasPrefix(info.Name, prefix) {
			_, t := f.tableOf(info.Name)
			f.find(t, info.Name)
		}
	}
}
