// A figure in a frame, as the graphics card takes it: for each vertex a position, a normal and its stretch.
//
// Normals are worked out here once for each frame that is shown, which takes a millisecond or two for 20,000 vertices; in the
// page they would take half as much room again as the positions.

const WORDS = 5; // of a vertex: x, y, z as floats; normal and stretch as four shorts
const SHORT = 32767;

// A byte of sRGB as linear light.
function linearOf(byte) {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

class Surface {
  constructor(contents) {
    this.contents = contents;
    this.triangles = indicesOf(contents.triangles);
    this.edges = indicesOf(contents.edges);
    this.seams = indicesOf(contents.seams);
    this.colours = contents.colours === null ? null : Float32Array.from(bytesOf(contents.colours), linearOf);
    this.track = new Track(contents.track, contents.vertices);
    this.isShown = true;
    this.positions = new Float32Array(3 * contents.vertices);
    this.sums = new Float32Array(3 * contents.vertices);
    const buffer = new ArrayBuffer(4 * WORDS * contents.vertices);
    this.vertices = { bytes: new Uint8Array(buffer), floats: new Float32Array(buffer), shorts: new Int16Array(buffer) };
    this.record = -1;
  }

  get isCloth() {
    return this.contents.kind === 'cloth';
  }

  // Works out the vertices of a frame; whether they are others than before.
  update(frame) {
    const index = this.track.indexAt(frame);
    if (index === this.record || index < 0) return false;
    this.record = index;
    const record = this.track.records[index];
    unpack(record, this.positions);
    this.sumNormals();
    this.fill(record.stretch);
    return true;
  }

  // Adds each triangle's normal, as long as twice its area, to its corners; vertices in one place share theirs.
  sumNormals() {
    const { positions: p, sums, triangles, seams } = this;
    sums.fill(0);
    for (let i = 0; i < triangles.length; i += 3) {
      const a = 3 * triangles[i];
      const b = 3 * triangles[i + 1];
      const c = 3 * triangles[i + 2];
      const ux = p[b] - p[a];
      const uy = p[b + 1] - p[a + 1];
      const uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a];
      const vy = p[c + 1] - p[a + 1];
      const vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      sums[a] += x; sums[a + 1] += y; sums[a + 2] += z;
      sums[b] += x; sums[b + 1] += y; sums[b + 2] += z;
      sums[c] += x; sums[c + 1] += y; sums[c + 2] += z;
    }
    for (let i = 0; i < seams.length; i += 2) {
      for (let axis = 0; axis < 3; axis++) sums[3 * seams[i + 1] + axis] += sums[3 * seams[i] + axis];
    }
    for (let i = 0; i < seams.length; i += 2) {
      for (let axis = 0; axis < 3; axis++) sums[3 * seams[i] + axis] = sums[3 * seams[i + 1] + axis];
    }
  }

  fill(stretch) {
    const { positions: p, sums, vertices: { floats, shorts } } = this;
    for (let v = 0, from = 0, to = 0; from < p.length; v++, from += 3, to += WORDS) {
      floats[to] = p[from];
      floats[to + 1] = p[from + 1];
      floats[to + 2] = p[from + 2];
      const x = sums[from];
      const y = sums[from + 1];
      const z = sums[from + 2];
      const scale = SHORT / (Math.sqrt(x * x + y * y + z * z) || 1);
      const half = 2 * to + 6;
      shorts[half] = x * scale;
      shorts[half + 1] = y * scale;
      shorts[half + 2] = z * scale;
      shorts[half + 3] = stretch ? stretch[v] * 258 : 0;
    }
  }
}
