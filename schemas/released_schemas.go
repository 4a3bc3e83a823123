package schemas

// ReleasedSchema reports whether records of a schema become rows of a release.
func ReleasedSchema(schema string) bool {
	switch schema {
	case NameQuestion, NameTask, NameMedia, NameStatements, NameVerdict, NameProbes:
		return true
	}
	return false
}

// IntermediateSchema reports whether records of a schema are what stages of this program make
// others of, so that nobody misses them in a release.
func IntermediateSchema(schema string) bool {
	switch schema {
	case NameFilm, NameVideo, NamePair, NameComposition, NameTrial, NameFlagged, NameEvidenceItem, NameProfile:
		return true
	}
	return false
}

// Codes of what no gate or stage dropped, but a release leaves out because it rests
// on something that one did: a question on a medium, a row of a plugin's table on
// any record. What is too large for a row has the third code, also where it is no more
// than a form that a gate judged: then the gate is the stage. What is against a rule of
// the tables has the fourth.
const (
	ExcludedMedia  = "withheld-media"
	ExcludedRecord = "withheld-record"
	ExcludedSize   = "withheld-size"
	ExcludedRule   = "withheld-rule"
)

// Excluded reports whether a code is one of these.
func Excluded(code string) bool {
	return code == ExcludedMedia || code == ExcludedRecord || code == ExcludedSize || code == ExcludedRule
}
