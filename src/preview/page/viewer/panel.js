// Buttons, slider, keys and legends. What they do is `viewer`'s.

const byId = (id) => document.getElementById(id);
// Told apart by people with colour blindness (Okabe and Ito 2008).
const STATE_COLOURS = ['#56b4e9', '#e69f00', '#2fae87', '#cc79a7', '#b4b4b4', '#f0e442'];
const TURN = Math.PI / 24; // radians a key

class Panel {
  constructor(contents, viewer) {
    this.contents = contents;
    this.viewer = viewer;
    this.describe();
    this.prepareLegends();
    this.prepareStates();
    this.prepareToggles();
    this.preparePlayback();
    this.prepareViews();
    document.addEventListener('keydown', (event) => this.pressed(event));
    document.querySelectorAll('main > [hidden], footer').forEach((part) => (part.hidden = false));
    byId('message').hidden = true;
  }

  describe() {
    const { name, figures, frames, fps } = this.contents;
    const count = figures.reduce((sum, figure) => sum + figure.vertices, 0);
    const clip = frames > 1 ? `, ${frames} frames at ${Number(fps.toFixed(2))} fps` : '';
    byId('about').textContent = `${count.toLocaleString('en')} vertices${clip}`;
    byId('view').setAttribute('aria-label', `${name}, seen in space. Drag to turn, two fingers or Shift to move, wheel to zoom.`);
  }

  prepareLegends() {
    const { strain, maps } = this.contents;
    const fill = (legend, colours) => {
      legend.querySelector('.ramp').style.background = `linear-gradient(90deg, ${colours.join(', ')})`;
    };
    fill(byId('strain-legend'), strain.colours);
    const [low, , high] = byId('strain-legend').querySelectorAll('.ends span');
    const percent = Number((100 * strain.most).toFixed(1));
    [low.textContent, high.textContent] = [`−${percent} %`, `+${percent} %`];
    if (maps) fill(byId('map-legend'), maps.colours);
  }

  // A strip above the slider: which collision state is in force when.
  prepareStates() {
    const { states, frames } = this.contents;
    if (!states || frames < 2) return;
    const strip = byId('states');
    strip.hidden = false;
    strip.setAttribute('role', 'img');
    const runs = [];
    states.frames.forEach((state, frame) => {
      if (runs.at(-1)?.state === state) runs.at(-1).end = frame + 1;
      else runs.push({ state, start: frame, end: frame + 1 });
    });
    const said = runs.map(({ state, start }) => `${states.names[state]} from frame ${this.contents.first + start}`);
    strip.setAttribute('aria-label', `Collision states: ${said.join(', ')}`);
    for (const { state, start, end } of runs) {
      const part = document.createElement('span');
      part.textContent = part.title = states.names[state];
      part.style.background = STATE_COLOURS[state % STATE_COLOURS.length];
      part.style.left = `${(100 * start) / frames}%`;
      part.style.width = `${(100 * (end - start)) / frames}%`;
      strip.append(part);
    }
    this.mark = strip.appendChild(document.createElement('i'));
  }

  prepareToggles() {
    const { figures, maps } = this.contents;
    const has = {
      strain: figures.some((figure) => figure.track.stretch),
      map: maps !== null,
      wires: true,
      body: new Set(figures.map((figure) => figure.kind)).size > 1,
    };
    for (const [id, isThere] of Object.entries(has)) {
      byId(id).hidden = !isThere;
      byId(id).addEventListener('click', () => this.viewer.toggle(id));
    }
    byId('theme').addEventListener('click', () => this.viewer.toggleTheme());
    byId('figures').hidden = figures.length < 2;
    const list = byId('figures').querySelector('ul');
    this.boxes = figures.map((figure, index) => {
      const label = document.createElement('label');
      const box = label.appendChild(document.createElement('input'));
      box.type = 'checkbox';
      box.addEventListener('change', () => this.viewer.showFigure(index, box.checked));
      label.append(` ${figure.name || `figure ${index + 1}`}`);
      list.appendChild(document.createElement('li')).append(label);
      return box;
    });
    const lettered = [...document.querySelectorAll('[data-key]')].filter((button) => !button.hidden);
    for (const button of lettered) {
      button.title = `${button.textContent} (${button.dataset.key.toUpperCase()})`;
      button.setAttribute('aria-keyshortcuts', button.dataset.key.toUpperCase());
      if (!/\d/.test(button.dataset.key)) byId('letters').append(...keyed(button.dataset.key, button.textContent));
    }
    byId('letters').append(...keyed('0', 'to '), ...keyed('4', 'views'));
  }

