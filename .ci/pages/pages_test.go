// Package pages drives the pages of a release in a real browser. It is a module of its own, so
// that only this check downloads the driver; .ci/pages.sh runs it.
package pages

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// memforge and release are the program and the release that are tried.
func memforge() string { return os.Getenv("MEMFORGE_BIN") }
func release() string  { return os.Getenv("MEMFORGE_RELEASE") }

// serve starts memforge view and returns the address of the pages and their token.
func serve(t *testing.T) (base, token string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), memforge(), "view", release(), "--listen", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // it ends with the test's context
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, link, ok := strings.Cut(lines.Text(), ": http"); ok {
			base, token, _ = strings.Cut("http"+link, "/?token=")
			return base, token
		}
	}
	t.Fatal("memforge view printed no link")
	return "", ""
}

// tab is a page of the browser with what went wrong in it.
type tab struct {
	*testing.T
	ctx         context.Context
	base, token string
	mu          sync.Mutex
	wrong       []string
	ranges      int
}

func open(t *testing.T) *tab {
	t.Helper()
	base, token := serve(t)
	alloc, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.Flag("no-sandbox", true), chromedp.Flag("autoplay-policy", "no-user-gesture-required"), chromedp.Flag("mute-audio", true), chromedp.WindowSize(1280, 900))...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	b := &tab{T: t, ctx: ctx, base: base, token: token}
	b.do(chromedp.Navigate("about:blank"))
	console := chromedp.Console(ctx)
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException || m.Type == chromedp.ConsoleWarning {
				b.mu.Lock()
				b.wrong = append(b.wrong, m.String()+" at "+m.URL)
				b.mu.Unlock()
			}
		}
	}()
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	responses := chromedp.Events(ctx, network.ResponseReceived)
	go func() {
		for r, err := range responses {
			if err != nil {
				return
			}
			if strings.Contains(r.Response.URL, "/media/") && r.Response.Status == http.StatusPartialContent {
				b.mu.Lock()
				b.ranges++
				b.mu.Unlock()
			}
		}
	}()
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 30*time.Second)
	defer stop()
	if b.wrong == nil {
		ctx = b.ctx // the first call starts the browser, which lives as long as its context
		b.wrong = []string{}
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// wait waits until an expression of the page is true, over navigations.
func (b *tab) wait(expression string) {
	b.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(40 * time.Millisecond) {
		var ok bool
		if ok, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); ok {
			return
		}
	}
	b.Fatalf("%s: not true, %v; the page is %s", expression, err, b.text("location.href"))
}

func (b *tab) text(expression string) string {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *tab) want(expression, want string) {
	b.Helper()
	if got := b.text(expression); got != want {
		b.Errorf("%s: %s is %q, want %q", b.text("location.pathname"), expression, got, want)
	}
}

func (b *tab) visit(at string) {
	b.Helper()
	b.do(chromedp.Navigate(b.base + at))
}

// press presses a key once the page listens.
func (b *tab) press(keys string) {
	b.Helper()
	b.wait(`document.readyState === "complete" && document.documentElement.classList.contains("js")`)
	b.do(chromedp.KeyEvent(keys))
}

// json reads a page as JSON.
func (b *tab) json(at string, into any) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.base+at, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s, %v: %.300s", at, got.Status, err, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		b.Fatal(err)
	}
}

type list struct {
	Total int
	Rows  []struct{ ID, Question string }
	State struct{ Ready bool }
}

// first returns the first question of a query.
func (b *tab) first(query string) string {
	b.Helper()
	var l list
	b.json("/index.json?limit=1&"+query, &l)
	if len(l.Rows) == 0 {
		b.Fatalf("no question has %s", query)
	}
	return l.Rows[0].ID
}

func (b *tab) waitIndexed() {
	b.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var l list
		if b.json("/index.json?limit=1", &l); l.State.Ready {
			return
		}
	}
	b.Fatal("the release is not indexed")
}

func item(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "/item/" + strings.Join(parts, "/")
}

func TestPages(t *testing.T) {
	b := open(t)
	defer b.checkConsole()
	b.do(chromedp.Navigate(b.base + "/?token=" + b.token))
	b.want("location.search", "")
	b.want("document.cookie", "") // scripts cannot read it
	b.waitIndexed()
	b.filter()
	b.search()
	b.film()
	b.gold()
	b.talk()
	b.everyPage()
	b.static()
	b.withoutMedia()
}

// missing is an address without a page.
const missing = "/nothing"

// checkConsole fails for each error or warning in the console.
func (b *tab) checkConsole() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		if !strings.HasSuffix(w, missing) { // the browser notes that a page asked for is not there
			b.Errorf("console: %s", w)
		}
	}
}

