package schemas

// Released reports whether records of a schema become rows of a release.
func Released(schema string) bool {
	switch schema {
	case NameQuestion, NameTask, NameMedia, NameStatements, NameVerdict, NameProbes:
		return true
	}
	return false
}
