package testkit

import (
	"bytes"
	"fmt"
	"strings"
)

// HubFaults are 30 ways in which a hub or its content host fails a client that
// asks again, at rates from 5 to 33 %; a listing, of which there is one, fails
// twice. Those that tell how long to wait say so many seconds.
func HubFaults(seconds int) []Fault {
	out := []Fault{{Match: "plain", Flip: true}, {Match: "cdn/", Flip: true}}
	for _, place := range []string{"/tree/", "/resolve/", "cdn/"} {
		for _, status := range []int{500, 502, 503, 504, 408} {
			out = append(out, Fault{Match: place, Status: status, Body: "<html>sorry</html>"})
		}
		for _, wait := range []map[string]string{{"Retry-After": fmt.Sprint(seconds)}, {"RateLimit": fmt.Sprintf(`"api";r=0;t=%d`, seconds)}} {
			out = append(out, Fault{Match: place, Status: 429, Header: wait})
		}
	}
	out = append(out,
		Fault{Match: "cdn/", Status: 403, Body: "expired"}, Fault{Match: "cdn/", Status: 401, Body: "expired"},
		Fault{Match: "cdn/", CutAfter: 700}, Fault{Match: "cdn/", CutAfter: 1}, Fault{Match: "cdn/", CutAfter: 1500, NoRange: true},
		Fault{Match: "/tree/", CutAfter: 30}, Fault{Match: "plain", CutAfter: 3},
	)
	for i := range out {
		if strings.Contains(out[i].Match, "/tree/") {
			out[i].Times = 2
			continue
		}
		out[i].Every = 20 - 17*i/(len(out)-1)
	}
	return out
}

// String names a fault in tests.
func (f *Fault) String() string {
	return fmt.Sprintf("%s %d %v cut %d flip %t, one in %d", f.Match, f.Status, f.Header, f.CutAfter, f.Flip, max(f.Every, 1))
}

// LargeFileRepo is a repository of so many large files of 2 KB, clips/*/big.mp4, and 20
// small ones, plain/*.csv.
func LargeFileRepo(large int) Repo {
	r := Repo{Commit: strings.Repeat("a", 40), License: "cc-by-4.0", Files: map[string][]byte{}, Large: map[string]bool{}}
	for i := range large {
		name := fmt.Sprintf("clips/%02d/big.mp4", i)
		r.Files[name], r.Large[name] = bytes.Repeat([]byte{byte(i), byte(i * 7), 9}, 700), true
	}
	for i := range 20 {
		r.Files[fmt.Sprintf("plain/%02d.csv", i)] = fmt.Appendf(nil, "file,title\n%d,plain %d\n", i, i)
	}
	return r
}
