package pipeline

import "strings"

// ReasonCode is the stable word that gates put before the reason of a verdict.
func ReasonCode(reason string) string {
	code, _, ok := strings.Cut(reason, ": ")
	if !ok || code == "" || strings.ContainsAny(code, " \n") {
		return "other"
	}
	return code
}
