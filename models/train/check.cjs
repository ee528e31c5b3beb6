// Runs an encoder folder in ONNX Runtime and compares it with parity.json (which torch wrote): differences relative to the norm.
//   node check.cjs FOLDER        where onnxruntime-node is installed in the current directory
const fs = require("fs"), path = require("path");
const ort = require(require.resolve("onnxruntime-node", { paths: [process.cwd()] }));

const draw = {
  gradient: (x, y) => [(x * 255) / 159, (y * 255) / 159, ((x + y) * 255) / 318],
  circle: (x, y) => ((x - 80) ** 2 + (y - 70) ** 2 < 45 ** 2 ? [200, 40, 30] : [30, 90 + Math.floor(y / 2), 40]),
  checks: (x, y) => ((Math.floor(x / 20) + Math.floor(y / 20)) % 2 === 0 ? [240, 200, 20] : [20, 20, 60]),
};

function pixels(name, size) {
  const out = new Float32Array(3 * size * size);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      draw[name](x, y).forEach((v, c) => { out[(c * size + y) * size + x] = (Math.floor(v) / 255 - 0.5) / 0.5; });
  return out;
}

const furthest = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

(async () => {
  const folder = process.argv[2];
  const parity = JSON.parse(fs.readFileSync(path.join(folder, "parity.json")));
  const one = { intraOpNumThreads: 1 };
  const visual = await ort.InferenceSession.create(path.join(folder, "visual.onnx"), one);
  const text = await ort.InferenceSession.create(path.join(folder, "text.onnx"), one);
  let worstImage = 0, worstText = 0;
  for (const image of parity.images) {
    const input = new ort.Tensor("float32", pixels(image.name, parity.size), [1, 3, parity.size, parity.size]);
    const v = (await visual.run({ image: input })).embedding.data;
    worstImage = Math.max(worstImage, furthest(image.first, v) / image.norm, Math.abs(Math.hypot(...v) / image.norm - 1));
  }
  const ids = new ort.Tensor("int64", BigInt64Array.from(parity.names.flatMap((n) => n.ids.map(BigInt))), [parity.names.length, parity.names[0].ids.length]);
  const t = (await text.run({ input_ids: ids })).embedding;
  parity.names.forEach((n, i) => { worstText = Math.max(worstText, furthest(n.first, t.data.subarray(i * t.dims[1]))); });
  const input = new ort.Tensor("float32", pixels("circle", parity.size), [1, 3, parity.size, parity.size]);
  const times = [];
  for (let i = 0; i < 30; i++) { const t0 = performance.now(); await visual.run({ image: input }); times.push(performance.now() - t0); }
  times.sort((a, b) => a - b);
  const t0 = performance.now();
  await text.run({ input_ids: ids });
  console.log({ worstImage, worstText, image_ms_one_thread: +times[15].toFixed(1), [`${parity.names.length}_names_ms`]: +(performance.now() - t0).toFixed(1) });
  if (worstImage > 5e-4 || worstText > 1e-4) { console.error("differs from torch"); process.exit(1); }
})();
