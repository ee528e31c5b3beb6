// Where the pages of a section do not fit in a line, it is scrolled to the one that
// is shown.

export function startSubnav() {
  for (const link of document.querySelectorAll(":is(.subnav, .tabs) [aria-current]:not([aria-current=false])")) {
    const line = link.parentElement;
    line.scrollLeft = link.offsetLeft - line.offsetLeft - (line.clientWidth - link.offsetWidth) / 2;
  }
}
