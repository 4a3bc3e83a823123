package testkit

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// PublishFault is a way in which a hub fails who writes to it.
type PublishFault struct {
	Name string
	Fault
	// Passes says that the client can get over it; else its error holds Says.
	Passes bool
	Says   string
}

// PublishFaults are 47 of them, by name. Those that tell how long to wait say one second.
func PublishFaults() []PublishFault {
	var out []PublishFault
	pass := func(name string, f Fault) { out = append(out, PublishFault{Name: name, Fault: f, Passes: true}) }
	fail := func(name, says string, f Fault) { out = append(out, PublishFault{Name: name, Fault: f, Says: says}) }
	for place, status := range map[string]int{
		"/revision/main": 500, "/tree/": 502, "/preupload/": 503, "/objects/batch": 500, "cdn/lfs/": 503, "cdn/join/": 500,
		"/lfs/verify": 502, "/commit/": 504, "/tag/": 500,
	} {
		pass(fmt.Sprintf("%d at %s", status, place), Fault{Match: place, Status: status, Times: 2, Body: "<html>sorry</html>"})
	}
	for place, f := range map[string]Fault{
		"/preupload/": {Status: 429, Header: map[string]string{"Retry-After": "1"}},
		"/commit/":    {Status: 429, Header: map[string]string{"RateLimit": `"api";r=0;t=0`}},
		"cdn/lfs/":    {Status: 503, Header: map[string]string{"Retry-After": "1"}},
		"/tag/":       {Status: 408},
	} {
		f.Match, f.Times = place, 2
		pass(fmt.Sprintf("%d, wait, at %s", f.Status, place), f)
	}
	for _, place := range []string{"/tree/", "/objects/batch", "/preupload/", "/commit/", "/revision/main"} {
		pass("truncated reply of "+place, Fault{Match: place, CutAfter: 12, Times: 2})
	}
	for _, place := range []string{"/commit/", "/tag/", "cdn/lfs/", "cdn/join/", "/lfs/verify"} {
		pass("lost reply of "+place, Fault{Match: place, Lost: true, Times: 1})
	}
	for _, place := range []string{"/commit/", "cdn/lfs/"} {
		pass("silent "+place, Fault{Match: place, Silent: true, Times: 1})
		pass("cut upload to "+place, Fault{Match: place, TakeOnly: 40, Times: 2})
	}
	pass("expired address of an upload", Fault{Match: "cdn/lfs/", Status: 403, Body: "<Code>AccessDenied</Code>", Times: 2})
	pass("expired address to join parts", Fault{Match: "cdn/join/", Status: 403, Times: 1})
	pass("wrong tag of a part", Fault{Match: "cdn/lfs/", Header: map[string]string{"ETag": `"00000000000000000000000000000000"`}, Times: 3})
	pass("damaged upload", Fault{Match: "cdn/lfs/", FlipSent: true, Times: 2})
	pass("object gone before it was verified", Fault{Match: "/lfs/verify", Status: http.StatusNotFound, Times: 1})
	pass("commit that names none", Fault{Match: "/commit/", Status: 200, Body: "{}", Times: 1})
	fail("no tag of a part", "no tag", Fault{Match: "cdn/lfs/", Header: map[string]string{"ETag": ""}})
	fail("missing repository", "--create", Fault{Match: "/revision/main", Status: 404, Header: map[string]string{"X-Error-Code": "RepoNotFound"}})
	fail("token that is wrong", "HF_TOKEN", Fault{Match: "/preupload/", Status: 401, Body: `{"error":"Invalid credentials in Authorization header"}`})
	fail("token that may not write", "may not write", Fault{Match: "/preupload/", Status: 403, Body: `{"error":"no rights for hf_secret"}`})
	fail("no quota", "storage limit", Fault{Match: "/objects/batch", Status: 403, Body: `{"error":"you exceeded your storage limit"}`})
	fail("commit that is too large", "no request of that size", Fault{Match: "/commit/", Status: 413})
	fail("commit that is not accepted", "lfs pointer", Fault{Match: "/commit/", Status: 422, Body: `{"error":"an lfs pointer is wrong"}`})
	fail("commit of somebody else", "run again", Fault{Match: "/commit/", Status: 412})
	fail("conflict", "run again", Fault{Match: "/commit/", Status: 409})
	fail("page in place of a listing", "want a list of files", Fault{Match: "/tree/", Status: 200, Body: "<html>maintenance</html>"})
	fail("answer without an object", "no answer for object", Fault{Match: "/objects/batch", Status: 200, Body: `{"objects":[]}`})
	fail("unknown mode of upload", "want lfs or regular", Fault{Match: "/preupload/", Status: 200, Body: `{"files":[]}`})
	fail("host that stays down", "after 3 tries", Fault{Match: "/objects/batch", Status: 500})
	fail("uploads that stay refused", "signature has expired", Fault{Match: "cdn/lfs/", Status: 403})
	slices.SortFunc(out, func(a, b PublishFault) int { return strings.Compare(a.Name, b.Name) })
	return out
}
