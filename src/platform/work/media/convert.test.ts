/** The child process that converts files, on pictures and recordings that real encoders have made. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { BufferSource, EncodedPacketSink, Input, MP4, OGG, WEBM, type InputFormat } from 'mediabunny';
import sharp from 'sharp';
import {
  makeM4a,
  makePicture,
  makePng,
  makeRecordedMp4,
  makeRecordedWebm,
} from '../../../../test/support/media-samples.ts';
import type { ByteSource } from '../../store/byte-source.ts';
import { createReaders } from '../child-readers.ts';
import { findConversion, type Converted, type Convertible } from './conversions.ts';
import { convertFile } from './converter.ts';
import { FORMATS } from './formats.ts';
import { inspectFile } from './inspector.ts';

const readers = createReaders(new URL('../../../file-reader.ts', import.meta.url), 0);
after(() => readers.close());

const sourceOf = (data: Buffer): ByteSource => ({
  bytes: data.length,
  async *read(start, end) {
    yield data.subarray(start, end);
  },
});

const convert = (data: Buffer, format: Convertible): Promise<Converted> =>
  convertFile(readers, { owner: 'a', source: sourceOf(data) }, format);

/** Inspects a file as an upload does, and returns from which format it would be converted. */
async function plan(data: Buffer): Promise<Convertible | null> {
  const { format, facts } = await inspectFile(readers, { owner: 'a', source: sourceOf(data) });
  return format && findConversion(FORMATS[format].mimeType, facts);
}

/** The colours of the point in the middle of the left half and of the right half. */
async function readHalves(data: Buffer): Promise<number[][]> {
  const { data: raw, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number): number[] => {
    const start = (Math.floor(info.height / 2) * info.width + x) * info.channels;
    return [...raw.subarray(start, start + info.channels)];
  };
  return [at(Math.floor(info.width / 4)), at(Math.floor((info.width * 3) / 4))];
}

function assertNear(found: number[][], wanted: number[][], difference: number): void {
  for (const [index, colour] of found.flat().entries())
    assert.ok(Math.abs(colour - (wanted.flat()[index] ?? -1000)) <= difference, found.join(' | '));
}

const RED_AND_BLUE = [
  [255, 0, 0],
  [0, 0, 255],
];

describe('the conversion of a picture', () => {
  test('a still WEBP photo becomes a JPG, and what has transparent parts or few colours a PNG without any loss', async () => {
    const photo = await makePicture('webp');
    assert.equal(await plan(photo), 'WEBP');
    const jpg = await convert(photo, 'WEBP');
    assert.deepEqual([jpg.format, jpg.facts], ['JPG', { width: 60, height: 40 }]);
    assertNear(await readHalves(jpg.data), RED_AND_BLUE, 12);
    const glass = await makePicture('webp', { alpha: 0.5 });
    const png = await convert(glass, 'WEBP');
    assert.equal(png.format, 'PNG');
    assert.deepEqual(await readHalves(png.data), await readHalves(glass));
    const drawing = await makePicture('gif');
    assert.equal(await plan(drawing), 'GIF');
    const drawn = await convert(drawing, 'GIF');
    assert.equal(drawn.format, 'PNG');
    assert.deepEqual(await readHalves(drawn.data), await readHalves(drawing));
  });

  test('pictures in CMYK and with 16 bits a colour become 8-bit RGB with the same colours', async () => {
    const printed = await makePicture('jpeg', { colours: 'cmyk' });
    assert.equal(await plan(printed), 'JPG');
    const jpg = await convert(printed, 'JPG');
    const deep = await makePicture('png', { colours: 'rgb16' });
    assert.equal(await plan(deep), 'PNG');
    const png = await convert(deep, 'PNG');
    for (const { data } of [jpg, png]) {
      const { space, depth } = await sharp(data).metadata();
      assert.deepEqual([space, depth], ['srgb', 'uchar']);
      assert.equal(await plan(data), null);
    }
    assert.deepEqual([jpg.format, png.format], ['JPG', 'PNG']);
    assert.deepEqual(await readHalves(png.data), RED_AND_BLUE);
    // Printers cannot print these colours exactly.
    const [red = [], blue = []] = await readHalves(jpg.data);
    assert.ok(red[0]! > 180 && red[2]! < 80 && blue[2]! > 120 && blue[0]! < 100, `${red.join()} ${blue.join()}`);
  });

  test('a picture that its camera has turned is upright after the conversion', async () => {
    const turned = await makePicture('webp', { orientation: 6 });
    const { facts, data } = await convert(turned, 'WEBP');
    assert.deepEqual(facts, { width: 40, height: 60 });
    assert.equal((await sharp(data).metadata()).orientation, undefined);
  });

  test('ordinary and animated pictures are not converted', async () => {
    const still = await makePicture('png');
    const frames = [still, await sharp(still).negate().png().toBuffer()];
    const moving = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    const movingGif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    for (const data of [await makePicture('jpeg'), still, moving, movingGif]) assert.equal(await plan(data), null);
  });
});

