// Blocks of base64 -> records of positions (src/preview/page/track.rs writes them).

// The bytes of a block, which leaves the page: they are held once.
function bytesOf(number) {
  const block = document.getElementById(`block-${number}`);
  const text = block.textContent;
  block.remove();
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function indicesOf(number) {
  const bytes = bytesOf(number);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

// The records of a track, one a frame, or one for all of them.
class Track {
  constructor(contents, vertices) {
    this.contents = contents;
    this.vertices = vertices;
    this.records = [];
  }

  // Reads one block after the other; between them the page can draw itself.
  async read(rest) {
    const { blocks, length, stretch } = this.contents;
    for (const block of blocks) {
      const bytes = bytesOf(block);
      for (let at = 0; at + length <= bytes.length; at += length) {
        this.records.push(recordOf(bytes.buffer, bytes.byteOffset + at, this.vertices, stretch));
      }
      await rest();
    }
  }

  // Index of the record of a frame.
  indexAt(frame) {
    return Math.min(frame, this.records.length - 1);
  }

  at(frame) {
    return this.records[this.indexAt(frame)];
  }
}

function recordOf(buffer, at, vertices, hasStretch) {
  const corner = Array.from(new Float32Array(buffer, at, 3));
  const step = Array.from(new Float32Array(buffer, at + 12, 3));
  return {
    corner,
    step,
    places: new Uint16Array(buffer, at + 24, 3 * vertices),
    stretch: hasStretch ? new Int8Array(buffer, at + 24 + 6 * vertices, vertices) : null,
    box: { low: corner, high: plus(corner, times(step, 65535)) },
  };
}

// Writes the positions of a record into `out`.
function unpack({ corner, step, places }, out) {
  const [x, y, z] = corner;
  const [dx, dy, dz] = step;
  for (let i = 0; i < places.length; i += 3) {
    out[i] = x + dx * places[i];
    out[i + 1] = y + dy * places[i + 1];
    out[i + 2] = z + dz * places[i + 2];
  }
}
