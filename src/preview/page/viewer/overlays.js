// What is drawn over the figures: the edges of cloth, and the correction map.

const ORDER_UNIT = 3;

class Wireframe {
  constructor(gl, surfaces) {
    this.gl = gl;
    this.program = new Program(gl, WIRE_VERTEX, WIRE_FRAGMENT);
    const cloth = surfaces.filter((surface) => surface.isCloth);
    this.figures = (cloth.length > 0 ? cloth : surfaces).map((surface) => this.arrayOf(surface));
  }

  // The edges of a figure, between the vertices that its surface has.
  arrayOf(surface) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, surface.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * WORDS, 0);
    bufferOf(gl, gl.ELEMENT_ARRAY_BUFFER, surface.edges, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { surface, array };
  }

  draw(view) {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.program.use({ u_view: view.matrix, u_ink: [0.03, 0.04, 0.07, 0.55] });
    for (const { surface, array } of this.figures.filter(({ surface }) => surface.isShown)) {
      gl.bindVertexArray(array);
      gl.drawElements(gl.LINES, surface.edges.length, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.BLEND);
  }
}

// Lines from source to goal in the order of the corrections, and the particles that do not move.
class MapOverlay {
  constructor(gl, contents, particles, surface) {
    this.gl = gl;
    this.particles = particles; // a track, or null: the vertices of `surface`
    this.surface = surface;
    this.lines = new Program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.dots = new Program(gl, DOT_VERTEX, DOT_FRAGMENT);
    this.scale = rampOf(gl, contents.colours);
    this.positions = particles ? new Float32Array(3 * contents.count) : surface.positions;
    this.maps = contents.maps.map((map) => this.arraysOf(map));
    this.shown = {};
  }

  arraysOf({ state, corrections, fixed }) {
    const { gl } = this;
    const ends = indicesOf(corrections);
    const held = indicesOf(fixed);
    const count = ends.length / 2;
    const lines = gl.createVertexArray();
    gl.bindVertexArray(lines);
    const places = new Float32Array(3 * ends.length);
    const lineBuffer = bufferOf(gl, gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    for (const end of [0, 1]) {
      gl.enableVertexAttribArray(end);
      gl.vertexAttribPointer(end, 3, gl.FLOAT, false, 24, 12 * end);
      gl.vertexAttribDivisor(end, 1);
    }
    const order = Float32Array.from({ length: count }, (_, i) => i / Math.max(count - 1, 1));
    bufferOf(gl, gl.ARRAY_BUFFER, order, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 4, 0);
    gl.vertexAttribDivisor(2, 1);
    const dots = gl.createVertexArray();
    gl.bindVertexArray(dots);
    const heldPlaces = new Float32Array(3 * held.length);
    const dotBuffer = bufferOf(gl, gl.ARRAY_BUFFER, heldPlaces, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
    gl.bindVertexArray(null);
    return {
      state,
      lines: { array: lines, ends, count, places, buffer: lineBuffer },
      dots: { array: dots, ends: held, count: held.length, places: heldPlaces, buffer: dotBuffer },
    };
  }

  // The map of a state; the only one there is, if states have none of their own.
  mapOf(state) {
    return this.maps[Math.min(state, this.maps.length - 1)];
  }

  update(frame, map) {
    const { gl } = this;
    if (this.shown.frame === frame && this.shown.map === map) return;
    this.shown = { frame, map };
    if (this.particles) unpack(this.particles.at(frame), this.positions);
    else this.surface.update(frame) && upload(gl, this.surface);
    for (const { ends, places, buffer } of [map.lines, map.dots]) {
      ends.forEach((end, i) => {
        for (let axis = 0; axis < 3; axis++) places[3 * i + axis] = this.positions[3 * end + axis];
      });
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    }
  }

  draw(frame, state, view, pixelRatio) {
    const { gl } = this;
    const map = this.mapOf(state);
    this.update(frame, map);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.activeTexture(gl.TEXTURE0 + ORDER_UNIT);
    gl.bindTexture(gl.TEXTURE_2D, this.scale);
    this.lines.use({
      u_view: view.matrix,
      u_eye: view.eye,
      u_pixel: [2 / gl.canvas.width, 2 / gl.canvas.height],
      u_width: 2 * pixelRatio,
      u_scale: ORDER_UNIT,
    });
    gl.bindVertexArray(map.lines.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, map.lines.count);
    this.dots.use({ u_view: view.matrix, u_eye: view.eye, u_width: 7 * pixelRatio });
    gl.bindVertexArray(map.dots.array);
    gl.drawArrays(gl.POINTS, 0, map.dots.count);
    gl.disable(gl.BLEND);
  }
}
