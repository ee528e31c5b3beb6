// The pages work without this; with it, photos upload with a progress bar,
// names are searched as they are typed, and keys do what the mouse does.
import { startAnnouncing } from "./announce.js";
import { startSearching } from "./combobox.js";
import { startKeys } from "./keys.js";
import { startUploads } from "./upload.js";

startAnnouncing();
startSearching();
startKeys();
for (const form of document.querySelectorAll("[data-upload]")) startUploads(form);
