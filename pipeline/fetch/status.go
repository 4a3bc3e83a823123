package fetch

import "net/http"

// statusError says what an answer means and what to do about it.
func statusError(r request, a *answer) *StatusError {
	e := &StatusError{URL: r.canonical, Status: a.StatusCode, Code: Code(a.Header.Get("X-Error-Code"))}
	switch e.Code {
	case RepoNotFound, GatedRepo, RevisionNotFound, EntryNotFound:
	default: // absent, or a word that is not known
		e.Code = codeOf(a.StatusCode)
	}
	if r.kind == Hub && a.StatusCode == http.StatusUnauthorized && e.Code == RepoNotFound {
		e.Code = Unauthorized // the hub hides private and gated repositories so
	}
	e.Advice = advice(r.kind, e.Code)
	if e.Moved = a.refusedAddress(); e.Moved {
		e.Advice = "the content host refuses the address that it was given, as when a signature has expired; run again"
	}
	return e
}

func codeOf(status int) Code {
	switch status {
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return Forbidden
	case http.StatusNotFound:
		return EntryNotFound
	case http.StatusGone:
		return Gone
	}
	return BadStatus
}

func advice(kind string, code Code) string {
	switch code {
	case RepoNotFound:
		return "no such repository; check `repo`"
	case RevisionNotFound:
		return "no such revision; check `revision`, or pin anew with --relock if it was rewritten"
	case EntryNotFound:
		return "no such file or repository; check the configuration, or pin anew with --relock"
	case Gone:
		return "removed for good; obtain it elsewhere or remove it from the source"
	case GatedRepo:
		return "the repository is gated: accept its terms on its page and set HF_TOKEN to a token of that account"
	case Unauthorized, Forbidden:
		switch kind {
		case Hub:
			return "the repository does not exist, is private, or is gated: check `repo`, accept its terms on its page and set HF_TOKEN"
		case GitHub:
			return "the repository does not exist or is private: check `repo` and set GITHUB_TOKEN"
		}
		return "access is refused; only public URLs can be fetched"
	}
	return "the host failed; try again later"
}
