package fetch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// Codes of Asset.Problem.
const (
	// Missing: the upstream lists the file and does not have it.
	Missing = "missing"
	// Dead: the file was there once, when it was pinned.
	Dead = "dead"
	// Gated: terms must be accepted or a credential given.
	Gated = "gated"
	// TooLarge: the file exceeds the need's limit.
	TooLarge = "too-large"
	// BadName: the path cannot be printed.
	BadName = "bad-name"
	// NotRegular: a device, pipe, socket or hub symlink.
	NotRegular = "not-a-regular-file"
	// SymlinkOutside: a link that leaves the root.
	SymlinkOutside = "symlink-outside"
	// Unreachable: the host does not give the file for the moment, and the build
	// goes on without it because it was told so.
	Unreachable = "unreachable"
	// Unreadable: the operating system refuses to read it.
	Unreadable = "unreadable"
)

// Code says what a hub answered.
type Code string

// The hub's words for what is wrong, and ours where it has none.
const (
	RepoNotFound     Code = "RepoNotFound"
	GatedRepo        Code = "GatedRepo"
	RevisionNotFound Code = "RevisionNotFound"
	EntryNotFound    Code = "EntryNotFound"
	Unauthorized     Code = "Unauthorized"
	Forbidden        Code = "Forbidden"
	Gone             Code = "Gone"
	Conflict         Code = "Conflict"
	Changed          Code = "PreconditionFailed"
	PayloadTooLarge  Code = "PayloadTooLarge"
	Invalid          Code = "Invalid"
	BadStatus        Code = "BadStatus"
)

// StatusError is an answer that is not a success.
type StatusError struct {
	// URL is the canonical place.
	URL    string
	Status int
	Code   Code
	// Moved tells that it came from a content host after a redirect: it is about
	// the address, not about the file.
	Moved bool
	// Advice tells the user what to do.
	Advice string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: status %d (%s): %s", e.URL, e.Status, e.Code, e.Advice)
}

// HostError says that a host could not be used, however often it was tried: it
// is not reached, breaks off, or redirects to a forbidden place. It is
// about the moment or the host, never about a file.
type HostError struct{ Err error }

func (e *HostError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong the last time.
func (e *HostError) Unwrap() error { return e.Err }

// ChangedError says that the upstream no longer gives the pinned bytes.
type ChangedError struct {
	URL       string
	Want, Got string
	// Locked tells a pin of the lock file from one of the configuration.
	Locked bool
}

func (e *ChangedError) Error() string {
	if e.Locked {
		return fmt.Sprintf("%s has changed: locked %s, got %s; if the change is wanted, run again with --relock", e.URL, e.Want, e.Got)
	}
	return fmt.Sprintf("%s is not what was announced: want %s, got %s; check the sha256 in the configuration or try again later", e.URL, e.Want, e.Got)
}

// ContentError says that a page or an error message came in place of a file.
type ContentError struct {
	URL       string
	Want, Got string
	// First bytes of what came.
	First []byte
}

func (e *ContentError) Error() string {
	return fmt.Sprintf("%s: want %s, got %s starting with %q; the link may be dead or need a login", e.URL, e.Want, e.Got, e.First)
}

// OfflineError lists what lock and store lack for a build without network.
type OfflineError struct {
	// Files that are missing in the store; none if the need is not locked.
	Files []string
}

func (e *OfflineError) Error() string {
	if len(e.Files) == 0 {
		return "offline, and the lock file has no pin for it; run once with network access"
	}
	const most = 5
	shown := e.Files
	more := ""
	if len(shown) > most {
		shown, more = shown[:most], fmt.Sprintf(" and %d more", len(e.Files)-most)
	}
	return fmt.Sprintf("offline, and the store lacks %d files: %q%s; run once with network access", len(e.Files), shown, more)
}

// RateLimitError says that the host asks for a longer wait than allowed.
type RateLimitError struct {
	URL  string
	Wait time.Duration
}

func (e *RateLimitError) Error() string {
	return fmt.Sprintf("%s: rate limit reached, the host asks to wait %s; try later or set the host's token", e.URL, e.Wait)
}

// ListingError says that a listing cannot be trusted or is incomplete.
type ListingError struct{ URL, Why string }

func (e *ListingError) Error() string {
	return fmt.Sprintf("listing %s: %s", e.URL, e.Why)
}

// rejection turns an answer about one file into the file's problem, or returns nil
// if the answer is not about the file. pinned tells that the file was there
// once.
func (e *StatusError) rejection(pinned bool) *pipeline.Rejection {
	if e.Moved {
		return nil
	}
	switch e.Code {
	case GatedRepo, Unauthorized, Forbidden:
		return pipeline.Reject(Gated, "%s", e.Error())
	case Gone:
		return pipeline.Reject(Dead, "%s", e.Error())
	case EntryNotFound, RepoNotFound, RevisionNotFound:
		if pinned {
			return pipeline.Reject(Dead, "%s", e.Error())
		}
		return pipeline.Reject(Missing, "%s", e.Error())
	}
	return nil
}

// transientRejection turns an error that another moment may not bring into a problem of the
// file it came up for; nil where it is none.
func transientRejection(err error) *pipeline.Rejection {
	var host *HostError
	var moved *StatusError
	if !errors.As(err, &host) && !(errors.As(err, &moved) && moved.Moved) {
		return nil
	}
	why := pipeline.Reject(Unreachable, "%v", err)
	why.Transient = true
	return why
}

// redact removes credentials and the query, which may hold a signature.
func redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		if strings.Contains(raw, "@") {
			return "(a URL with credentials)"
		}
		return fmt.Sprintf("%q", strings.SplitN(raw, "?", 2)[0])
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

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
	if r.write {
		e.Advice = writeAdvice(e.Code) + a.hostWords(r)
	}
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
	case http.StatusConflict:
		return Conflict
	case http.StatusPreconditionFailed:
		return Changed
	case http.StatusRequestEntityTooLarge:
		return PayloadTooLarge
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return Invalid
	}
	return BadStatus
}

// writeAdvice says what to do when a host refuses to be written to.
func writeAdvice(code Code) string {
	switch code {
	case RepoNotFound, EntryNotFound:
		return "no such repository, or HF_TOKEN may not see it; --create makes it"
	case Unauthorized:
		return "no such repository (--create makes it), or HF_TOKEN is missing, wrong or expired; set it to a token that may write there"
	case Forbidden, GatedRepo:
		return "the token in HF_TOKEN may not write to this repository; give it that permission, or name another repository"
	case RevisionNotFound:
		return "no such branch or commit; if the repository is new and empty, make its first commit on its page"
	case Conflict, Changed:
		return "the repository changed meanwhile, so nothing was written; run again"
	case PayloadTooLarge:
		return "the host takes no request of that size; build the release with fewer or smaller files"
	case Invalid:
		return "the host does not accept what was sent"
	}
	return "the host failed; run again, what was sent already is kept"
}

// maxWords bounds what an error repeats of a host's answer.
const maxWords = 300

// hostWords returns what the host said of its refusal, without the credential.
func (a *answer) hostWords(r request) string {
	body, err := io.ReadAll(io.LimitReader(a.Body, 64<<10))
	var said struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	if err != nil || json.Unmarshal(body, &said) != nil {
		return ""
	}
	words := cmp.Or(said.Error, said.Message)
	if _, token, ok := strings.Cut(r.auth, " "); ok && token != "" {
		words = strings.ReplaceAll(words, token, "(token)")
	}
	if words == "" {
		return ""
	}
	return fmt.Sprintf(" (the host says %.*q)", maxWords, words)
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
