// The little of WebGL that is used: programs with their uniforms, textures, pictures to draw into.

class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(this.program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`the graphics driver refuses a shader: ${gl.getProgramInfoLog(this.program)} ${logs.join(' ')}`);
    }
    this.places = {};
    const count = gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name, type } = gl.getActiveUniform(this.program, i);
      this.places[name] = { at: gl.getUniformLocation(this.program, name), type };
    }
  }

  // Uses it with these uniforms; textures are numbers of their units. Names it does not have are left out.
  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) {
      const place = this.places[name] ?? this.places[`${name}[0]`];
      if (place) this.set(place, value);
    }
  }

  set({ at, type }, value) {
    const { gl } = this;
    switch (type) {
      case gl.FLOAT: Array.isArray(value) ? gl.uniform1fv(at, value) : gl.uniform1f(at, value); break;
      case gl.FLOAT_VEC2: gl.uniform2fv(at, value); break;
      case gl.FLOAT_VEC3: gl.uniform3fv(at, value); break;
      case gl.FLOAT_VEC4: gl.uniform4fv(at, value); break;
      case gl.FLOAT_MAT4: gl.uniformMatrix4fv(at, false, value); break;
      default: gl.uniform1i(at, value);
    }
  }
}

function textureOf(gl, size, format, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, size, size);
  for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, filter);
  for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, key, gl.CLAMP_TO_EDGE);
  return texture;
}

// A row of colours, `#rrggbb`, which are mixed in linear light.
function rampOf(gl, colours) {
  const bytes = new Uint8Array(colours.flatMap((colour) => [...srgbOf(colour), 255]));
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.LINEAR);
  for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, key, gl.CLAMP_TO_EDGE);
  return texture;
}

const srgbOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Something to draw into: a texture as its colours or as its depths.
function targetOf(gl, texture, attachment) {
  const target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, texture, 0);
  if (attachment === gl.DEPTH_ATTACHMENT) {
    gl.drawBuffers([gl.NONE]);
    gl.readBuffer(gl.NONE);
  }
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return target;
}

function bufferOf(gl, target, data, usage) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, usage);
  return buffer;
}
