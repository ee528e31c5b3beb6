// The queue of photos: kept in the browser, sent a few at a time, and sent again
// until each has its answer. It shows nothing; it tells its listeners.
import { forget, isKept, keep, kept } from "./store.js";
import { ADDRESS, alone, bodyOf, problemOf, verdict } from "./send.js";

const AT_ONCE = 3;
const SOONEST = 2_000; // milliseconds until a photo that was not answered is tried again
const LATEST = 60_000;
const TRIES = 4; // after which a photo that makes the server fail is put aside
const STALLED = 90_000; // milliseconds without a byte or an answer after which a photo is tried again

// A photo of the queue has: key, number, observer, name, fields, blob; state
// ("waiting", "sending", "sent", "known", "refused", "removed"); part (of its bytes
// that are sent, 0 to 1); problem (a sentence, or the status of an answer that had
// none); hopeless (to send it again would not help);
// answer (HTML); safe (it is in the store).
export class Queue extends EventTarget {
  photos = [];
  paused = false;
  lost = false; // there is no connection
  signIn = ""; // where to sign in again, "" if that is not needed
  full = false; // the browser keeps no more: the rest is lost with this page
  #running = 0;
  #wait = SOONEST;
  #timer = 0;

  constructor(observer) {
    super();
    this.observer = observer;
    addEventListener("online", () => this.resume());
    addEventListener("offline", () => this.#lose());
  }

  // load takes up what an earlier page left, and what another window added.
  async load() {
    const have = new Set(this.photos.map((photo) => photo.key));
    const list = (await kept()).filter((photo) => !have.has(photo.key) && (!photo.observer || photo.observer === this.observer));
    for (const photo of list) Object.assign(photo, { state: photo.problem ? "refused" : "waiting", part: 0, safe: true });
    this.#take(list);
    return list.length;
  }

  // add puts files into the queue.
  add(files, fields) {
    const first = Date.now() * 1000;
    const photos = files.map((blob, i) => ({
      key: newKey(), number: first + i, observer: this.observer, name: blob.name, fields, blob, state: "waiting", part: 0, safe: false,
    }));
    this.#take(photos);
    this.#keep(photos);
    return photos;
  }

  // refuse lists a file that need not be sent.
  refuse(file, problem, row) {
    this.#take([{ key: newKey(), number: Date.now() * 1000, observer: this.observer, name: file.name, fields: { row }, blob: file,
      state: "refused", part: 0, safe: false, problem, hopeless: true }]);
  }

  #take(photos) {
    if (photos.length === 0) return;
    this.photos.push(...photos);
    this.#tell("added", photos);
    this.#next();
  }

  // #keep stores photos one after the other, in the order in which they are sent.
  async #keep(photos) {
    for (const photo of photos) {
      if (photo.state !== "waiting" && photo.state !== "sending") continue;
      try {
        await keep(record(photo));
        photo.safe = true;
        if (photo.state !== "waiting" && photo.state !== "sending") await forget(photo.key);
      } catch {
        this.full = true;
      }
    }
    this.#tell("changed");
  }

  // unsafe is how many photos would be lost with this page.
  get unsafe() {
    return this.photos.filter((photo) => !photo.safe && (photo.state === "waiting" || photo.state === "sending")).length;
  }

  count(...states) {
    return this.photos.reduce((n, photo) => n + states.includes(photo.state), 0);
  }

  pause() {
    this.paused = true;
    this.#tell("changed");
  }

  resume() {
    clearTimeout(this.#timer);
    this.paused = false;
    this.lost = false;
    this.signIn = "";
    this.#next();
    this.#tell("changed");
  }

  // cancel takes off the list what is not sent yet; restore puts it back.
  cancel() {
    for (const photo of this.photos) if (photo.state === "waiting") this.#become(photo, "removed");
    for (const photo of this.photos) if (photo.state === "removed" && photo.safe) this.#drop(photo);
    this.#tell("changed");
  }

  restore() {
    const photos = this.photos.filter((photo) => photo.state === "removed");
    for (const photo of photos) this.#become(photo, "waiting");
    this.#keep(photos);
    this.resume();
  }

  retry(photos) {
    for (const photo of photos) {
      photo.problem = "";
      this.#become(photo, "waiting");
    }
    this.#keep(photos);
    this.resume();
  }

  // clear forgets what is over: what was answered, refused or taken off.
  clear() {
    for (const photo of this.photos) if (photo.state === "refused" && photo.safe) this.#drop(photo);
    this.photos = this.photos.filter((photo) => photo.state === "waiting" || photo.state === "sending");
    this.#tell("changed");
  }

  remove(photo) {
    if (photo.safe) this.#drop(photo);
    this.photos.splice(this.photos.indexOf(photo), 1);
    this.#tell("changed");
  }

  #drop(photo) {
    photo.safe = false;
    forget(photo.key).catch(() => {});
  }

  #become(photo, state) {
    photo.state = state;
    photo.part = 0;
    this.#tell("photo", photo);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #next() {
    while (!this.paused && !this.lost && !this.signIn && this.#running < AT_ONCE) {
      const photo = this.photos.find((p) => p.state === "waiting");
      if (!photo) return;
      this.#running++;
      this.#become(photo, "sending");
      alone(photo.key, () => this.#send(photo)).finally(() => {
        this.#running--;
        this.#next();
        this.#tell("changed");
      });
    }
  }

  async #send(photo) {
    if (photo.safe && !(await isKept(photo.key))) {
      this.#become(photo, "sent"); // by another window or the worker
      return;
    }
    const found = await uploaded(photo).catch(() => null);
    const { status, text, to, after = 0 } = found ?? await this.#post(photo);
    const what = verdict(status);
    switch (what) {
      case "sent": case "known":
        this.#wait = SOONEST;
        photo.answer = text;
        if (photo.safe) await forget(photo.key).catch(() => {});
        photo.safe = false;
        this.#become(photo, what);
        return;
      case "sign-in":
        this.signIn = to || "/sign-in";
        break;
      case "later":
        photo.tries = (photo.tries ?? 0) + (status >= 500 && status !== 503);
        if (photo.tries < TRIES) {
          this.#lose(after);
          break;
        }
        photo.tries = 0;
        // falls through: the others shall not wait for one that the server cannot take
      default:
        photo.problem = problemOf(text, status);
        photo.hopeless = what === "refused";
        this.#become(photo, "refused");
        if (photo.safe && what !== "theirs") await keep(record(photo)).catch(() => {});
        return;
    }
    this.#become(photo, "waiting");
  }

  // #lose waits for the connection, and looks for it now and then: "online" says
  // only that there is some network. A server that has too much to do says after how
  // many milliseconds to come again.
  #lose(after = 0) {
    if (this.lost) return;
    this.lost = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.lost = false;
      this.#next();
      this.#tell("changed");
    }, Math.max(this.#wait, after));
    this.#wait = Math.min(LATEST, 2 * this.#wait);
    this.#tell("lost");
    this.#tell("changed");
  }

  #post(photo) {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      let stalled = setTimeout(() => request.abort(), STALLED);
      request.open("POST", ADDRESS);
      request.setRequestHeader("HX-Request", "true");
      request.upload.addEventListener("progress", (event) => {
        if (!event.lengthComputable) return;
        photo.part = event.loaded / event.total;
        clearTimeout(stalled);
        stalled = setTimeout(() => request.abort(), STALLED);
        this.#tell("part", photo);
      });
      request.addEventListener("loadend", () => {
        clearTimeout(stalled);
        resolve({ status: request.status, text: request.responseText, to: request.getResponseHeader("HX-Redirect"),
          after: 1000 * (Number(request.getResponseHeader("Retry-After")) || 0) });
      });
      request.send(bodyOf(photo));
    });
  }
}

// record is what is stored of a photo.
const record = ({ key, number, observer, name, fields, blob, problem, hopeless }) => ({ key, number, observer, name, fields, blob, problem, hopeless });

// newKey is a random UUID, which crypto.randomUUID gives in secure contexts only.
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// uploaded asks, before a photo is sent, whether its bytes came already, so that
// they need not travel again; null if not, or if that cannot be told.
async function uploaded({ blob, fields }) {
  if (!crypto.subtle || fields.again) return null; // the server finds it out
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  const hash = [...digest].map((b) => b.toString(16).padStart(2, "0")).join("");
  const query = new URLSearchParams(["row", "label_set", "label"].filter((name) => fields[name]).map((name) => [name, fields[name]]));
  const response = await fetch(`${ADDRESS}/uploaded/${hash}?${query}`, { headers: { "HX-Request": "true" } });
  return response.status === 200 ? { status: 200, text: await response.text() } : null;
}
