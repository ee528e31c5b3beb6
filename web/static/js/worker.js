// The service worker. It keeps the files that all pages share, by their digest, and
// one page for when there is no connection; it never keeps a page with anybody's
// data, a photo or an answer. When the connection is back it sends what waits,
// where the browser wakes it for that.
import { alone, ADDRESS, bodyOf, problemOf, verdict } from "./send.js";
import { forget, isKept, keep, kept, noted } from "./store.js";

const OFFLINE = "/offline";

// start is called by /sw.js, which names the files of this build.
export function start(version, files) {
  const name = `fieldmark-${version}`;
  const known = new Set(files);

  self.addEventListener("install", (event) => event.waitUntil(install(name, files)));
  self.addEventListener("activate", (event) => event.waitUntil(activate(name)));
  self.addEventListener("sync", (event) => {
    if (event.tag === "photos") event.waitUntil(drain());
  });
  self.addEventListener("fetch", (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== location.origin) return;
    if (request.mode === "navigate") event.respondWith(page(event, name));
    else if (url.pathname !== OFFLINE && known.has(url.pathname)) event.respondWith(file(request, name));
  });
}

async function install(name, files) {
  const cache = await caches.open(name);
  await cache.addAll(files);
  await self.skipWaiting(); // pages come from the server with its files: none mixes versions
}

async function activate(name) {
  for (const other of await caches.keys()) if (other !== name) await caches.delete(other);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

const stored = async (address, name) => (await caches.open(name)).match(address, { ignoreVary: true });

// page comes from the server, always.
async function page(event, name) {
  try {
    return (await event.preloadResponse) ?? await fetch(event.request);
  } catch {
    return (await stored(OFFLINE, name)) ?? Response.error();
  }
}

// file never changes under its address.
const file = async (request, name) => (await stored(request, name)) ?? fetch(request);

// drain sends what waits of whoever was here last. The server refuses it if someone
// else is signed in by now. It throws while there is no connection, so that the
// browser wakes the worker again.
async function drain() {
  const observer = await noted("observer");
  const photos = (await kept()).filter((photo) => !photo.problem && photo.observer === observer);
  for (const photo of photos) {
    const going = await alone(photo.key, () => send(photo));
    if (!going) break;
  }
  for (const client of await self.clients.matchAll()) client.postMessage("sent");
}

// send sends one photo, and tells whether the next may be tried.
async function send(photo) {
  if (!(await isKept(photo.key))) return true; // by a page, meanwhile
  const response = await fetch(ADDRESS, { method: "POST", headers: { "HX-Request": "true" }, body: bodyOf(photo) });
  switch (verdict(response.status)) {
    case "sent": case "known":
      await forget(photo.key);
      return true;
    case "refused":
      await keep({ ...photo, problem: problemOf(await response.text(), response.status), hopeless: true });
      return true;
    case "later":
      throw new Error(`the server answered with ${response.status}`);
  }
  return false; // somebody has to sign in
}
