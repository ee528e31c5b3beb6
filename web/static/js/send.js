// What is sent of a photo, and what an answer means. Page and service worker share
// it; the page sends with XMLHttpRequest, which tells its progress.

export const ADDRESS = "/observations";

// bodyOf is the form of one photo. What is said of it comes before it.
export function bodyOf(photo) {
  const data = new FormData();
  data.append("observer", photo.observer);
  for (const [name, value] of Object.entries(photo.fields)) {
    if (value) data.append(name, value);
  }
  data.append("photo", photo.blob, photo.name);
  return data;
}

// verdict is what became of a photo: "sent", "known" (the same bytes were here
// already), "sign-in", "theirs" (someone else put it into the queue), "later" (try
// again) or "refused".
export function verdict(status) {
  if (status === 201) return "sent";
  if (status === 200) return "known";
  if (status === 401) return "sign-in";
  if (status === 409) return "theirs";
  if (status === 0 || status === 408 || status === 429 || status >= 500) return "later";
  return "refused";
}

// problemOf is what an answer that refuses a photo says, or its status if it says
// nothing: a worker has no page's language to say more in.
export function problemOf(html, status) {
  const found = html.match(/data-sentence[^>]*>([^<]*)</);
  if (!found) return status;
  return found[1].replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code)).replace(/&(quot|amp|lt|gt);/g,
    (_, name) => ({ quot: '"', amp: "&", lt: "<", gt: ">" })[name]);
}

// alone runs work for one photo while no other window, nor the worker, does.
export function alone(key, work) {
  if (!navigator.locks) return work(); // not a secure context: the server keeps repeats apart
  return navigator.locks.request(`fieldmark ${key}`, work);
}
