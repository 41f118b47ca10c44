/** Makes a small file of each format of attachments, byte by byte where that is short, so that tests need no files and can break them. */
import { crc32, deflateSync } from 'node:zlib';
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  WebMOutputFormat,
  type OutputFormat,
} from 'mediabunny';
import sharp from 'sharp';
import type { FileType, FormatName } from '../../src/platform/work/media/formats.ts';
import { makeZip, makeWorkbook } from './sheets.ts';

/** A PNG of one colour. The sizes may be false, because nothing decodes the picture. */
export function makePng(width = 3, height = 2, ...more: [kind: string, data: Buffer][]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const pixels = deflateSync(Buffer.alloc(2 * (1 + 3 * 3)));
  const chunks: [string, Buffer][] = [['IHDR', header], ...more, ['IDAT', pixels], ['IEND', Buffer.alloc(0)]];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks.map(makeChunk)]);
}

function makeChunk([kind, data]: [string, Buffer]): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  return Buffer.concat([encode(data.length, 4), named, encode(crc32(named), 4)]);
}

/** An APNG says before its picture that it moves. */
export const makeMovingPng = (): Buffer => makePng(3, 2, ['acTL', Buffer.alloc(8)]);

const encode = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** A JPG with metadata in front of its picture, whose data are left out. */
export function makeJpg(width = 40, height = 30): Buffer {
  const frame = Buffer.from([8, ...encode(height, 2), ...encode(width, 2), 1, 1, 0x11, 0]);
  const segment = (kind: number, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0xff, kind]), encode(data.length + 2, 2), data]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xe1, Buffer.alloc(500, 'Exif')),
    segment(0xc4, Buffer.alloc(20)),
    segment(0xc0, frame),
    segment(0xda, Buffer.alloc(8)),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export interface PictureWish {
  width?: number;
  height?: number;
  /** Over the points of the picture; without it the left half is red and the right half blue. */
  alpha?: number;
  colours?: 'cmyk' | 'rgb16';
  /** The tag of EXIF that says how the picture is turned. */
  orientation?: number;
}

/** A picture that a decoder accepts: its left half is red and its right half blue. */
export async function makePicture(
  format: 'jpeg' | 'png' | 'gif' | 'webp',
  { width = 60, height = 40, alpha = 1, colours, orientation }: PictureWish = {},
): Promise<Buffer> {
  const half = (r: number, b: number) => ({
    create: { width: Math.ceil(width / 2), height, channels: 4 as const, background: { r, g: 0, b, alpha } },
  });
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  let picture = sharp({ create: { width, height, channels: 4, background } }).composite([
    { input: half(255, 0), gravity: 'west' },
    { input: half(0, 255), gravity: 'east' },
  ]);
  if (alpha === 1) picture = picture.removeAlpha();
  // The layers are put together before anything else is done with the picture.
  picture = sharp(await picture.png().toBuffer());
  if (colours) picture = picture.toColourspace(colours);
  if (orientation) picture = picture.withMetadata({ orientation });
  return picture.toFormat(format).toBuffer();
}

/** A GIF with this many images. */
export function makeGif(images = 1, width = 12, height = 7): Buffer {
  const head = Buffer.alloc(13);
  head.write('GIF89a', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  // It has a colour table of two colours.
  head[10] = 0x80;
  const extension = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);
  const image = Buffer.concat([Buffer.from([0x2c]), Buffer.alloc(9), Buffer.from([2, 2, 0x4c, 1, 0])]);
  const parts = Array.from({ length: images }, () => [extension, image]).flat();
  return Buffer.concat([head, Buffer.alloc(6), ...parts, Buffer.from([0x3b])]);
}

function makeRiff(kind: string, data: Buffer): Buffer {
  const head = Buffer.alloc(20);
  head.write('RIFF', 'latin1');
  head.writeUInt32LE(12 + data.length, 4);
  head.write(`WEBP${kind}`, 8, 'latin1');
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}

/** A WEBP in the extended form, in which all animations are. */
export function makeWebp(width = 512, height = 512, moves = false): Buffer {
  const data = Buffer.alloc(10);
  data[0] = moves ? 2 : 0;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return Buffer.concat([makeRiff('VP8X', data), Buffer.alloc(20)]);
}

export function makeLosslessWebp(width = 300, height = 200): Buffer {
  const data = Buffer.alloc(20);
  data[0] = 0x2f;
  data.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14, 1);
  return makeRiff('VP8L', data);
}

