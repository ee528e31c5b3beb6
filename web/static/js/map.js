// The map of the memory on a canvas: dragged, wheeled and pinched, or moved by the
// arrow keys, + and −. Zoomed in far enough dots become photos; a click opens one.
import { t } from "./words.js";

const COLOURS = 9;
const THUMB_FROM = 30; // pixels between a dot and its neighbour, about, from which photos are shown
const MOST_THUMBS = 150; // at once
const REACH = 14; // pixels from a dot within which it is meant

const still = document.querySelector("[data-map-still]");
const live = document.querySelector("[data-map-live]");
const frame = document.querySelector("[data-map]");
if (frame) start().catch(() => {}); // without points the drawing stays

async function start() {
  const response = await fetch(frame.dataset.map);
  if (!response.ok) return;
  const data = await response.json();
  live.hidden = false;
  still.hidden = true;
  new Chart(data);
}

class Chart {
  constructor(data) {
    this.data = data;
    this.bare = new Set(data.bare);
    this.canvas = live.querySelector("[data-map-canvas]");
    this.said = live.querySelector("[data-map-said]");
    this.context = this.canvas.getContext("2d");
    this.thumbs = new Map(); // photos by point, in the order of their use
    this.pointers = new Map();
    this.hovered = -1;
    this.cells = grid(data);
    this.colours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colours(); this.draw(); });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.listen();
    this.resize();
    this.all();
  }

  // colours reads those of the page's style.
  colours() {
    const style = getComputedStyle(frame);
    this.fill = Array.from({ length: COLOURS }, (_, i) => style.getPropertyValue(`--map-${i}`).trim());
    const root = getComputedStyle(document.documentElement);
    this.ink = root.getPropertyValue("--ink").trim();
    this.paper = root.getPropertyValue("--sheet").trim();
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.ratio = ratio;
    if (this.scale) this.draw();
  }

  // all shows the whole map.
  all() {
    this.least = Math.min(this.width, this.height) / this.data.side;
    this.scale = this.least;
    this.x = this.data.side / 2;
    this.y = this.data.side / 2;
    this.draw();
  }

  // to shows a place of the map, and so much about it.
  to(x, y, radius) {
    this.x = x;
    this.y = y;
    this.scale = Math.min(this.least * 60, Math.min(this.width, this.height) / (2.4 * Math.max(radius, 80)));
    this.draw();
  }

  // zoom keeps the place that is at a pixel where it is.
  zoom(by, px = this.width / 2, py = this.height / 2) {
    const scale = Math.max(this.least * 0.6, Math.min(this.least * 120, this.scale * by));
    this.x += (px - this.width / 2) * (1 / this.scale - 1 / scale);
    this.y += (py - this.height / 2) * (1 / this.scale - 1 / scale);
    this.scale = scale;
    this.draw();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.draw();
  }

  place(i) {
    return [(this.data.x[i] - this.x) * this.scale + this.width / 2, (this.data.y[i] - this.y) * this.scale + this.height / 2];
  }

  // visible calls visit for the points on the canvas, and somewhat beyond.
  visible(visit, margin = 40) {
    const half = [(this.width / 2 + margin) / this.scale, (this.height / 2 + margin) / this.scale];
    this.cells.within(this.x - half[0], this.y - half[1], this.x + half[0], this.y + half[1], visit);
  }

  // draw draws once before the next frame, however often it is called.
  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = 0; this.paint(); });
  }

  paint() {
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    const seen = [];
    this.visible((i) => { seen.push(i); });
    const size = Math.max(2.5, Math.min(9, 3.2 * Math.sqrt(this.scale / this.least)));
    if (!this.photos(c, seen)) this.dots(c, seen, size);
    if (this.hovered >= 0) this.mark(c, this.hovered, size);
  }

  dots(c, seen, size) {
    const paths = Array.from({ length: COLOURS }, () => new Path2D());
    for (const i of seen) {
      const [px, py] = this.place(i);
      const colour = this.data.colour[this.data.name[i]];
      SHAPES[colour](paths[colour], px, py, colour === COLOURS - 1 ? size * 0.6 : size);
    }
    c.globalAlpha = 0.85;
    paths.forEach((path, colour) => { c.fillStyle = this.fill[colour]; c.fill(path); });
    c.globalAlpha = 1;
  }

  // photos draws photos instead of dots, where there are few enough; false if not.
  photos(c, seen) {
    const room = Math.sqrt((this.width * this.height) / Math.max(1, seen.length));
    if (seen.length > MOST_THUMBS || (room < THUMB_FROM * 2 && this.scale < this.least * 8) || this.scale < this.least * 2.5) return false;
    const side = Math.max(36, Math.min(96, room * 0.55));
    for (const i of seen) {
      const [px, py] = this.place(i);
      const image = this.photo(i);
      const colour = this.fill[this.data.colour[this.data.name[i]]];
      c.fillStyle = colour;
      c.fillRect(px - side / 2 - 2, py - side / 2 - 2, side + 4, side + 4);
      if (image?.complete && image.naturalWidth) cover(c, image, px - side / 2, py - side / 2, side);
      else {
        c.fillStyle = this.paper;
        c.fillRect(px - side / 2, py - side / 2, side, side);
      }
    }
    return true;
  }

  // photo is the thumbnail of a point, once it has come.
  photo(i) {
    if (this.bare.has(i)) return null;
    let image = this.thumbs.get(i);
    if (!image) {
      image = new Image();
      image.onload = () => this.draw();
      image.src = `/observations/${this.data.id[i]}/photo?size=thumb`;
      if (this.thumbs.size > 4 * MOST_THUMBS) this.thumbs.delete(this.thumbs.keys().next().value);
    } else this.thumbs.delete(i);
    this.thumbs.set(i, image);
    return image;
  }

  mark(c, i, size) {
    const [px, py] = this.place(i);
    c.strokeStyle = this.ink;
    c.lineWidth = 2;
    c.beginPath();
    c.arc(px, py, size + 6, 0, 2 * Math.PI);
    c.stroke();
  }

  // near is the point nearest to a pixel; −1 if none is within reach.
  near(px, py, reach = REACH) {
    let best = -1;
    let least = reach * reach;
    this.visible((i) => {
      const [x, y] = this.place(i);
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d <= least) [best, least] = [i, d];
    });
    return best;
  }

  hover(i) {
    if (i === this.hovered) return;
    this.hovered = i;
    this.said.textContent = i < 0 ? "" : this.words(i);
    this.canvas.style.cursor = i < 0 ? "" : "pointer";
    this.draw();
  }

  words(i) {
    const name = this.data.names[this.data.name[i]];
    const group = this.data.legend[this.data.colour[this.data.name[i]]];
    return name + (group && group !== name ? `, ${group}` : "") + (this.bare.has(i) ? `, ${t("without a photo")}` : "");
  }

  open(i) {
    if (i >= 0) location.assign(`/observations/${this.data.id[i]}`);
  }

  // middle says what is in the middle of the canvas, for those who move by keys.
  middle() {
    this.hover(this.near(this.width / 2, this.height / 2, 60));
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => { if (!this.pointers.size) this.hover(-1); });
    canvas.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key)) event.preventDefault(); });
    live.querySelector("[data-map-in]").addEventListener("click", () => this.zoom(1.6));
    live.querySelector("[data-map-out]").addEventListener("click", () => this.zoom(1 / 1.6));
    live.querySelector("[data-map-all]").addEventListener("click", () => this.all());
    for (const link of document.querySelectorAll("[data-map-to]")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.to(Number(link.dataset.x), Number(link.dataset.y), Number(link.dataset.r));
        canvas.focus({ preventScroll: true });
        live.scrollIntoView({ block: "nearest" });
        this.said.textContent = link.textContent;
      });
    }
    document.querySelector("[data-map-by]")?.addEventListener("change", (event) => event.target.form.requestSubmit());
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.pointers.size === 1) this.moved = 0;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.hover(this.near(event.offsetX, event.offsetY));
      return;
    }
    const now = [event.offsetX, event.offsetY];
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    if (others.length > 0) {
      const apart = ([x, y]) => Math.max(1, Math.hypot(x - others[0][0], y - others[0][1]));
      this.zoom(apart(now) / apart(before), (now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2);
      this.moved = Infinity;
    } else {
      this.pan(now[0] - before[0], now[1] - before[1]);
      this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    }
    this.pointers.set(event.pointerId, now);
  }

  up(event) {
    const known = this.pointers.delete(event.pointerId);
    if (known && event.type === "pointerup" && this.moved < 6 && this.pointers.size === 0) {
      this.open(this.near(event.offsetX, event.offsetY, 24));
    }
  }

  key(key) {
    const step = 60;
    switch (key) {
      case "ArrowLeft": this.pan(step, 0); break;
      case "ArrowRight": this.pan(-step, 0); break;
      case "ArrowUp": this.pan(0, step); break;
      case "ArrowDown": this.pan(0, -step); break;
      case "+": case "=": this.zoom(1.4); break;
      case "-": case "−": this.zoom(1 / 1.4); break;
      case "0": this.all(); break;
      case "Enter": this.open(this.near(this.width / 2, this.height / 2, 60)); return true;
      default: return false;
    }
    this.middle();
    return true;
  }
}

