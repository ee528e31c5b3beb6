// Where the pages of a section do not fit in a line, it is scrolled to the one that
// is shown.

export function startSubnav() {
  for (const link of document.querySelectorAll(".subnav [aria-current=page]")) {
    const line = link.parentElement;
    line.scrollLeft = link.offsetLeft - line.offsetLeft - (line.clientWidth - link.offsetWidth) / 2;
  }
}
