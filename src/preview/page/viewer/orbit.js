// The camera, and what turns it: mouse, touch, wheel.
//
//   one finger or the left button: around the target     two fingers, the right button or Shift: aside     wheel, pinch: nearer

const STEEPEST = 1.55; // radians above or below
const MARGIN = 0.06; // room left around what is looked at, as a part of the picture

class Orbit {
  // `box` is around everything in all frames; `changed` is called when the camera moved.
  constructor(canvas, box, direction, changed) {
    this.canvas = canvas;
    this.box = box;
    this.changed = changed;
    this.pointers = new Map();
    this.first = direction;
    this.reset();
    this.listen();
  }

  // Looks at all of the box from where a direction points.
  lookFrom([x, y, z]) {
    this.turn = Math.atan2(x, z);
    this.tilt = Math.max(-STEEPEST, Math.min(STEEPEST, Math.atan2(y, Math.hypot(x, z))));
    this.target = centreOf(this.box);
    this.distance = this.fitting();
    this.isFitted = true;
    this.changed();
  }

  reset() {
    this.lookFrom(this.first);
  }

  axes() {
    const level = [Math.sin(this.turn), 0, Math.cos(this.turn)];
    const towards = plus(times(level, Math.cos(this.tilt)), [0, Math.sin(this.tilt), 0]);
    const right = [level[2], 0, -level[0]];
    return { right, up: cross(towards, right), forward: times(towards, -1) };
  }

  aspect() {
    return Math.max(this.canvas.width, 1) / Math.max(this.canvas.height, 1);
  }

  // Distance at which all corners of the box are in sight.
  fitting() {
    const { right, up, forward } = this.axes();
    const half = HALF_VIEW * (1 - MARGIN);
    let most = 1e-3;
    for (let corner = 0; corner < 8; corner++) {
      const place = [0, 1, 2].map((axis) => (corner >> axis & 1 ? this.box.high : this.box.low)[axis]);
      const from = minus(place, centreOf(this.box));
      const reach = Math.max(Math.abs(dot(from, right)) / (half * this.aspect()), Math.abs(dot(from, up)) / half);
      most = Math.max(most, reach - dot(from, forward));
    }
    return most;
  }

  // After the canvas changed its size.
  resized() {
    if (this.isFitted) this.distance = this.fitting();
  }

  view() {
    const { right, up, forward } = this.axes();
    const eye = minus(this.target, times(forward, this.distance));
    const tangents = [HALF_VIEW * this.aspect(), HALF_VIEW];
    const room = Math.hypot(...sizeOf(this.box));
    const away = Math.hypot(...minus(eye, centreOf(this.box)));
    const near = Math.max(0.02 * this.distance, away - 2 * room);
    const lens = perspective(tangents[0], tangents[1], near, away + 2 * room);
    const matrix = product(lens, frameOf(eye, [right, up, times(forward, -1)], [1, 1, 1]));
    return { eye, right, up, forward, tangents, matrix };
  }

  // Turns by so many radians.
  rotate(aside, upward) {
    this.turn -= aside;
    this.tilt = Math.max(-STEEPEST, Math.min(STEEPEST, this.tilt + upward));
    this.isFitted = false;
    this.changed();
  }

  // Goes so many times as far away.
  zoom(factor) {
    const size = Math.hypot(...sizeOf(this.box)) || 1;
    this.distance = Math.max(0.05 * size, Math.min(20 * size, this.distance * factor));
    this.isFitted = false;
    this.changed();
  }

  // Moves the picture by so many CSS pixels.
  pan(x, y) {
    const { right, up } = this.axes();
    const scale = (2 * HALF_VIEW * this.distance) / Math.max(this.canvas.clientHeight, 1);
    this.target = plus(this.target, plus(times(right, -x * scale), times(up, y * scale)));
    this.isFitted = false;
    this.changed();
  }

  listen() {
    const { canvas, pointers } = this;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      canvas.classList.add('held');
    });
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(end, (event) => {
        pointers.delete(event.pointerId);
        if (pointers.size === 0) canvas.classList.remove('held');
      });
    }
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheeled(event), { passive: false });
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const [x, y] = [event.clientX - before[0], event.clientY - before[1]];
    const spreadBefore = this.spread();
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size > 1) {
      const spread = this.spread();
      if (spread > 0 && spreadBefore > 0) this.zoom(spreadBefore / spread);
      this.pan(x / this.pointers.size, y / this.pointers.size);
    } else if (event.shiftKey || event.buttons & 6) {
      this.pan(x, y);
    } else {
      const scale = Math.PI / Math.max(this.canvas.clientHeight, 1);
      this.rotate(x * scale, y * scale);
    }
  }

  // Distance of two fingers.
  spread() {
    const [a, b] = [...this.pointers.values()];
    return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  }

  wheeled(event) {
    event.preventDefault();
    // Lines or pages instead of pixels, from some mice.
    const pixels = event.deltaY * [1, 16, 400][event.deltaMode];
    this.zoom(Math.exp(Math.max(-200, Math.min(200, pixels)) * (event.ctrlKey ? 0.01 : 0.0015)));
  }
}