// SHAPES draw a dot of each colour into a path: the same as swatches have.
const polygon = (points) => (path, x, y, r) => {
  points.forEach(([px, py], i) => (i ? path.lineTo(x + px * r, y + py * r) : path.moveTo(x + px * r, y + py * r)));
  path.closePath();
};
const disc = (path, x, y, r) => { path.moveTo(x + r, y); path.arc(x, y, r, 0, 2 * Math.PI); };
const SHAPES = [
  disc,
  polygon([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
  polygon([[0, -1.15], [1.1, 0.85], [-1.1, 0.85]]),
  polygon([[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]]),
  polygon([[0, 1.15], [1.1, -0.85], [-1.1, -0.85]]),
  polygon([[-0.35, -1.1], [0.35, -1.1], [0.35, -0.35], [1.1, -0.35], [1.1, 0.35], [0.35, 0.35], [0.35, 1.1], [-0.35, 1.1], [-0.35, 0.35], [-1.1, 0.35], [-1.1, -0.35], [-0.35, -0.35]]),
  polygon([[-1.1, -0.4], [1.1, -0.4], [1.1, 0.4], [-1.1, 0.4]]),
  polygon([[-0.4, -1.1], [0.4, -1.1], [0.4, 1.1], [-0.4, 1.1]]),
  disc,
];

// cover draws the middle of an image into a square.
function cover(c, image, x, y, side) {
  const least = Math.min(image.naturalWidth, image.naturalHeight);
  c.drawImage(image, (image.naturalWidth - least) / 2, (image.naturalHeight - least) / 2, least, least, x, y, side, side);
}

// grid finds the points of a rectangle without looking at all of them.
function grid(data) {
  const size = data.side / 64;
  const cells = new Map();
  const key = (cx, cy) => cx * 100003 + cy;
  let [lowX, lowY, highX, highY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < data.x.length; i++) {
    const cx = Math.floor(data.x[i] / size);
    const cy = Math.floor(data.y[i] / size);
    [lowX, lowY, highX, highY] = [Math.min(lowX, cx), Math.min(lowY, cy), Math.max(highX, cx), Math.max(highY, cy)];
    if (!cells.has(key(cx, cy))) cells.set(key(cx, cy), []);
    cells.get(key(cx, cy)).push(i);
  }
  return {
    within(x0, y0, x1, y1, visit) {
      for (let cx = Math.max(lowX, Math.floor(x0 / size)); cx <= Math.min(highX, Math.floor(x1 / size)); cx++) {
        for (let cy = Math.max(lowY, Math.floor(y0 / size)); cy <= Math.min(highY, Math.floor(y1 / size)); cy++) {
          for (const i of cells.get(key(cx, cy)) ?? []) visit(i);
        }
      }
    },
  };
}
