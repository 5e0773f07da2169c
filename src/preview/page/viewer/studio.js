// Lights, floor and figures: everything but overlays.

const SHADOW_UNIT = 0;
const CONTACT_UNIT = 1;
const SCALE_UNIT = 2;
const COLOUR = 2; // attribute; of all vertices where they have none of their own

class Studio {
  constructor(gl, surfaces, strain) {
    this.gl = gl;
    this.surfaces = surfaces;
    this.programs = {
      surface: new Program(gl, SURFACE_VERTEX, SURFACE_FRAGMENT),
      depth: new Program(gl, SURFACE_VERTEX, DEPTH_FRAGMENT),
      floor: new Program(gl, WHOLE_VERTEX, FLOOR_FRAGMENT),
      contact: new Program(gl, CONTACT_VERTEX, CONTACT_FRAGMENT),
      blur: new Program(gl, WHOLE_VERTEX, BLUR_FRAGMENT),
    };
    for (const surface of surfaces) uploadNew(gl, surface);
    this.nothing = gl.createVertexArray();
    this.makeTargets();
    this.scale = rampOf(gl, strain.colours);
    gl.enable(gl.DEPTH_TEST);
  }

  makeTargets() {
    const { gl } = this;
    const shadow = textureOf(gl, SHADOW_SIZE, gl.DEPTH_COMPONENT24, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    this.shadow = { texture: shadow, target: targetOf(gl, shadow, gl.DEPTH_ATTACHMENT) };
    this.contacts = [0, 1].map(() => {
      const texture = textureOf(gl, CONTACT_SIZE, gl.R8, gl.LINEAR);
      return { texture, target: targetOf(gl, texture, gl.COLOR_ATTACHMENT0) };
    });
  }

  // Takes the figures to a frame; whether anything changed.
  update(frame) {
    const changed = this.surfaces.filter((surface) => surface.isShown && surface.update(frame));
    changed.forEach((surface) => upload(this.gl, surface));
    return changed.length > 0;
  }

  // The box around everything in a frame, down to the floor.
  boxAt(frame, floor) {
    const box = emptyBox();
    this.surfaces.forEach((surface) => widen(box, surface.track.at(frame).box));
    box.low[1] = Math.min(box.low[1], floor);
    return box;
  }

  // Draws a frame as `view` sees it.
  draw(frame, view, look) {
    const { gl } = this;
    const box = this.boxAt(frame, look.floor);
    const lights = lightsOf(box, view);
    this.drawContact(box);
    this.drawShadow(lights);
    const canvas = gl.canvas;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.activeTexture(gl.TEXTURE0 + SHADOW_UNIT);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.activeTexture(gl.TEXTURE0 + CONTACT_UNIT);
    gl.bindTexture(gl.TEXTURE_2D, this.contacts[0].texture);
    gl.activeTexture(gl.TEXTURE0 + SCALE_UNIT);
    gl.bindTexture(gl.TEXTURE_2D, this.scale);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawFloor(box, lights, view, look);
    this.drawSurfaces(lights, view, look);
  }

  shown() {
    return this.surfaces.filter((surface) => surface.isShown);
  }

  drawTriangles() {
    const { gl } = this;
    for (const surface of this.shown()) {
      gl.bindVertexArray(surface.array);
      gl.drawElements(gl.TRIANGLES, surface.triangles.length, gl.UNSIGNED_INT, 0);
    }
  }

  drawShadow(lights) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.target);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.programs.depth.use({ u_view: lights.matrix });
    this.drawTriangles();
  }

  drawContact(box) {
    const { gl } = this;
    const [first, second] = this.contacts;
    gl.disable(gl.DEPTH_TEST);
    gl.viewport(0, 0, CONTACT_SIZE, CONTACT_SIZE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, first.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendEquation(gl.MAX);
    this.programs.contact.use({ ...aroundOf(box), u_fade: 0.05 * Math.max(sizeOf(box)[1], 1e-6) });
    for (const surface of this.shown()) {
      gl.bindVertexArray(surface.array);
      gl.drawElements(gl.TRIANGLES, surface.triangles.length, gl.UNSIGNED_INT, 0);
      // What stands upright has no area from above.
      gl.drawArrays(gl.POINTS, 0, surface.contents.vertices);
    }
    gl.disable(gl.BLEND);
    gl.blendEquation(gl.FUNC_ADD);
    gl.activeTexture(gl.TEXTURE0 + CONTACT_UNIT);
    gl.bindVertexArray(this.nothing);
    const step = 1 / CONTACT_SIZE;
    for (const [from, to, along] of [[first, second, [step, 0]], [second, first, [0, step]]]) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, to.target);
      gl.bindTexture(gl.TEXTURE_2D, from.texture);
      this.programs.blur.use({ u_from: CONTACT_UNIT, u_along: along, u_weights: BLUR_WEIGHTS });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.enable(gl.DEPTH_TEST);
  }

  drawFloor(box, lights, view, look) {
    const { gl } = this;
    gl.disable(gl.DEPTH_TEST);
    this.programs.floor.use({
      ...lights.uniforms,
      ...aroundOf(box),
      u_background: look.background,
      u_glow: look.glow,
      u_eye: view.eye,
      u_right: view.right,
      u_up: view.up,
      u_forward: view.forward,
      u_tangents: view.tangents,
      u_centre: centreOf(box),
      u_diagonal: Math.max(Math.hypot(...sizeOf(box)), 1e-6),
      u_contact: CONTACT_UNIT,
    });
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
  }

  drawSurfaces(lights, view, look) {
    const { gl } = this;
    if (look.isWired) {
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 2);
    }
    for (const surface of this.shown()) {
      this.programs.surface.use({
        ...lights.uniforms,
        u_view: view.matrix,
        u_eye: view.eye,
        u_key: lights.key,
        u_fill: lights.fill,
        u_pale: look.paleOf(surface),
        u_strained: look.isStrained && surface.contents.track.stretch ? 1 : 0,
        u_scale: SCALE_UNIT,
      });
      gl.bindVertexArray(surface.array);
      gl.vertexAttrib3fv(COLOUR, surface.contents.colour);
      gl.drawElements(gl.TRIANGLES, surface.triangles.length, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
}

// Three means over seven cells in a row are one over nineteen with these weights, from the middle outwards.
const BLUR_WEIGHTS = (() => {
  const mean = new Array(7).fill(1 / 7);
  const spread = (weights) => {
    const out = new Array(weights.length + 6).fill(0);
    weights.forEach((weight, i) => mean.forEach((part, j) => (out[i + j] += weight * part)));
    return out;
  };
  return spread(spread(mean)).slice(9);
})();

// The floor around a box, on which contact is noted.
function aroundOf({ low, high }) {
  const room = 0.3 * Math.max(high[0] - low[0], high[2] - low[2], 1e-6);
  return {
    u_low: [low[0] - room, low[1], low[2] - room],
    u_size: [high[0] - low[0] + 2 * room, 1, high[2] - low[2] + 2 * room],
  };
}

// A key light from above the camera's left, fill from its right.
function lightsOf(box, { right, forward }) {
  const from = (up, aside, back) => unit(plus([0, up, 0], plus(times(right, aside), times(forward, -back))), [0, 1, 0]);
  const key = from(1.1, -0.55, 0.75);
  const fill = from(0.3, 0.9, 0.5);
  const across = unit(cross(key, [0, 0, 1]), [1, 0, 0]);
  const radius = Math.max(0.5 * Math.hypot(...sizeOf(box)), 1e-6);
  const axes = [across, cross(across, key), key];
  const matrix = frameOf(centreOf(box), axes, [1 / radius, 1 / radius, -0.9 / radius]);
  return { key, fill, matrix, uniforms: { u_light: matrix, u_radius: radius, u_shadow: SHADOW_UNIT } };
}

function uploadNew(gl, surface) {
  surface.array = gl.createVertexArray();
  gl.bindVertexArray(surface.array);
  surface.buffer = bufferOf(gl, gl.ARRAY_BUFFER, surface.vertices.bytes, gl.DYNAMIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * WORDS, 0);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 4, gl.SHORT, true, 4 * WORDS, 12);
  if (surface.colours) {
    bufferOf(gl, gl.ARRAY_BUFFER, surface.colours, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(COLOUR);
    gl.vertexAttribPointer(COLOUR, 3, gl.FLOAT, false, 12, 0);
  }
  bufferOf(gl, gl.ELEMENT_ARRAY_BUFFER, surface.triangles, gl.STATIC_DRAW);
  gl.bindVertexArray(null);
}

function upload(gl, surface) {
  gl.bindBuffer(gl.ARRAY_BUFFER, surface.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, surface.vertices.bytes, gl.DYNAMIC_DRAW);
}
