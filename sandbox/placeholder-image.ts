import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 320;
const HEIGHT = 200;

/** Draws a small PNG of a landscape, so that an image can be sent without a file. The same seed gives the same bytes. */
export function drawPlaceholder(seed: number): Buffer {
  const hue = (seed * 47) % 360;
  const rows: Buffer[] = [];
  for (let y = 0; y < HEIGHT; y += 1) {
    const row = Buffer.alloc(1 + WIDTH * 3);
    for (let x = 0; x < WIDTH; x += 1) row.set(colourAt(x, y, hue), 1 + x * 3);
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // The image has 8 bits per channel, in RGB.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    makePngChunk('IHDR', header),
    makePngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    makePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function colourAt(x: number, y: number, hue: number): number[] {
  const far = HEIGHT * 0.62 + Math.sin(x / 38) * 16;
  const near = HEIGHT * 0.76 + Math.sin(x / 57 + 2) * 20;
  if (Math.hypot(x - WIDTH * 0.72, y - HEIGHT * 0.3) < 22) return [255, 236, 190];
  if (y > near) return toRgb(hue + 130, 0.38, 0.34);
  if (y > far) return toRgb(hue + 110, 0.34, 0.48);
  return toRgb(hue + 200, 0.55, 0.72 + (y / HEIGHT) * 0.2);
}

function toRgb(hue: number, saturation: number, lightness: number): number[] {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const position = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(position - 3, 9 - position, 1))));
  });
}

function makePngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