/** The packets of the only track of a file, with the time of each in milliseconds. */
async function readPackets(data: Buffer, format: InputFormat): Promise<{ ms: number; bytes: string }[]> {
  const input = new Input({ formats: [format], source: new BufferSource(data) });
  const track = await input.getPrimaryAudioTrack();
  assert.ok(track);
  const packets = await Array.fromAsync(new EncodedPacketSink(track).packets());
  return packets.map((packet) => ({
    ms: Math.round(packet.timestamp * 1_000),
    bytes: Buffer.from(packet.data).toString('hex'),
  }));
}

describe('the conversion of a recording', () => {
  test('what browsers record becomes an OGG with the same sound, packet by packet', async () => {
    for (const [data, format, parser] of [
      [await makeRecordedWebm(), 'WEBM', WEBM],
      [await makeRecordedMp4(), 'M4A', MP4],
    ] as const) {
      assert.equal(await plan(data), format);
      const converted = await convert(data, format);
      assert.deepEqual([converted.format, converted.facts], ['OGG', { duration: 2, codecs: ['opus'] }]);
      assert.deepEqual(await readPackets(converted.data, OGG), await readPackets(data, parser));
      const { format: found } = await inspectFile(readers, { owner: 'a', source: sourceOf(converted.data) });
      assert.equal(found, 'OGG');
    }
  });

  test('sound with another codec is not converted, and a truncated recording is refused', async () => {
    assert.equal(await plan(await makeM4a()), null);
    assert.equal(findConversion('audio/webm', { codecs: ['vorbis'] }), null);
    assert.equal(findConversion('audio/mp4', { codecs: ['opus', 'aac'] }), null);
    const whole = await makeRecordedWebm();
    for (const bytes of [60, Math.ceil(whole.length / 2)]) await refused(whole.subarray(0, bytes), 'WEBM', 'MALFORMED');
  });
});

const refused = (data: Buffer, format: Convertible, code: string) =>
  assert.rejects(convert(data, format), (error: { errors: { path: string; code: string }[] }) => {
    assert.deepEqual(
      error.errors.map((each) => [each.path, each.code]),
      [['file', code]],
    );
    return true;
  });

describe('a picture that cannot be converted', () => {
  test('a truncated picture and one without data are refused as broken, and the next one is converted', async () => {
    for (const format of ['webp', 'gif', 'png', 'jpeg'] as const) {
      const whole = await makePicture(format, { width: 300, height: 300, alpha: format === 'jpeg' ? 1 : 0.3 });
      const name = { webp: 'WEBP', gif: 'GIF', png: 'PNG', jpeg: 'JPG' }[format] as Convertible;
      await refused(whole.subarray(0, whole.length - Math.ceil(whole.length / 3)), name, 'MALFORMED');
    }
    await refused(Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'WEBP', 'MALFORMED');
    assert.equal((await convert(await makePicture('webp'), 'WEBP')).format, 'JPG');
  });

  test('a picture with more points than are converted is refused before it is decoded', () =>
    refused(makePng(6_000, 5_000), 'PNG', 'DIMENSIONS'));

  test('a file that is no picture of the accepted formats is refused, even where the decoder knows its format', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>');
    await refused(svg, 'PNG', 'MALFORMED');
    await refused(
      await sharp(await makePicture('png'))
        .tiff()
        .toBuffer(),
      'PNG',
      'MALFORMED',
    );
  });
});
