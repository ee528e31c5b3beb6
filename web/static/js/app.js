// The pages work without this; with it, photos are sent through a queue, names are
// searched as they are typed, and keys do what the mouse does.
import { startAnnouncing } from "./announce.js";
import { startSearching } from "./combobox.js";
import { startInstalling } from "./install.js";
import { startKeys } from "./keys.js";
import { startSubnav } from "./subnav.js";

startAnnouncing();
startSearching();
startKeys();
startSubnav();
startInstalling();
