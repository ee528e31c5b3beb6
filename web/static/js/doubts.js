// Doubts by the keyboard: k keeps, r renames, w withdraws, u undoes what was done
// last, j and the arrows move. After each the next doubt has the focus.
import { quiet } from "./keys.js";

const list = () => [...document.querySelectorAll("[data-doubt]")];

// current is the doubt that keys speak to: the one with the focus, else the first.
const current = () => document.activeElement?.closest?.("[data-doubt]") ?? list()[0];

function focus(doubt) {
  if (!doubt) return;
  doubt.focus({ preventScroll: true });
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  doubt.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

function step(by) {
  const all = list();
  const at = all.indexOf(document.activeElement?.closest?.("[data-doubt]"));
  focus(all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

function press(button) {
  button?.click();
  return Boolean(button);
}

function rename(doubt) {
  const fold = doubt?.querySelector(".doubt-rename");
  if (!fold) return false;
  fold.open = true;
  fold.querySelector("[data-search]").focus();
  return true;
}

function act(key) {
  switch (key) {
    case "k": return press(current()?.querySelector("[data-keep]"));
    case "w": return press(current()?.querySelector("[data-withdraw]"));
    case "r": return rename(current());
    case "u": return press(document.querySelector("[data-doubt-undo]"));
    case "j": case "ArrowDown": return step(1), true;
    case "ArrowUp": return step(-1), true;
  }
  return false;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches?.("[data-search]")) {
    const doubt = event.target.closest("[data-doubt]");
    doubt.querySelector(".doubt-rename").open = false;
    focus(doubt);
    return;
  }
  if (!event.repeat && !quiet(event) && act(event.key)) event.preventDefault();
});

// What is asked again has the focus; else, after something was done, the doubt that
// came next, or whichever is first.
const asked = document.querySelector("[data-doubt] [aria-invalid], [data-doubt] .matches button");
const next = location.hash ? document.getElementById(location.hash.slice(1)) : null;
if (asked) asked.focus();
else if (next?.matches("[data-doubt]")) focus(next);
else if (document.querySelector("[data-settled]")) focus(list()[0]);

// While the memory is judged for the first time there is nothing to disturb.
if (document.querySelector("[data-working]") && list().length === 0) setTimeout(() => location.reload(), 2000);