func (b *tab) filter() {
	b.visit("/")
	b.wait(`document.getElementById("type=interference")`)
	count := b.text(`document.getElementById("type=interference").closest("label").querySelector(".count").textContent`)
	b.do(chromedp.Click(chromedp.CSS(`[id="type=interference"]`)))
	b.wait(`document.querySelector(".sum b").textContent.startsWith(` + fmt.Sprintf("%q", count+" ") + `)`)
	b.want(`new URLSearchParams(location.search).get("type")`, "interference")
	b.want(`document.activeElement.id`, "type=interference") // focus survives the swap
	b.want(`[...document.querySelectorAll(".row .meta span:first-child")].every(s => s.textContent === "interference")`, "true")
	b.do(chromedp.Reload())
	b.want(`document.getElementById("type=interference").checked`, "true")
	b.press("j")
	b.press("j")
	second := b.text(`document.querySelectorAll("a.row")[1].pathname`)
	b.press("\r")
	b.wait(`location.pathname === ` + fmt.Sprintf("%q", second))
	b.want(`document.querySelector("header.top span").textContent.includes("2 of `+count+`")`, "true")
	b.press("k")
	b.wait(`document.querySelector("header.top span").textContent.includes(" 1 of ")`)
	b.press("u")
	b.wait(`location.pathname === "/" && location.search.includes("type=interference")`)
}

func (b *tab) search() {
	b.press("/")
	b.want("document.activeElement.id", "q")
	b.text(`document.activeElement.value = ""`)                      // the driver types the key although the page takes it
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "camera jg\b\b\b\r")) // keys are letters in a field
	b.wait(`new URLSearchParams(location.search).get("q") === "camera"`)
	b.wait(`document.querySelectorAll("a.row").length > 0`)
	b.want(`new URLSearchParams(location.search).get("type")`, "interference")
}

func (b *tab) film() {
	b.visit(item(b.first("type=interference")))
	const film = `document.querySelector("video")`
	b.wait(film + `.readyState > 1`)
	from := b.text(`Number(document.querySelector("a[data-from]").dataset.from)`)
	b.want(film+`.paused && Math.abs(`+film+`.currentTime - `+from+`) < 0.1`, "true")
	b.press("p")
	b.wait(`!` + film + `.paused && ` + film + `.currentTime > ` + from + ` + 0.2`)
	b.press("p")
	b.wait(film + `.paused`)
	b.press("]")
	b.wait(`document.querySelector("a[data-from][aria-current]").dataset.span !== "1" && !` + film + `.seeking`)
	frame := `Number(document.querySelector("[data-clock]").textContent.match(/frame (\d+)/)[1])`
	was := b.text(frame)
	b.press(".")
	b.wait(frame + ` === ` + was + ` + 1`)
	b.press(",")
	b.wait(frame + ` === ` + was)
	b.mu.Lock()
	if b.ranges == 0 {
		b.Error("no part of a film was asked for as a range")
	}
	b.mu.Unlock()
}

func (b *tab) gold() {
	const right = `getComputedStyle(document.querySelector(".opt.right .role")).visibility`
	const answer = `getComputedStyle(document.querySelector(".gold")).display`
	b.visit(item(b.first("type=order_understanding")))
	b.want(right, "hidden")
	b.want(answer, "none")
	b.press("g")
	b.want(right, "visible")
	b.want(answer, "block")
	at := b.text("location.pathname")
	b.press("j")
	b.wait(`location.pathname !== ` + fmt.Sprintf("%q", at) + ` && document.readyState === "complete"`)
	b.wait(right + ` === "visible"`) // it stays while one walks
	b.press("g")
	b.want(right, "hidden")
}

func (b *tab) talk() {
	b.visit(item(b.first("family=crosssource")))
	const piece = `document.querySelector(".turn[data-piece]")`
	b.want(`(() => { const p = `+piece+`.getBoundingClientRect(), t = `+piece+`.closest(".talk").getBoundingClientRect(); return p.top >= t.top && p.top < t.bottom; })()`, "true")
	b.want(`getComputedStyle(document.querySelector(".turn:not(.piece)")).display`, "grid")
	b.press("o")
	b.want(`getComputedStyle(document.querySelector(".turn:not(.piece)")).display`, "none")
	b.press("o")
	b.press("]")
	b.want(`document.querySelector(".turn.here").dataset.piece !== "1"`, "true")
	b.press("?")
	b.want(`document.getElementById("allkeys").open`, "true")
	b.do(chromedp.Click(chromedp.CSS("#allkeys form button")))
}

