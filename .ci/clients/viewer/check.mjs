// A page that `toile preview X --out x.html` wrote, from disk in headless Chromium.
//
//   node viewer/check.mjs PAGE.html [--screenshots FOLDER] [--frames 60] [--states] [--without map,body]
//
// Checked: no error, no request, it plays, and every control changes what is seen. How fast it draws is printed only: the
// graphics are software here.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const BROWSER = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  hasTouch: true,
  viewport: { width: 960, height: 720 },
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
};
const SECONDS = 3; // of the measurement

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { screenshots: { type: 'string' }, frames: { type: 'string' }, states: { type: 'boolean' }, without: { type: 'string', default: '' } },
});
const [file] = positionals;
const failures = [];
const expect = (isTrue, words) => isTrue || failures.push(words);
const profile = await mkdtemp(join(tmpdir(), 'toile-viewer-'));
if (options.screenshots) await mkdir(options.screenshots, { recursive: true });
const browser = await chromium.launchPersistentContext(profile, BROWSER);
try {
  await checkControls(await open({ reducedMotion: 'reduce', colorScheme: 'light' }));
  await checkPlaying(await open({ reducedMotion: 'no-preference', colorScheme: 'light' }));
  await checkDark(await open({ reducedMotion: 'reduce', colorScheme: 'dark' }));
} catch (error) {
  failures.push(error.message);
} finally {
  await browser.close();
  await rm(profile, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED ${file}: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function open(media) {
  const page = await browser.newPage();
  await page.emulateMedia(media);
  page.on('pageerror', (error) => failures.push(`page: ${error.message}`));
  page.on('console', (message) => {
    const isOdd = ['error', 'warning'].includes(message.type()) && !/GPU stall/.test(message.text());
    expect(!isOdd, `console: ${message.text()}`);
  });
  page.on('request', (request) => expect(request.isNavigationRequest(), `asks for ${request.url().slice(0, 80)}`));
  await page.addInitScript(watch);
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector('#place:not(:empty)', { state: 'attached', timeout: 60_000 });
  await settled(page);
  return page;
}

// Notes how long the page's scripts take for each picture, and when new positions go to the graphics.
function watch() {
  window.costs = [];
  window.uploads = 0;
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (then) => request((now) => {
    const start = performance.now();
    then(now);
    window.costs.push(performance.now() - start);
  });
  const upload = WebGL2RenderingContext.prototype.bufferData;
  WebGL2RenderingContext.prototype.bufferData = function (...rest) {
    window.uploads += 1;
    return upload.apply(this, rest);
  };
}

// Lets the page draw what was asked of it.
function settled(page) {
  return page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
  });
}

function place(page) {
  return page.locator('#place').textContent();
}

async function frameOf(page) {
  return Number(/frame (-?\d+)/.exec(await place(page))[1]);
}

// What the canvas shows, without what lies over it.
async function picture(page) {
  await settled(page);
  const style = ':focus-visible { outline: none !important } .side, .views, .legends { visibility: hidden }';
  return (await page.locator('main').screenshot({ style })).toString('base64');
}

async function keep(page, name) {
  if (options.screenshots) await page.screenshot({ path: join(options.screenshots, `${name}.png`) });
}

async function checkControls(page) {
  const first = await frameOf(page);
  expect(await page.locator('#play').getAttribute('aria-label') === 'Play', 'it plays though motion is not wanted');
  const most = Number(await page.locator('#frame').getAttribute('max'));
  expect(!options.frames || most === options.frames - 1, `frames 0 to ${most}`);
  const still = await picture(page);
  await keep(page, 'shaded');
  const changes = async (words, act) => {
    await act();
    expect((await picture(page)) !== still, `${words} changes nothing`);
  };
  await changes('a frame forward', () => page.keyboard.press('ArrowRight'));
  expect((await frameOf(page)) === first + 1, 'ArrowRight goes elsewhere');
  await page.keyboard.press('End');
  await settled(page);
  const last = await frameOf(page);
  expect(last > first, 'End is no later than the start');
  await keep(page, 'last');
  await page.keyboard.press('Home');
  await settled(page);
  expect((await frameOf(page)) === first, 'Home is not the start');
  await page.locator('#frame').fill('7');
  await changes('the slider', () => settled(page));
  expect((await frameOf(page)) === first + 7, 'the slider goes elsewhere');
  await page.keyboard.press('ArrowRight');
  await settled(page);
  expect((await frameOf(page)) === first + 8, 'an arrow in the slider is not one frame');
  await page.locator('#view').focus();
  await page.keyboard.press('Home');
  expect((await picture(page)) === still, 'the first frame looks another way than before');
  for (const [id, key] of [['strain', 's'], ['wires', 'w'], ['map', 'm'], ['body', 'b']]) await toggle(page, id, key, still);
  await turn(page, still);
  await page.keyboard.press('0');
  expect((await picture(page)) === still, 'reset does not');
  await page.locator('#theme').click();
  await changes('the theme', () => settled(page));
  await keep(page, 'dark');
  expect(!options.states || (await page.locator('#states span').count()) > 1, 'no strip of states');
  await page.setViewportSize({ width: 390, height: 700 });
  await settled(page);
  await keep(page, 'small');
  await page.close();
}

