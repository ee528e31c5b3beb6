// Opens a folder of exports with readers that others made, and compares what they
// find: node read.js DIR, where DIR has lessons.csv, lessons.parquet and, unpacked,
// coco/ and dwca/, all of one data folder and without a filter.
import { join } from "node:path";
import assert from "node:assert/strict";
import { DuckDBInstance } from "@duckdb/node-api";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";

const dir = process.argv[2];
const at = (...names) => "'" + join(dir, ...names).replaceAll("'", "''") + "'";
const duck = await (await DuckDBInstance.create()).connect();
const rows = async (query) => (await duck.runAndReadAll(query)).getRowObjects();
const one = async (query) => Object.values((await rows(query))[0])[0];

// The Parquet, by two readers: the same rows, and finite embeddings of one length.
const parquet = await rows(`SELECT seq, label, taught_at::VARCHAR AS at, embedding FROM ${at("lessons.parquet")} ORDER BY seq`);
const again = await parquetReadObjects({ file: await asyncBufferFromFile(join(dir, "lessons.parquet")) });
assert.equal(again.length, parquet.length);
const dim = parquet[0].embedding.items.length;
again.forEach((row, i) => {
  assert.equal(row.seq, parquet[i].seq);
  assert.equal(row.label, parquet[i].label);
  assert.notEqual(row.label, "");
  assert.deepEqual(Array.from(row.embedding), parquet[i].embedding.items);
  assert.ok(row.embedding.length === dim && row.embedding.every(Number.isFinite));
});

// The CSV, read strictly: an exemplar is an identification that stands.
const table = `read_csv(${at("lessons.csv")}, header = true, strict_mode = true, all_varchar = true)`;
assert.equal(await one(`SELECT count(*) FROM ${table} WHERE identification_id IS NOT NULL AND withdrawn_at IS NULL`), BigInt(parquet.length));

// COCO Camera Traps: every annotation is of an image and a category.
const coco = (name) => `(SELECT unnest(${name}, recursive := true) FROM read_json(${at("coco", "annotations.json")}, maximum_object_size = 1073741824))`;
assert.equal(await one(`SELECT count(*) FROM ${coco("annotations")} a WHERE a.image_id NOT IN (SELECT id FROM ${coco("images")}) OR a.category_id NOT IN (SELECT id FROM ${coco("categories")})`), 0n);

// Darwin Core: what the extensions tell is of an occurrence of the core.
const core = (name) => `read_csv(${at("dwca", name)}, header = true, strict_mode = true, all_varchar = true, quote = '"', escape = '"', delim = ',')`;
const id = (await rows(`DESCRIBE SELECT * FROM ${core("occurrence.txt")}`))[0].column_name;
for (const extension of ["identification.txt", "multimedia.txt"]) {
  const of = (await rows(`DESCRIBE SELECT * FROM ${core(extension)}`))[0].column_name;
  assert.equal(await one(`SELECT count(*) FROM ${core(extension)} WHERE "${of}" NOT IN (SELECT "${id}" FROM ${core("occurrence.txt")})`), 0n);
}
console.log(`${parquet.length} exemplars of ${dim} numbers: DuckDB ${await one("SELECT version()")} and hyparquet read the same`);
