// Which of the files that were dropped or chosen are photos.
import { t } from "./words.js";

const PHOTO = /\.(jpe?g|png|gif|webp|hei[cf]|avif|tiff?|bmp)$/i;

const isPhoto = (file) => file.type.startsWith("image/") || PHOTO.test(file.name);
const isHidden = (file) => file.name.startsWith(".");

// photosOf leaves out what lies in folders beside photos, and says how much.
export function photosOf(files) {
  const photos = files.filter((file) => isPhoto(file) && !isHidden(file));
  photos.sort((a, b) => path(a).localeCompare(path(b), undefined, { numeric: true }));
  return { photos, others: files.filter((file) => !isPhoto(file) && !isHidden(file)).length };
}

const path = (file) => file.webkitRelativePath || file.name;

// dropped lists the files of a drop, those of folders included. It must be called
// while the event is dispatched: afterwards its data are gone.
export function dropped(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const folders = [];
  const files = [];
  for (const item of items) {
    const entry = item.webkitGetAsEntry?.();
    if (entry?.isDirectory) folders.push(entry);
    else files.push(item.getAsFile());
  }
  if (folders.length === 0) return Promise.resolve({ photos: files.filter(Boolean), others: 0 });
  return Promise.all(folders.map(walk)).then((lists) => photosOf([...files.filter(Boolean), ...lists.flat()]));
}

// walk lists the files below a folder.
async function walk(folder) {
  const files = [];
  const reader = folder.createReader();
  for (;;) {
    // A reader gives a hundred entries at a time, none at the end.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const entry of entries) {
      if (entry.isDirectory) files.push(...await walk(entry));
      else files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    }
  }
}

// refusal is why a file need not be sent, and what to do; "" if it may be a photo.
export function refusal(file, most) {
  if (file.size === 0) return t("This file is empty. Copy it from the camera once more.");
  if (file.size > most) {
    return t("This photo has {0} MB, and at most {1} MB are taken. Export it at a smaller size or quality.",
      Math.ceil(file.size / 1048576), Math.floor(most / 1048576));
  }
  return "";
}
