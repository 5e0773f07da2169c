// three.js in headless Chromium against the point cache of the same bake.
//
//   node browser/check.mjs BAKE.glb BAKE.pc2 [--fps 30] [--with-body] [--screenshot PICTURE.png]
//
// Checked: one animation, no error on the page, vertices at several moments (between frames too) equal to the cache, at
// most two morph targets active, and pixels that change.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const TOLERANCE_MM = 0.01;
const HERE = dirname(fileURLToPath(import.meta.url));
const THREE = join(HERE, '../node_modules/three');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.glb': 'model/gltf-binary' };
const BROWSER = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
  ],
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { fps: { type: 'string', default: '30' }, 'with-body': { type: 'boolean' }, screenshot: { type: 'string' } },
});
const [glb, pc2] = positionals;
const failures = await check(await readCache(pc2));
for (const failure of failures) console.log(`FAILED ${glb}: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function check(cache) {
  const server = createServer(serve).listen(0, '127.0.0.1');
  const profile = await mkdtemp(join(tmpdir(), 'toile-chromium-'));
  const browser = await chromium.launchPersistentContext(profile, BROWSER);
  try {
    return await checkPage(await newPage(browser), server.address().port, cache);
  } finally {
    await browser.close();
    server.close();
    await rm(profile, { recursive: true, force: true });
  }
}

async function newPage(browser) {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 640, height: 640 });
  return page;
}

async function checkPage(page, port, cache) {
  const failures = [];
  page.on('pageerror', (error) => failures.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|favicon/.test(message.text())) {
      failures.push(`console: ${message.text()}`);
    }
  });
  await page.goto(`http://127.0.0.1:${port}/index.html`);
  await page.waitForFunction(() => window.ready);
  const loaded = await page.evaluate(() => window.load('/bake.glb'));
  if (loaded.animations.length > 1) failures.push(`${loaded.animations.length} animations`);
  if (options['with-body'] && loaded.skinned.length === 0) failures.push('no skinned mesh');
  const last = cache.frames.length - 1;
  let worst = 0;
  let mostActive = 0;
  const pictures = [];
  for (const frame of moments(last)) {
    const seen = await page.evaluate((seconds) => window.at(seconds), (cache.start + frame) / Number(options.fps));
    worst = Math.max(worst, difference(seen.found, cache, frame));
    mostActive = Math.max(mostActive, seen.mostActive);
    pictures.push(seen.pixels);
    if (seen.found.length === 0) failures.push(`frame ${frame}: nothing to be seen`);
    if (seen.glError !== 0) failures.push(`frame ${frame}: WebGL error ${seen.glError}`);
  }
  if (options.screenshot) await page.screenshot({ path: options.screenshot });
  const changed = pictures.slice(1).map((picture, i) => picture.filter((p, at) => p !== pictures[i][at]).length);
  console.log(
    `${glb}: three.js, ${JSON.stringify(loaded.animations)}, targets ${loaded.cloths.map((c) => c.targets)}, ` +
      `max difference ${worst.toFixed(6)} mm, at most ${mostActive} targets active, pixels changed ${changed}`,
  );
  if (!(worst <= TOLERANCE_MM)) failures.push(`vertices are ${worst} mm off`);
  if (mostActive > 2) failures.push(`${mostActive} morph targets active at once`);
  if (changed.some((count) => count === 0)) failures.push('two moments look the same');
  return failures;
}

// Some frames, and moments between frames.
function moments(last) {
  return last === 0 ? [0] : [0, 1, last * 0.25, Math.round(last * 0.5), last * 0.73, last];
}

// Greatest coordinate difference, millimetres, to the cache interpolated at a fraction of a frame.
function difference(found, cache, frame) {
  const first = Math.min(Math.floor(frame), cache.frames.length - 1);
  const [a, b] = [cache.frames[first], cache.frames[Math.min(first + 1, cache.frames.length - 1)]];
  const way = frame - first;
  let worst = 0;
  for (let i = 0; i < found.length; i += 4) {
    for (let axis = 0; axis < 3; axis++) {
      const at = 3 * found[i] + axis;
      worst = Math.max(worst, 1000 * Math.abs(found[i + 1 + axis] - (a[at] + way * (b[at] - a[at]))));
    }
  }
  return worst;
}

async function readCache(path) {
  const data = await readFile(path);
  const [points, samples] = [data.readInt32LE(16), data.readInt32LE(28)];
  const numbers = new Float32Array(data.buffer.slice(data.byteOffset + 32, data.byteOffset + data.length));
  const frames = Array.from({ length: samples }, (_, i) => numbers.subarray(3 * points * i, 3 * points * (i + 1)));
  return { start: data.readFloatLE(20), frames };
}

async function serve(request, response) {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  const file = path === '/bake.glb' ? glb : path.startsWith('/three/') ? join(THREE, path.slice(7)) : join(HERE, path);
  try {
    const body = await readFile(file);
    const type = TYPES[file.slice(file.lastIndexOf('.'))] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type }).end(body);
  } catch {
    response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
  }
}
