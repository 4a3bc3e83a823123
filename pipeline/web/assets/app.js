// Film, keys and the switch for gold. Pages work without it: every key has a link or a
// control, and this file only presses them.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  const $ = (s, from = document) => from.querySelector(s);
  const $$ = (s, from = document) => [...from.querySelectorAll(s)];
  const recall = (name) => { try { return sessionStorage.getItem(name); } catch { return null; } };
  const keep = (name, value) => { try { sessionStorage.setItem(name, value); } catch { /* private windows forbid it */ } };
  const say = (text) => { const at = $("#said"); if (at) at.textContent = text; };

  // Switches: gold and "evidence only" stay as they are while one walks from item to item.
  for (const id of ["gold", "only"]) {
    const box = document.getElementById(id);
    if (!box) continue;
    if (recall(id) === "1") box.checked = true;
    box.addEventListener("change", () => {
      keep(id, box.checked ? "1" : "0");
      if (id === "gold") say(box.checked ? "Gold is shown" : "Gold is hidden");
    });
  }

  // Film. The element's clock is the only one; a frame is floor(t * fps + 0.001).
  const films = $$("video[data-fps]");
  let film = films[0];
  let until = Infinity;
  let from = 0;
  const spansOf = (v) => $$(`a[data-from][data-film="${v.id}"]`);
  const current = (v) => spansOf(v).findIndex((a) => a.getAttribute("aria-current") === "true");

  const mark = (v) => {
    const share = v.duration > 0 ? (100 * v.currentTime) / v.duration : 0;
    for (const line of $$(`line[data-head="${v.id}"]`)) {
      line.setAttribute("x1", share + "%");
      line.setAttribute("x2", share + "%");
    }
    const fps = Number(v.dataset.fps);
    const at = $(`[data-clock="${v.id}"]`);
    if (at) at.textContent = `${v.currentTime.toFixed(2)} s, frame ${Math.floor(v.currentTime * fps + 0.001)} of ${v.dataset.frames}`;
  };
  const seek = (v, t) => {
    const fps = Number(v.dataset.fps);
    // The middle of a frame: its beginning may show the one before.
    v.currentTime = fps > 0 ? (Math.floor(t * fps + 0.001) + 0.5) / fps : t;
  };
  const choose = (v, n, play) => {
    const all = spansOf(v);
    if (!all.length) return;
    const a = all[(n + all.length) % all.length];
    for (const other of all) other.removeAttribute("aria-current");
    a.setAttribute("aria-current", "true");
    for (const r of $$(`[data-bar^="${v.id}:"]`)) r.classList.toggle("here", r.dataset.bar === `${v.id}:${a.dataset.span}`);
    film = v;
    from = Number(a.dataset.from);
    until = Number(a.dataset.to);
    seek(v, from);
    if (play) v.play().catch(() => say("The film cannot be played"));
    else v.pause();
    say(`Span ${a.dataset.from} to ${a.dataset.to} seconds`);
  };
  const playSpan = () => {
    if (!film) return;
    if (!film.paused) { film.pause(); return; }
    choose(film, Math.max(0, current(film)), true);
  };
  const step = (frames) => {
    if (!film) return;
    film.pause();
    const fps = Number(film.dataset.fps);
    until = Infinity;
    seek(film, Math.max(0, (Math.floor(film.currentTime * fps + 0.001) + frames) / fps));
  };
  for (const v of films) {
    const tick = () => {
      mark(v);
      if (v.paused) return;
      if (v === film && v.currentTime >= until - 0.02) {
        if ($("#loop")?.checked) seek(v, from);
        else { v.pause(); until = Infinity; }
      }
      requestAnimationFrame(tick);
    };
    v.addEventListener("play", () => { film = v; tick(); });
    for (const e of ["seeked", "timeupdate", "loadedmetadata"]) v.addEventListener(e, () => mark(v));
    v.addEventListener("error", () => say("The film cannot be loaded"));
  }

  // Evidence in sessions.
  const jump = (by) => {
    const all = $$(".turn[data-piece]");
    if (film && spansOf(film).length) { choose(film, current(film) + by, false); return; }
    if (!all.length) return;
    const at = all.findIndex((t) => t.classList.contains("here"));
    show(all[(at + by + all.length) % all.length]);
  };
  const reveal = (turn) => {
    for (let d = turn.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    const talk = turn.closest(".talk");
    if (talk) talk.scrollTop += turn.getBoundingClientRect().top - talk.getBoundingClientRect().top - 48;
    else turn.scrollIntoView({ block: "center" });
  };
  const show = (turn) => {
    if (!turn) return;
    for (const t of $$(".turn.here")) t.classList.remove("here");
    turn.classList.add("here");
    reveal(turn);
    for (const a of $$(".jump a")) {
      if (named(a.hash) === turn) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
  };
  const named = (hash) => {
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; }
  };
  const hashed = () => {
    const at = named(location.hash);
    if (at?.classList.contains("turn")) { show(at); if (!at.closest(".talk")) at.scrollIntoView({ block: "center" }); }
  };
  for (const talk of $$(".talk")) {
    const first = $(".turn[data-piece]", talk);
    if (first) reveal(first);
  }
  $(".turn[data-piece]")?.classList.add("here");
  addEventListener("hashchange", hashed);
  hashed();

  document.addEventListener("click", (e) => {
    const span = e.target.closest("a[data-span]");
    if (span) {
      const v = document.getElementById(span.dataset.film);
      if (!v) return;
      e.preventDefault();
      choose(v, spansOf(v).findIndex((a) => a.dataset.span === span.dataset.span), false);
      return;
    }
    const inTalk = e.target.closest(".jump a");
    if (inTalk) {
      const turn = named(inTalk.hash);
      if (turn) { e.preventDefault(); show(turn); }
      return;
    }
    const b = e.target.closest("button[data-do]");
    if (b) act[b.dataset.do]?.();
  });

  // Rows of a list.
  const walk = (by) => {
    const rows = $$("a.row");
    if (!rows.length) { $(by > 0 ? "a[rel=next]" : "a[rel=prev]")?.click(); return; }
    const at = rows.indexOf(document.activeElement);
    const to = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
    if (to) to.focus();
    else $(by > 0 ? "a[rel=next]" : "a[rel=prev]")?.click();
  };
  const toggle = (id) => { const box = document.getElementById(id); if (box) box.click(); };
  const focusOn = (id) => { const to = document.getElementById(id); if (to) { to.focus(); to.scrollIntoView({ block: "start" }); } };
  const copy = async () => {
    const link = new URL(location.href);
    link.searchParams.delete("token");
    try { await navigator.clipboard.writeText(link.href); say("Link copied"); flash("Link copied"); }
    catch { flash("The browser did not let the link be copied"); }
  };
  const flash = (text) => {
    const end = $(".keys .end");
    if (!end) return;
    const was = end.dataset.was ?? (end.dataset.was = end.innerHTML);
    end.textContent = text;
    setTimeout(() => { end.innerHTML = was; }, 2500);
  };
  const captions = () => {
    const all = $$("details.cap");
    const open = !all.every((d) => d.open);
    for (const d of all) d.open = open;
  };
  const help = () => {
    const d = $("#allkeys");
    if (d) { if (d.open) d.close(); else d.showModal(); }
  };

  const act = {
    next: () => walk(1), previous: () => walk(-1),
    search: () => { const q = $("#q[type=search]"); if (q) { q.focus(); q.select(); } },
    filters: () => { location.hash = "filters"; $("#filters input, #filters select")?.focus(); },
    copy, up: () => $("a[data-up]")?.click(), help,
    gold: () => toggle("gold"), only: () => toggle("only"),
    play: playSpan, before: () => jump(-1), after: () => jump(1),
    back: () => step(-1), forward: () => step(1),
    evidence: () => focusOn("evidence"), verdicts: () => focusOn("verdicts"), captions,
    keys: () => { keys = !keys; keep("keys", keys ? "1" : "0"); say(keys ? "Keys are on" : "Keys are off"); },
  };
  // Pages add keys of their own with data-key on a control: the key presses it.
  const bound = {
    j: "next", k: "previous", "/": "search", f: "filters", y: "copy", u: "up", "?": "help",
    g: "gold", p: "play", "[": "before", "]": "after", ",": "back", ".": "forward",
    e: "evidence", v: "verdicts", c: "captions", o: "only",
  };
  let keys = recall("keys") !== "0";
  const keybox = document.getElementById("keyson");
  if (keybox) { keybox.checked = keys; keybox.addEventListener("change", act.keys); }

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const to = e.target;
    if (e.key === "Escape" && to.matches("input, textarea, select")) { to.blur(); return; }
    const typed = to.isContentEditable || to.matches("textarea, select, input:not([type=checkbox]):not([type=radio])");
    if (typed || (!keys && e.key !== "?")) return;
    const control = $$("[data-key]").find((c) => c.dataset.key === e.key && !c.disabled);
    if (control) { e.preventDefault(); control.click(); return; }
    const name = Object.hasOwn(bound, e.key) ? bound[e.key] : "";
    if (name) { e.preventDefault(); act[name](); }
  });

  // A list of a static copy is searched here; see static.go.
  const found = $("#found");
  if (found) {
    let all;
    const read = () => all ?? (all = fetch(found.dataset.index).then((r) => r.json()));
    const row = (it) => {
      const item = document.createElement("div"), a = document.createElement("a"), p = document.createElement("p"), meta = document.createElement("div");
      item.setAttribute("role", "listitem");
      a.className = "row";
      a.href = it.href;
      p.textContent = it.text;
      meta.className = "meta";
      meta.textContent = it.type;
      a.append(p, meta);
      item.append(a);
      return item;
    };
    const run = async () => {
      const words = $("#q").value.toLowerCase().split(/\s+/).filter(Boolean);
      $("#rows").hidden = words.length > 0;
      found.replaceChildren();
      if (!words.length) { $("#count").textContent = ""; return; }
      try {
        const hits = (await read()).filter((it) => words.every((w) => it.words.includes(w)));
        found.replaceChildren(...hits.slice(0, 200).map(row));
        $("#count").textContent = `${hits.length} found${hits.length > 200 ? ", the first 200 are shown" : ""}`;
      } catch { $("#count").textContent = "Search needs a web server: these files were opened from a folder."; }
    };
    $("#q").addEventListener("input", run);
    $("#q").form.addEventListener("submit", (e) => { e.preventDefault(); run(); });
  }
})();