  preparePlayback() {
    const { viewer } = this;
    const { clock } = viewer;
    byId('frame').max = this.contents.frames - 1;
    byId('frame').addEventListener('input', () => viewer.goTo(Number(byId('frame').value)));
    byId('play').addEventListener('click', () => viewer.playOrPause());
    byId('back').addEventListener('click', () => viewer.goTo(clock.frame - 1));
    byId('forward').addEventListener('click', () => viewer.goTo(clock.frame + 1));
    byId('loop').addEventListener('click', () => viewer.toggle('loop'));
    byId('speed').addEventListener('change', () => (clock.speed = Number(byId('speed').value)));
    for (const part of ['frame', 'states']) byId(part).classList.toggle('still', clock.frames < 2);
    if (clock.frames < 2) document.querySelectorAll('#frame, .transport').forEach((part) => (part.hidden = true));
  }

  prepareViews() {
    document.querySelectorAll('[data-view]').forEach((button) => {
      button.addEventListener('click', () => this.viewer.orbit.lookFrom(button.dataset.view.split(' ').map(Number)));
    });
    byId('reset').addEventListener('click', () => this.viewer.orbit.reset());
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const isOwn = target.matches('select') || (target.matches('input[type=range]') && /^(Arrow|Home|End|Page)/.test(event.key));
    const activates = target.matches('button, summary, input[type=checkbox]') && [' ', 'Enter'].includes(event.key);
    if (isOwn || activates) return;
    const action = this.actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  }

  actionOf({ key, shiftKey }) {
    const { viewer } = this;
    const { clock, orbit } = viewer;
    const turns = { ArrowLeft: [TURN, 0], ArrowRight: [-TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };
    if (turns[key] && (shiftKey || key.endsWith('Up') || key.endsWith('Down'))) return () => orbit.rotate(...turns[key]);
    const actions = {
      ' ': () => viewer.playOrPause(),
      ArrowLeft: () => viewer.goTo(clock.frame - 1),
      ArrowRight: () => viewer.goTo(clock.frame + 1),
      Home: () => viewer.goTo(0),
      End: () => viewer.goTo(clock.frames - 1),
      '+': () => orbit.zoom(1 / 1.15),
      '=': () => orbit.zoom(1 / 1.15),
      '-': () => orbit.zoom(1.15),
      '[': () => this.changeSpeed(-1),
      ']': () => this.changeSpeed(1),
    };
    const button = [...document.querySelectorAll('[data-key]')].find((b) => b.dataset.key === key.toLowerCase() && !b.hidden);
    return actions[key] ?? (button && (() => button.click()));
  }

  changeSpeed(by) {
    const select = byId('speed');
    select.selectedIndex = Math.max(0, Math.min(select.length - 1, select.selectedIndex + by));
    select.dispatchEvent(new Event('change'));
  }

  // Shows what the viewer is at.
  refresh() {
    const { contents, viewer } = this;
    const { clock, shows } = viewer;
    const { frame } = clock;
    const state = contents.states?.names[viewer.stateAt(frame)];
    const number = contents.first + frame;
    const words = `frame ${number} / ${contents.first + contents.frames - 1}${state ? `, ${state}` : ''}`;
    byId('place').textContent = words;
    byId('frame').value = frame;
    byId('frame').setAttribute('aria-valuetext', words);
    if (this.mark) this.mark.style.left = `${(100 * (frame + 0.5)) / contents.frames}%`;
    byId('play').classList.toggle('playing', clock.isPlaying);
    byId('play').setAttribute('aria-label', clock.isPlaying ? 'Pause' : 'Play');
    for (const id of ['strain', 'wires', 'map', 'body']) byId(id).setAttribute('aria-pressed', shows[id]);
    byId('loop').setAttribute('aria-pressed', clock.isLooped);
    byId('theme').textContent = viewer.isDark ? 'Light' : 'Dark';
    byId('strain-legend').hidden = !shows.strain;
    byId('map-legend').hidden = !shows.map;
    if (shows.map) {
      const map = viewer.overlay.mapOf(viewer.stateAt(frame));
      const name = contents.maps.maps.length > 1 ? `, ${map.state}` : '';
      byId('map-legend').querySelector('figcaption').textContent = `Correction map${name}: ${map.lines.count} corrections`;
    }
    this.boxes.forEach((box, index) => (box.checked = viewer.surfaces[index].isShown));
  }
}

function keyed(key, words) {
  const element = document.createElement('kbd');
  element.textContent = key.toUpperCase();
  return [element, ` ${words}`];
}