async function toggle(page, id, key, still) {
  const button = page.locator(`#${id}`);
  if (await button.isHidden() || options.without.split(',').includes(id)) {
    return expect((await button.isHidden()) === options.without.split(',').includes(id), `${id}: a button too many or too few`);
  }
  const before = await button.getAttribute('aria-pressed');
  await page.keyboard.press(key);
  expect((await picture(page)) !== still, `${id} changes nothing`);
  expect((await button.getAttribute('aria-pressed')) !== before, `${id} does not say that it changed`);
  if (id !== 'body') expect(id === 'wires' || (await page.locator(`#${id}-legend`).isVisible()), `no legend for ${id}`);
  await keep(page, id);
  await button.click();
  expect((await picture(page)) === still, `${id} is not undone`);
}

async function turn(page, still) {
  const [x, y] = [480, 300];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 90, y + 20, { steps: 4 });
  await page.mouse.up();
  const turned = await picture(page);
  expect(turned !== still, 'dragging turns nothing');
  await keep(page, 'turned');
  await page.mouse.wheel(0, -300);
  const near = await picture(page);
  expect(near !== turned, 'the wheel does not zoom');
  const touch = await page.context().newCDPSession(page);
  const fingers = (type, ...points) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  await fingers('touchStart', [x, y]);
  for (let i = 1; i < 6; i++) await fingers('touchMove', [x - 20 * i, y]);
  await fingers('touchEnd');
  const touched = await picture(page);
  expect(touched !== near, 'a finger turns nothing');
  await fingers('touchStart', [x - 40, y], [x + 40, y]);
  for (let i = 1; i < 6; i++) await fingers('touchMove', [x - 40 + 5 * i, y], [x + 40 - 5 * i, y]);
  await fingers('touchEnd');
  expect((await picture(page)) !== touched, 'a pinch does not zoom');
}

async function checkPlaying(page) {
  expect((await page.locator('#play').getAttribute('aria-label')) === 'Pause', 'it does not play');
  const first = await picture(page);
  // Slow graphics may come upon the same frame of the loop again.
  let seen = first;
  for (let i = 0; i < 5 && seen === first; i++) seen = await picture(page);
  expect(seen !== first, 'playing looks like standing still');
  await page.locator('#speed').selectOption('4');
  await page.evaluate(() => ([window.costs, window.uploads] = [[], 0]));
  await page.waitForTimeout(1000 * SECONDS);
  const { costs, uploads } = await page.evaluate(() => ({ costs: window.costs, uploads: window.uploads }));
  costs.sort((a, b) => a - b);
  const [median, most] = [0.5, 0.95].map((part) => costs[Math.floor(part * (costs.length - 1))]?.toFixed(1));
  const about = await page.locator('#about').textContent();
  console.log(`${file}: ${about}; ${(costs.length / SECONDS).toFixed(0)} pictures a second in software, ` +
    `${(uploads / SECONDS).toFixed(0)} uploads a second; scripts take ${median} ms a picture, p95 ${most} ms`);
  await page.locator('#view').focus();
  await page.keyboard.press('Space');
  await settled(page);
  const stopped = await place(page);
  await page.waitForTimeout(300);
  expect((await place(page)) === stopped, 'Space does not stop it');
  await page.close();
}

async function checkDark(page) {
  expect((await page.locator('#theme').textContent()) === 'Light', 'dark is not taken from the browser');
  await page.close();
}
