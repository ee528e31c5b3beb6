// Keys for what the hand does most. They can be switched off (WCAG 2.1.4), and
// are silent wherever text is typed.

const OFF = "fieldmark-keys-off";
let last = null; // the card that had the focus last

const cards = () => [...document.querySelectorAll("[data-card]")];

// current is the card that keys speak to.
function current() {
  const focused = document.activeElement?.closest?.("[data-card]");
  if (focused) return focused;
  const list = cards();
  return list.find((card) => card.id === last) ?? list[0];
}

function focus(card) {
  if (!card) return;
  card.focus();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  card.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

function step(by) {
  const list = cards();
  const index = list.indexOf(document.activeElement?.closest?.("[data-card]"));
  focus(list[Math.min(list.length - 1, Math.max(0, index < 0 ? 0 : index + by))]);
}

function search(card) {
  const field = card?.querySelector("[data-search]");
  if (!field) return false;
  const fold = field.closest("details");
  if (fold) fold.open = true;
  field.focus();
  field.select();
  return true;
}

// press clicks a button of the card if it can be seen.
function press(card, selector) {
  const button = card?.querySelector(selector);
  if (!button || !button.checkVisibility() || button.closest(".htmx-request")) return false;
  // What was swapped in a moment ago htmx has not taken over yet; its form
  // would be sent as without JavaScript, and the page be left.
  htmx.process(card);
  button.click();
  return true;
}

function why(card) {
  const fold = card?.querySelector("[data-why]");
  if (fold) fold.open = !fold.open;
  return Boolean(fold);
}

// move goes to the next or the previous card, or follows the link to it.
function move(by, letter) {
  if (cards().length > 1) return step(by), true;
  return letter && press(document.body, by > 0 ? "[data-next]" : "[data-previous]");
}

// act does what a key stands for, and tells whether it stands for anything.
function act(key) {
  switch (key) {
    case "1": case "2": case "3": return press(current(), `[data-accept="${key}"]`);
    case "/": return search(current());
    case "u": return press(current(), "[data-undo]") || press(document.body, "[data-undo-last]");
    case "s": return press(current(), "[data-skip]");
    case "x": return press(current(), "[data-aside]");
    case "g": return press(current(), "[data-group]");
    case "w": return why(current());
    case "j": case "ArrowDown": return move(1, key === "j");
    case "k": case "ArrowUp": return move(-1, key === "k");
    case "?": document.getElementById("keys").showModal(); return true;
  }
  return false;
}

const typing = (target) => target.closest?.("input:not([type=checkbox], [type=file]), textarea, select, dialog, [contenteditable]");

function off() {
  try { return localStorage.getItem(OFF) === "1"; } catch { return false; }
}

// silent says that a key is for the browser, or single keys are off.
export function silent(event) {
  return event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || off();
}

// quiet says that a key is not for the page: it goes to a field or to the browser,
// or single keys are off.
export function quiet(event) {
  return silent(event) || Boolean(typing(event.target));
}

export function startKeys() {
  const toggle = document.querySelector("[data-keys-on]");
  toggle.checked = !off();
  toggle.addEventListener("change", () => {
    try { localStorage.setItem(OFF, toggle.checked ? "" : "1"); } catch { /* storage is forbidden: on until the page goes */ }
  });
  document.addEventListener("keydown", (event) => {
    if (!quiet(event) && act(event.key)) event.preventDefault();
  });
  document.addEventListener("focusin", (event) => {
    const id = event.target.closest?.("[data-card]")?.id;
    if (!id || id === last) return;
    last = id;
    history.replaceState({ ...history.state, card: id }, ""); // for who goes to another page and comes back
  });
  const before = document.getElementById(history.state?.card ?? "");
  if (before && document.activeElement === document.body) before.focus({ preventScroll: true });
  for (const button of document.querySelectorAll("[data-keys-open]")) {
    button.addEventListener("click", () => document.getElementById("keys").showModal());
  }
}
