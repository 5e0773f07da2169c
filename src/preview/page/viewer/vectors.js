// Vectors are arrays of three numbers; a matrix is 16 numbers, column by column, as WebGL takes them.

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// At length 1; `otherwise` if it has none.
function unit(a, otherwise) {
  const length = Math.hypot(...a);
  return length > 1e-12 ? times(a, 1 / length) : otherwise;
}

// What takes a point to (right, up, towards, 1) of axes at `origin`, each axis times its scale.
function frameOf(origin, axes, scales) {
  const rows = axes.map((axis, i) => times(axis, scales[i]));
  const [x, y, z] = rows;
  return [
    x[0], y[0], z[0], 0,
    x[1], y[1], z[1], 0,
    x[2], y[2], z[2], 0,
    -dot(x, origin), -dot(y, origin), -dot(z, origin), 1,
  ];
}

// a after b.
function product(a, b) {
  const out = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

// A view along -z whose sides have the tangents `across` and `upright`.
function perspective(across, upright, near, far) {
  const depth = 1 / (near - far);
  return [1 / across, 0, 0, 0, 0, 1 / upright, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0];
}

// A box around nothing yet.
const emptyBox = () => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });

function widen(box, other) {
  for (let i = 0; i < 3; i++) {
    box.low[i] = Math.min(box.low[i], other.low[i]);
    box.high[i] = Math.max(box.high[i], other.high[i]);
  }
}

const centreOf = (box) => times(plus(box.low, box.high), 0.5);
const sizeOf = (box) => minus(box.high, box.low);
