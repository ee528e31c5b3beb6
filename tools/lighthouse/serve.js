// A Fieldmark to look at: started on a port of its own, with drawings that wait,
// drawings that were taught, and something on every page.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// start runs the program with an empty data folder and resolves to its address and
// to what stops it.
export async function start(program) {
  const data = await mkdtemp(join(tmpdir(), "fieldmark-lighthouse-"));
  const child = spawn(program, ["serve", "--addr", "127.0.0.1:0", "--data", data], { stdio: ["ignore", "pipe", "ignore"] });
  const said = await Promise.race([once(createInterface(child.stdout), "line"), once(child, "exit")]);
  const url = String(said[0]).match(/http:\/\/[0-9.:]+/)?.[0];
  if (!url) throw new Error(`${program} said ${said} instead of its address`);
  const stop = async () => {
    child.kill();
    await once(child, "exit");
    await rm(data, { recursive: true });
  };
  return { url, stop };
}

async function post(address, body, type) {
  const response = await fetch(address, { method: "POST", body, headers: type ? { "Content-Type": type } : {}, redirect: "manual" });
  if (response.status >= 400) throw new Error(`${address}: ${response.status} ${await response.text()}`);
  return response;
}

// fill stores photos, which are JPEGs, names a third of them, and gives the pages of
// names, people and bundles something to show.
export async function fill(url, photos) {
  for (const [i, photo] of photos.entries()) {
    const form = new FormData();
    form.append("photo", new Blob([photo], { type: "image/jpeg" }), `drawing-${i + 1}.jpg`);
    await post(`${url}/api/v1/observations`, form);
  }
  const names = ["Coccinella septempunctata", "Common Daisy", "Gonepteryx rhamni"];
  for (let i = 0; i < photos.length; i += 3) {
    await post(`${url}/api/v1/observations/${i + 1}/identifications`, JSON.stringify({ label: names[(i / 3) % 3] }), "application/json");
  }
  const form = (path, fields) => post(url + path, new URLSearchParams(fields));
  await form("/review/decisions", { observation: photos.length, do: "aside" });
  await form("/label-sets", { name: "Of the garden", names: "Common Daisy\nCoccinella septempunctata" });
  await form("/people/invitations", { role: "expert", uses: 3, days: 7 });
}
