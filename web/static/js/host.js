// The host's page of a workshop, kept up to date: when its stream tells that the figures
// are others, the parts of the page that change are asked for anew. What the host has
// opened, or is about to press, stays as it is until then.

const EVERY = 2_000; // milliseconds between two askings: the stream may tell each second
const AGAIN = 10_000; // after which a stream that was refused is tried again
const PARTS = "#workshop-figures, #workshop-end, #workshop-guests > li";

const { events, page, state } = document.getElementById("workshop-figures").dataset;
const guests = document.getElementById("workshop-guests");
const anew = document.querySelector("[data-anew]");
const drawn = new Map(); // id of a part → how the server drew what is shown of it

for (const part of document.querySelectorAll(PARTS)) drawn.set(part.id, part.outerHTML);

const inUse = (part) => part.contains(document.activeElement) || part.querySelector("[open]");

// show puts a part in its place. Of a guest who is in use, what is said of them is
// renewed, and the rest later.
function show(part) {
  const there = document.getElementById(part.id);
  const html = part.outerHTML;
  if (drawn.get(part.id) === html) return;
  if (there && inUse(there)) {
    there.querySelector("[data-now]")?.replaceWith(part.querySelector("[data-now]"));
    return;
  }
  if (there) there.replaceWith(part);
  else guests.prepend(part);
  drawn.set(part.id, html);
}

async function renew() {
  const response = await fetch(page, { headers: { "HX-Request": "true" } });
  if (!response.ok) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = await response.text();
  if (fresh.content.getElementById("workshop-figures").dataset.state !== state) {
    location.assign(page); // where a code was made the address is of a form that was sent
    return;
  }
  // The latest guest stands first, so the earliest of those who are new is put there first.
  for (const part of [...fresh.content.querySelectorAll(PARTS)].reverse()) show(part);
}

let asked = 0; // when it was asked last
let waiting = false;

function soon() {
  if (waiting) return;
  waiting = true;
  setTimeout(async () => {
    asked = Date.now();
    await renew().catch(() => {}); // the stream tells that the connection is lost, and when it is back
    waiting = false;
  }, Math.max(0, asked + EVERY - Date.now()));
}

function listen() {
  const source = new EventSource(events);
  source.addEventListener("figures", soon); // told when the stream begins, too
  source.addEventListener("again", () => {
    source.close();
    listen();
  });
  source.addEventListener("open", () => anew.classList.add("unscripted"));
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    anew.classList.remove("unscripted");
    setTimeout(listen, AGAIN);
  });
}

listen();
