// Active time and keys of a review. Its forms work without it.
(() => {
  "use strict";
  const form = document.querySelector("form[data-timed]");
  let active = 0, seen = performance.now(), last = performance.now();
  // A minute without a sign of life, and a hidden tab, do not count.
  const idle = 60000;
  const tick = () => {
    const now = performance.now();
    if (!document.hidden && now - last < idle) active += Math.min(now - seen, 5000);
    seen = now;
  };
  setInterval(tick, 1000);
  for (const e of ["pointermove", "pointerdown", "keydown", "scroll", "timeupdate"]) addEventListener(e, () => { last = performance.now(); }, { capture: true, passive: true });
  document.addEventListener("visibilitychange", () => { seen = last = performance.now(); });
  if (form) {
    form.addEventListener("submit", (e) => {
      if (form.dataset.sent && e.submitter?.hasAttribute("data-confirm")) { e.preventDefault(); return; }
      tick();
      form.elements.active.value = Math.round(active);
      form.dataset.sent = "1";
    });
    addEventListener("pageshow", (e) => { if (e.persisted) delete form.dataset.sent; });
  }

  const proposal = document.getElementById("proposal");
  document.querySelector("input[value=revise]")?.addEventListener("change", () => { if (proposal) proposal.open = true; });

  // A field with a proposal shows what it was, and a way back.
  for (const button of document.querySelectorAll("button[data-undo]")) {
    const field = document.getElementById(button.dataset.undo), was = button.closest(".was");
    const show = () => { was.hidden = field.value === field.dataset.old; };
    field.addEventListener("input", show);
    button.addEventListener("click", () => { field.value = field.dataset.old; show(); field.focus(); });
  }

  // Enter confirms, where it does nothing else.
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    if (e.target.closest("a, button, summary, textarea, select, input:not([type=radio]), dialog, video")) return;
    const confirm = document.querySelector("button[data-confirm]");
    if (confirm) { e.preventDefault(); confirm.click(); }
  });
})();
