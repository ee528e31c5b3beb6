// Small pictures of photos that are not sent yet, made one at a time and only for
// what can be seen: a photo of 12 megapixels takes 50 MB while it is decoded.

const queue = [];
let busy = false;

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const wanted = waiting.get(target);
    if (!wanted) continue;
    wanted.visible = isIntersecting;
    if (isIntersecting && !wanted.queued) {
      wanted.queued = true;
      queue.push(target);
    }
  }
  next();
}, { rootMargin: "200px" });

const waiting = new Map(); // place → {file, width, visible, queued, failed}

// preview paints a photo into a place once that can be seen.
export function preview(place, file, width, failed = () => {}) {
  waiting.set(place, { file, width, failed });
  seen.observe(place);
}

// noPreview takes a place off the list.
export function noPreview(place) {
  waiting.delete(place);
  seen.unobserve(place);
}

async function next() {
  if (busy) return;
  busy = true;
  for (let place = queue.shift(); place; place = queue.shift()) {
    const wanted = waiting.get(place);
    if (!wanted) continue;
    wanted.queued = false;
    if (wanted.visible && place.isConnected) await paint(place, wanted);
  }
  busy = false;
}

async function paint(place, { file, width, failed }) {
  noPreview(place);
  try {
    const bitmap = await createImageBitmap(file, { resizeWidth: width, resizeQuality: "medium", imageOrientation: "from-image" });
    const canvas = document.createElement("canvas");
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    bitmap.close();
    place.replaceChildren(canvas);
  } catch {
    failed();
  }
}
