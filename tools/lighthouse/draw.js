// Drawings of flowers and beetles on foliage, made by the browser's canvas, each
// unlike the others.

/* global document */
async function drawn(n) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 960, height: 720 });
  const g = canvas.getContext("2d");
  const blot = (x, y, rx, ry, turn, colour) => {
    g.fillStyle = colour;
    g.beginPath();
    g.ellipse(x, y, rx, ry, turn, 0, 7);
    g.fill();
  };
  const photos = [];
  for (let i = 0; i < n; i++) {
    g.fillStyle = `hsl(${90 + (i % 5) * 9} 35% 30%)`;
    g.fillRect(0, 0, 960, 720);
    for (let k = 0; k < 40; k++) blot((k * 397 + i * 61) % 960, (k * 251 + i * 83) % 720, 60 + (k % 5) * 20, 40, k, `hsl(${80 + k} 40% ${28 + (k % 4) * 6}% / 0.6)`);
    const [x, y] = [400 + (i % 4) * 40, 330 + (i % 3) * 30];
    if (i % 2) {
      for (let k = 0; k < 17; k++) blot(x + 110 * Math.cos(k * 0.37), y + 110 * Math.sin(k * 0.37), 90, 18, k * 0.37, "#f4f1ea");
      blot(x, y, 55, 55, 0, "#e8b51e");
    } else {
      blot(x, y - 120, 70, 50, 0, "#181614");
      blot(x, y, 150, 170, 0, "#c6281a");
      for (const [dx, dy] of [[0, -110], [-75, -50], [75, -50], [-55, 40], [55, 40], [-60, 110], [60, 110]]) blot(x + dx, y + dy, 28, 28, 0, "#181614");
    }
    photos.push(canvas.toDataURL("image/jpeg", 0.88).split(",")[1]);
  }
  return photos;
}

// draw lets the browser draw n photos and resolves to their bytes.
export async function draw(browser, n) {
  const page = await browser.newPage();
  const photos = await page.evaluate(drawn, n);
  await page.close();
  return photos.map((text) => Buffer.from(text, "base64"));
}
