// The viewer: reads the page's contents, draws when something changed.

class Viewer {
  constructor(contents, canvas) {
    this.contents = contents;
    this.canvas = canvas;
    this.surfaces = contents.figures.map((figure) => new Surface(figure));
    const { maps } = contents;
    this.particles = maps?.particles ? new Track(maps.particles, maps.count) : null;
    this.clock = new Clock(contents.frames, contents.fps);
    const { strain, wires, map } = contents.start;
    this.shows = { strain, wires, map: map && maps !== null, body: true };
  }

  async read() {
    const rest = () => new Promise((done) => setTimeout(done));
    for (const track of [...this.surfaces.map((surface) => surface.track), this.particles]) await track?.read(rest);
    this.box = emptyBox();
    for (const { track } of this.surfaces) track.records.forEach((record) => widen(this.box, record.box));
    if (!Number.isFinite(sizeOf(this.box)[0])) this.box = { low: [0, 0, 0], high: [0, 0, 0] };
  }

  start(gl) {
    this.studio = new Studio(gl, this.surfaces, this.contents.strain);
    this.wires = new Wireframe(gl, this.surfaces);
    const { maps } = this.contents;
    this.overlay = maps ? new MapOverlay(gl, maps, this.particles, this.surfaces[0]) : null;
    this.orbit = new Orbit(this.canvas, this.box, this.contents.start.view, () => this.refresh());
    this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
    this.panel = new Panel(this.contents, this);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.clock.play();
    this.refresh();
  }

  // Has everything drawn anew before the screen shows its next picture.
  refresh() {
    if (this.isAwaited) return;
    this.isAwaited = true;
    requestAnimationFrame((now) => {
      this.isAwaited = false;
      this.clock.tick(now);
      if (this.clock.isPlaying) this.refresh();
      this.drawIfChanged();
    });
  }

  // Frames of the clip are fewer than those of most screens.
  drawIfChanged() {
    const { clock, shows, orbit, canvas } = this;
    const { turn, tilt, distance, target } = orbit;
    const parts = [clock.frame, clock.isPlaying, clock.isLooped, this.isDark, turn, tilt, distance, target.join(), canvas.width];
    const what = [...parts, canvas.height, JSON.stringify(shows), this.surfaces.map((surface) => surface.isShown).join()].join();
    if (what === this.drawn) return;
    this.drawn = what;
    this.panel.refresh();
    this.draw();
  }

  draw() {
    const { clock, shows } = this;
    const { frame } = clock;
    const view = this.orbit.view();
    this.studio.update(frame);
    this.studio.draw(frame, view, this.look());
    if (shows.wires) this.wires.draw(view);
    if (shows.map) this.overlay.draw(frame, this.stateAt(frame), view, this.pixelRatio());
  }

  look() {
    const { shows } = this;
    const own = this.contents.start.background;
    const bytes = own ?? srgbOf(this.style.getPropertyValue('--studio').trim());
    return {
      floor: this.box.low[1],
      // The renderer's: a square instead of sRGB's curve.
      background: bytes.map((byte) => (byte / 255) ** 2),
      glow: own ? 0 : Number(this.style.getPropertyValue('--glow')),
      isWired: shows.wires,
      isStrained: shows.strain,
      // Lines are seen best on a pale cloth.
      paleOf: ({ isCloth }) => (shows.map && isCloth ? [0.25, 0.45] : [1, 0]),
    };
  }

  get style() {
    return getComputedStyle(document.documentElement);
  }

  stateAt(frame) {
    return this.contents.states?.frames[frame] ?? 0;
  }

  pixelRatio() {
    return Math.min(window.devicePixelRatio || 1, 2);
  }

  resize() {
    const { canvas } = this;
    const ratio = this.pixelRatio();
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * ratio)));
    if (canvas.width === width && canvas.height === height) return;
    [canvas.width, canvas.height] = [width, height];
    this.orbit.resized();
    this.drawIfChanged();
  }

  setTheme(isDark) {
    this.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  }

  toggleTheme() {
    this.setTheme(!this.isDark);
    this.refresh();
  }

  toggle(what) {
    if (what === 'loop') this.clock.isLooped = !this.clock.isLooped;
    else this.shows[what] = !this.shows[what];
    if (what === 'body') {
      for (const surface of this.surfaces) if (!surface.isCloth) surface.isShown = this.shows.body;
    }
    this.refresh();
  }

  showFigure(index, isShown) {
    this.surfaces[index].isShown = isShown;
    this.shows.body = this.surfaces.some((surface) => !surface.isCloth && surface.isShown);
    this.refresh();
  }

  playOrPause() {
    if (this.clock.isPlaying) this.clock.pause();
    else this.clock.play();
    this.refresh();
  }

  goTo(frame) {
    this.clock.pause();
    this.clock.seek(frame);
    this.refresh();
  }
}

function say(words) {
  const message = byId('message');
  message.textContent = words;
  message.hidden = false;
}

async function main() {
  const canvas = byId('view');
  const gl = canvas.getContext('webgl2', { antialias: true, alpha: false });
  if (!gl) {
    say('This browser draws no WebGL 2, which the viewer needs. A newer browser, or one with its graphics switched on, does.');
    return;
  }
  canvas.addEventListener('webglcontextlost', () => say('The browser took the graphics memory away. Reload the page.'));
  const viewer = new Viewer(JSON.parse(byId('contents').textContent), canvas);
  await viewer.read();
  viewer.start(gl);
}

main().catch((error) => {
  say(`The viewer stopped: ${error.message}`);
  throw error;
});
