// Photos that wait to be sent, in IndexedDB: a reload, a closed tab or a lost
// connection loses none. Page and service worker share it.

const NAME = "fieldmark";
const PHOTOS = "photos"; // by key: {key, number, observer, name, fields, blob, problem}
const NOTES = "notes"; // by name

let opening;

function open() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(PHOTOS, { keyPath: "key" });
      request.result.createObjectStore(NOTES);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

// within runs one transaction and resolves, once it is durable, to the result of
// the request that work returns.
async function within(name, mode, work) {
  const db = await open();
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode, { durability: "strict" });
    const request = work(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error ?? request?.error);
  });
}

// keep stores a photo, or stores it anew.
export const keep = (photo) => within(PHOTOS, "readwrite", (store) => store.put(photo));

export const forget = (key) => within(PHOTOS, "readwrite", (store) => store.delete(key));

export const isKept = async (key) => (await within(PHOTOS, "readonly", (store) => store.count(key))) > 0;

// kept lists all photos in the order in which they were added.
export async function kept() {
  const list = await within(PHOTOS, "readonly", (store) => store.getAll());
  return list.sort((a, b) => a.number - b.number);
}

export const note = (name, value) => within(NOTES, "readwrite", (store) => store.put(value, name));

export const noted = (name) => within(NOTES, "readonly", (store) => store.get(name));