export function makeLossyWebp(width = 320, height = 240): Buffer {
  const data = Buffer.alloc(20);
  data.set([0x9d, 0x01, 0x2a], 3);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return makeRiff('VP8 ', data);
}

/** An MP3 of 128 kb/s and 44,100 Hz: each frame has 417 bytes and lasts 1,152 samples. `cover` is the size of a picture in front. */
export function makeMp3(frames = 100, cover = 0): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x44]);
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), encodeSynchsafe(cover), Buffer.alloc(cover)]);
  return Buffer.concat([...(cover > 0 ? [tag] : []), ...Array.from({ length: frames }, () => frame)]);
}

const encodeSynchsafe = (value: number): Buffer =>
  Buffer.from([21, 14, 7, 0].map((shift) => Math.floor(value / 2 ** shift) & 0x7f));

/** An AAC in its frames (ADTS), of 44,100 Hz: each frame lasts 1,024 samples. */
function makeAac(frames = 100): Buffer {
  const bytes = 200;
  const frame = Buffer.alloc(bytes);
  frame.set([0xff, 0xf1, 0x50, 0x80 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** An AMR with frames of 20 ms and 12.2 kb/s. */
export function makeAmr(frames = 50): Buffer {
  const frame = Buffer.alloc(32);
  frame[0] = 7 << 3;
  return Buffer.concat([Buffer.from('#!AMR\n'), ...Array.from({ length: frames }, () => frame)]);
}

const OPUS_HEAD = Uint8Array.from([...Buffer.from('OpusHead'), 1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]);
const OPUS = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000, description: OPUS_HEAD };
const AAC = { codec: 'mp4a.40.2', numberOfChannels: 2, sampleRate: 44_100, description: Uint8Array.from([0x12, 0x10]) };
const AVC = {
  codec: 'avc1.42001e',
  codedWidth: 320,
  codedHeight: 240,
  description: Uint8Array.from([1, 0x42, 0, 0x1e, 0xff, 0xe1, 0, 4, 0x67, 0x42, 0, 0x1e, 1, 0, 2, 0x68, 0xce]),
};

const VP8 = { codec: 'vp8', codedWidth: 320, codedHeight: 240 };

/** Writes packets of empty content into a container. Each lasts 20 ms. */
async function mux(
  format: OutputFormat,
  sound: typeof OPUS | null,
  video: typeof AVC | typeof VP8 | null,
): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const tracks: { add(packet: EncodedPacket, meta?: object): Promise<void>; config: object; type: 'key' }[] = [];
  if (video) {
    const source = new EncodedVideoPacketSource(video.codec === 'vp8' ? 'vp8' : 'avc');
    output.addVideoTrack(source);
    tracks.push({ add: (packet, meta) => source.add(packet, meta), config: video, type: 'key' });
  }
  if (sound) {
    const source = new EncodedAudioPacketSource(sound.codec === 'opus' ? 'opus' : 'aac');
    output.addAudioTrack(source);
    tracks.push({ add: (packet, meta) => source.add(packet, meta), config: sound, type: 'key' });
  }
  await output.start();
  for (let index = 0; index < 100; index += 1) {
    for (const { add, config, type } of tracks) {
      // The first byte of an Opus packet says that it lasts 20 ms. No two packets are the same.
      const packet = new EncodedPacket(Uint8Array.from([0x98, index, 0, 0, 0]), type, index * 0.02, 0.02);
      await add(packet, { decoderConfig: config });
    }
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

const makeOgg = (): Promise<Buffer> => mux(new OggOutputFormat(), OPUS, null);
export const makeMp4 = (): Promise<Buffer> => mux(new Mp4OutputFormat(), AAC, AVC);
export const makeM4a = (): Promise<Buffer> => mux(new Mp4OutputFormat(), AAC, null);
/** As Chromium records sound: Opus in pieces of an MP4. */
export const makeRecordedMp4 = (): Promise<Buffer> => mux(new Mp4OutputFormat({ fastStart: 'fragmented' }), OPUS, null);
/** As Chromium and Firefox record sound: Opus in a WEBM that is written piece by piece. */
export const makeRecordedWebm = (): Promise<Buffer> => mux(new WebMOutputFormat({ appendOnly: true }), OPUS, null);
export const makeWebmVideo = (): Promise<Buffer> => mux(new WebMOutputFormat(), OPUS, VP8);
/** 3GP is an MP4 with another brand. */
async function make3gp(): Promise<Buffer> {
  const bytes = await makeMp4();
  bytes.write('3gp5', 8, 'latin1');
  return bytes;
}

export const makePdf = (): Buffer =>
  Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\n%%EOF\n', 'latin1');

const CONTENT_TYPES = { path: '[Content_Types].xml', data: '<?xml version="1.0"?><Types/>' };
export const makeDocx = (): Buffer => makeZip([CONTENT_TYPES, { path: 'word/document.xml', data: '<document/>' }]);
const makeXlsx = (): Buffer => makeWorkbook([['name'], ['Ana']]);

/** A file of Office before 2007 with a directory of these entries: each with its name and the numbers of left, right and child. */
export function makeOldOffice(...entries: [name: string, left: number, right: number, child: number][]): Buffer {
  const NONE = 0xffffffff;
  const header = Buffer.alloc(512);
  header.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  header.writeUInt16LE(9, 0x1e);
  // The directory begins in sector 1; sector 0 has the allocation table.
  header.writeUInt32LE(1, 0x30);
  header.writeUInt32LE(0, 0x4c);
  const table = Buffer.alloc(512, 0xff);
  const sectors = Math.ceil(entries.length / 4);
  for (let index = 1; index < sectors; index += 1) table.writeUInt32LE(index + 1, 4 * index);
  table.writeUInt32LE(0xfffffffe, 4 * sectors);
  const directory = Buffer.alloc(512 * sectors);
  for (const [index, [name, left, right, child]] of entries.entries()) {
    const at = 128 * index;
    directory.write(name, at, 'utf16le');
    directory.writeUInt16LE(2 * name.length + 2, at + 64);
    for (const [place, number] of [left, right, child].entries())
      directory.writeUInt32LE(number < 0 ? NONE : number, at + 68 + 4 * place);
  }
  return Buffer.concat([header, table, directory]);
}

const makeOffice = (stream: string): Buffer => makeOldOffice(['Root Entry', -1, -1, 1], [stream, -1, -1, -1]);
const makeDoc = (): Buffer => makeOffice('WordDocument');
const makeXls = (): Buffer => makeOffice('Workbook');
const makePpt = (): Buffer => makeOffice('PowerPoint Document');

export interface Sample {
  format: FormatName;
  fileType: FileType;
  mimeType: string;
  extension: string;
  data: Buffer;
}

/** A file of each format, with the type that it has when nobody says another. */
export async function makeSamples(): Promise<Sample[]> {
  const office = 'application/vnd.openxmlformats-officedocument';
  const samples: [FormatName, FileType, string, string, Buffer][] = [
    ['JPG', 'IMAGE', 'image/jpeg', 'jpg', makeJpg()],
    ['PNG', 'IMAGE', 'image/png', 'png', makePng()],
    ['GIF', 'IMAGE', 'image/gif', 'gif', makeGif()],
    ['WEBP', 'IMAGE', 'image/webp', 'webp', makeWebp()],
    ['MP3', 'AUDIO', 'audio/mpeg', 'mp3', makeMp3()],
    ['OGG', 'AUDIO', 'audio/ogg', 'ogg', await makeOgg()],
    ['AAC', 'AUDIO', 'audio/aac', 'aac', makeAac()],
    ['AMR', 'AUDIO', 'audio/amr', 'amr', makeAmr()],
    ['M4A', 'AUDIO', 'audio/mp4', 'm4a', await makeM4a()],
    ['WEBM', 'AUDIO', 'audio/webm', 'webm', await makeRecordedWebm()],
    ['MP4', 'VIDEO', 'video/mp4', 'mp4', await makeMp4()],
    ['3GP', 'VIDEO', 'video/3gpp', '3gp', await make3gp()],
    ['PDF', 'DOCUMENT', 'application/pdf', 'pdf', makePdf()],
    ['DOC', 'DOCUMENT', 'application/msword', 'doc', makeDoc()],
    ['DOCX', 'DOCUMENT', `${office}.wordprocessingml.document`, 'docx', makeDocx()],
    ['XLS', 'DOCUMENT', 'application/vnd.ms-excel', 'xls', makeXls()],
    ['XLSX', 'DOCUMENT', `${office}.spreadsheetml.sheet`, 'xlsx', makeXlsx()],
    ['PPT', 'DOCUMENT', 'application/vnd.ms-powerpoint', 'ppt', makePpt()],
    ['TXT', 'DOCUMENT', 'text/plain', 'txt', Buffer.from('Olá, tudo bem? 👋\n')],
  ];
  return samples.map(([format, fileType, mimeType, extension, data]) => ({
    format,
    fileType,
    mimeType,
    extension,
    data,
  }));
}