// everyPage looks at all kinds of pages at two widths, light and dark.
func (b *tab) everyPage() {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		b.Fatalf("axe-core: %v; .ci/pages.sh installs it", err)
	}
	pages := []string{"/", "/?q=camera&gate.recall=pass", "/rejected", "/tables", "/table/questions", "/table/sources", "/source/films", missing}
	for _, q := range []string{"type=interference", "type=spatial_grounding", "type=nback", "family=crosssource", "type=crosssource_call", "family=visual", "family=lifelong"} {
		pages = append(pages, item(b.first(q))+"?gold=1")
	}
	var answer struct {
		Pieces []struct {
			SessionID string `json:"session_id"`
		}
	}
	b.json("/item/?as=json&id="+url.QueryEscape(b.first("family=lifelong")), &answer)
	pages = append(pages, strings.Replace(item(answer.Pieces[0].SessionID), "/item/", "/session/", 1))
	for i, at := range pages {
		for j, look := range []struct {
			width  int64
			scheme string
		}{{1280, "light"}, {400, "dark"}, {1280, "dark"}, {400, "light"}} {
			if os.Getenv("MEMFORGE_SHOTS") == "" && i%4 != j {
				continue // each kind of page in one of the four looks: items and lists go through all
			}
			b.look(at, look.width, look.scheme, fmt.Sprintf("%02d-%d-%s.png", i, look.width, look.scheme), string(axe))
		}
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

func (b *tab) look(at string, width int64, scheme, shot, axe string) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900), func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return chromedp.Void{}, err
	})
	b.visit(at)
	name := fmt.Sprintf("%s at %d, %s", at, width, scheme)
	if w := b.text(`document.scrollingElement.scrollWidth`); w != fmt.Sprint(width) {
		b.Errorf("%s: %s pixels wide", name, w)
	}
	dark := b.text(`getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0] < 80`)
	if dark != fmt.Sprint(scheme == "dark") {
		b.Errorf("%s: dark is %s", name, dark)
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](axe+`; axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).slice(0, 3).join("; "))))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: axe: %v", name, err)
	}
	if found != "[]" {
		b.Errorf("%s: %s", name, found)
	}
	if dir := os.Getenv("MEMFORGE_SHOTS"); dir != "" {
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, shot), png, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// withoutMedia opens a film and a picture of a release that lacks them: the page says why, offers
// nothing that does nothing, and fits a phone.
func (b *tab) withoutMedia() {
	whole, bare, dir := os.DirFS(release()), b.TempDir(), filepath.Join(b.TempDir(), "bare")
	err := fs.WalkDir(whole, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "media" {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(bare, name), 0o755)
		}
		data, err := fs.ReadFile(whole, name)
		return cmp.Or(err, os.WriteFile(filepath.Join(bare, name), data, 0o644))
	})
	if err != nil {
		b.Fatal(err)
	}
	ids := []string{b.first("type=interference"), b.first("type=visual_value")}
	if out, err := exec.CommandContext(b.Context(), memforge(), "view", bare, "--static", dir, "--where", url.Values{"id": ids}.Encode()).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, bytes.TrimSpace(out))
	}
	b.do(chromedp.EmulateViewport(400, 900))
	for _, id := range ids {
		b.do(chromedp.Navigate("file://" + dir + item(id) + "/index.html"))
		b.want(`[...document.querySelectorAll(".ph")].every(p => p.textContent.includes("missing or damaged")) && document.querySelectorAll(".ph").length > 0`, "true")
		b.want(`document.querySelectorAll("video, main img, [data-do=play], a[data-span], a[href*='media/']").length`, "0")
		b.want(`document.scrollingElement.scrollWidth`, "400")
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// static opens a copy from a web host, and as files.
func (b *tab) static() {
	dir := filepath.Join(b.TempDir(), "copy")
	if out, err := exec.CommandContext(b.Context(), memforge(), "view", release(), "--static", dir, "--sample", "6").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, bytes.TrimSpace(out))
	}
	host := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer host.Close()
	for _, at := range []string{host.URL + "/index.html", "file://" + dir + "/index.html"} {
		b.do(chromedp.Navigate(at))
		b.want(`document.querySelectorAll("#rows a.row").length`, "6")
		b.want(`getComputedStyle(document.querySelector(".rows")).borderTopLeftRadius`, "8px")
		if strings.HasPrefix(at, "http") {
			word := b.text(`document.querySelector("#rows a.row p").textContent.trim().split(" ").pop()`)
			b.do(chromedp.SendKeys(chromedp.CSS("#q"), word))
			b.wait(`document.querySelectorAll("#found a.row").length > 0`)
			b.do(chromedp.Click(chromedp.CSS("#found a.row")))
		} else {
			b.press("j")
			b.press("\r")
		}
		b.wait(`location.pathname.includes("/item/") && document.querySelector("#gold")`)
		b.press("g")
		b.want(`document.querySelector("#gold").checked`, "true")
	}
}
