// Where the next page is long in coming, a sign says that it is on its way.
import { say } from "./announce.js";
import { t } from "./words.js";

const SOON = 600; // milliseconds within which a page comes without a sign

let timer = 0;

function sign() {
  document.documentElement.dataset.leaving = "";
  say(t("Working …"));
}

function stay() {
  clearTimeout(timer);
  delete document.documentElement.dataset.leaving;
}

function leave() {
  clearTimeout(timer);
  timer = setTimeout(sign, SOON);
}

// isFile says whether an address is one of a file, which is saved beside the page.
const isFile = (path) => /\.\w+$/.test(path);

// leads says whether a click on a link leads to another page in this window.
function leads(event, link) {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  if (link.target || link.hasAttribute("download") || link.origin !== location.origin || isFile(link.pathname)) return false;
  return link.pathname !== location.pathname || link.search !== location.search || !link.hash;
}

export function startLeaving() {
  // At the window, after whoever sends a form or follows a link by itself.
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (link && !event.defaultPrevented && leads(event, link)) leave();
  });
  addEventListener("submit", (event) => {
    const form = event.target;
    if (!event.defaultPrevented && form.method !== "dialog" && !isFile(new URL(form.action).pathname)) leave();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") stay();
  });
  addEventListener("pageshow", stay); // come back to
}
