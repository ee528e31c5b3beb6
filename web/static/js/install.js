// The pages as an app: a worker that opens them without a connection, and a line
// about photos that wait.
import { kept, note, noted } from "./store.js";
import { t, tn } from "./words.js";

export function startInstalling() {
  if ("serviceWorker" in navigator && isSecureContext) {
    // After the page is drawn. A browser that knows no worker of modules goes
    // without: its queue lasts all the same.
    addEventListener("load", () => navigator.serviceWorker.register("/sw.js", { type: "module", updateViaCache: "none" }).catch(() => {}));
    translateOffline().catch(() => {}); // storage is forbidden, or there is no connection: the page stays as it is
  }
  for (const form of document.querySelectorAll("form[action='/sign-out']")) {
    // Nobody's photos are sent until someone signs in.
    form.addEventListener("submit", () => { note("observer", "").catch(() => {}); });
  }
  if (!document.querySelector("[data-upload]")) remind().catch(() => {});
}

// translateOffline keeps the page for when there is no connection in the language that
// the reader has chosen since.
async function translateOffline() {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const page = await cache.match("/offline", { ignoreVary: true });
    if (!page || page.headers.get("Content-Language") === document.documentElement.lang) continue;
    const now = await fetch("/offline");
    if (!now.ok) continue;
    await cache.delete("/offline", { ignoreVary: true });
    await cache.put("/offline", now);
  }
}

// remind says on other pages that photos wait to be sent.
async function remind() {
  if (!indexedDB.databases || (await indexedDB.databases()).every(({ name }) => name !== "fieldmark")) return;
  const observer = await noted("observer");
  const waiting = (await kept()).filter((photo) => !photo.problem && photo.observer === observer).length;
  if (waiting === 0) return;
  const line = document.createElement("p");
  line.className = "advice queue-note";
  line.append(tn("A photo waits to be sent.", "{0} photos wait to be sent.", waiting), " ");
  const link = line.appendChild(document.createElement("a"));
  link.href = "/";
  link.textContent = t("Send them");
  document.getElementById("main").prepend(line);
}
