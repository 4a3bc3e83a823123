package pages

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// round is a running memforge review: its address, and a token for each name.
type round struct {
	cmd    *exec.Cmd
	base   string
	tokens map[string]string
}

// review starts memforge review over two questions of each family.
func review(t *testing.T, dir, listen string) round {
	t.Helper()
	r := round{tokens: map[string]string{}}
	r.cmd = exec.CommandContext(t.Context(), memforge(), "review", "--dir", dir, "--annotator", "ann", "--annotator", "ben", "--keeper", "kim",
		"--by", "family", "--share", "0.001", "--least", "2", "--listen", listen, release())
	r.cmd.Stderr = os.Stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); len(r.tokens) < 3; {
		if !lines.Scan() {
			t.Fatalf("memforge review printed %d links, want 3", len(r.tokens))
		}
		name, link, _ := strings.Cut(lines.Text(), ": ")
		r.base, r.tokens[name], _ = strings.Cut(link, "/?token=")
	}
	return r
}

// send sends a form as a script of ben does, and returns the page that follows.
func (r round) send(t *testing.T, method, path string, form url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.tokens["ben"])
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", r.base)
	got, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %.300s", path, got.Status, err, body)
	}
	return string(body)
}

// field returns what a page as JSON has under a key, a text without quotes.
func field(page, key string) string {
	_, rest, _ := strings.Cut(page, `"`+key+`": "`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// rejectAll has ben answer everything by the first option and reject it.
func (r round) rejectAll(t *testing.T) {
	t.Helper()
	for range 200 {
		page := r.send(t, http.MethodGet, "/review.json", nil)
		if strings.Contains(page, `"done": true`) {
			return
		}
		form := url.Values{"handle": {field(page, "handle")}, "request": {field(page, "request")}, "form": {field(page, "form")}, "answer": {"1"}, "text": {"so"}}
		if strings.Contains(page, `"options": null`) {
			form.Del("answer")
		}
		page = r.send(t, http.MethodPost, "/review/answer?as=json", form)
		r.send(t, http.MethodPost, "/review/decide?as=json", url.Values{"handle": {field(page, "handle")}, "request": {field(page, "request")}, "decision": {"reject"}, "note": {"no"}})
	}
	t.Fatal("ben never ends")
}

// TestReview answers, decides and proposes by keys, kills the server between, and settles.
func TestReview(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core: %v; .ci/pages.sh installs it", err)
	}
	dir := filepath.Join(t.TempDir(), "reviews")
	r := review(t, dir, "127.0.0.1:0")
	b := open(t)
	defer b.checkConsole()
	b.base = r.base
	looked := 0
	look := func(at string) {
		t.Helper()
		looked++
		b.look(at, 400, "dark", fmt.Sprintf("review-%d-400-dark.png", looked), string(axe))
		b.look(at, 1280, "light", fmt.Sprintf("review-%d-1280-light.png", looked), string(axe))
	}
	here := func() string { return b.text("location.pathname") }
	const about = `document.querySelector(".about").textContent`
	b.visit("/?token=" + r.tokens["ann"])
	b.wait(about + `.startsWith("Item 1 of ")`)
	look(here())
	b.press("1")
	b.want(`document.querySelector("input[name=answer]:checked").value`, "1")
	b.press("\r")
	const decides = `document.querySelector("input[name=decision]")`
	b.wait(decides)
	look(here())
	b.press("a")
	b.press("\r")
	b.wait(about + `.startsWith("Item 2 of ")`)
	b.press("0")
	b.press("\r")
	b.wait(decides)
	b.press("r")
	b.wait(`document.getElementById("proposal").open`)
	b.text(`document.getElementById("f-question").value = "What is asked?"`)
	b.do(chromedp.SendKeys(chromedp.CSS("#note"), "a stilted question\r")) // letters are no keys in a field
	b.wait(about + `.startsWith("Item 3 of ")`)
	b.press("2")
	b.press("\r")
	b.wait(decides)

	// The server is killed and started again: what was kept is there, and the link works.
	third := here()
	b.do(chromedp.Navigate("about:blank")) // else a film that still loads finds no server
	if err := r.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // it was killed
	r = review(t, dir, strings.TrimPrefix(r.base, "http://"))
	b.visit("/review")
	b.wait(decides)
	if here() != third {
		t.Errorf("after the restart ann is at %s, was at %s", here(), third)
	}
	b.want(`document.querySelector("header.top nav a").textContent.startsWith("2 of ")`, "true")
	b.press("x")
	b.do(chromedp.SendKeys(chromedp.CSS("#note"), "two are right\r"))
	b.wait(about + `.startsWith("Item 4 of ")`)
	look("/review/mine")
	look("/review/guide")

	r.rejectAll(t)
	b.visit("/?token=" + r.tokens["kim"])
	const disputed = `[...document.querySelectorAll(".fig b")].pop().textContent`
	b.wait(`document.querySelector(".fig")`)
	b.want(disputed, "2")
	look("/review/round")
	b.do(chromedp.Click(chromedp.CSS(`section[aria-label="To settle"] a`)))
	b.wait(`document.querySelector("input[name=take]")`)
	look(here())
	b.press("a")
	b.press("\r")
	b.wait(`location.pathname === "/review/round"`)
	b.want(disputed, "1")
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // interrupted
	decisions, err := os.ReadFile(filepath.Join(dir, "review.jsonl"))
	if err != nil || strings.Count(string(decisions), `"annotator":"ann"`) != 2 || strings.Count(string(decisions), `"annotator":"kim"`) != 1 {
		t.Errorf("exported %s, %v", decisions, err)
	}
	proposals, err := os.ReadFile(filepath.Join(dir, "review", "proposals.jsonl"))
	if err != nil || strings.Count(string(proposals), `"new":"What is asked?"`) != 1 {
		t.Errorf("exported %s, %v", proposals, err)
	}
}
