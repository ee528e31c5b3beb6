// The pages work without this; with it, photos are sent through a queue, names are
// searched as they are typed, and keys do what the mouse does.
import { startAnnouncing } from "./announce.js";
import { startSearching } from "./combobox.js";
import { startInstalling } from "./install.js";
import { startKeys } from "./keys.js";
import { startLeaving } from "./leaving.js";
import { startSubnav } from "./subnav.js";

// What a swap brings gets its behaviour and the focus within the same task: no key
// falls between.
htmx.config.defaultSettleDelay = 0;

startAnnouncing();
startSearching();
startKeys();
startSubnav();
startInstalling();
startLeaving();
