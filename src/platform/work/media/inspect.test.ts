/** What is found out about files: right ones of every format, and files that lie, break off, or want to break their reader. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  makeAmr,
  makeDocx,
  makeGif,
  makeJpg,
  makeLosslessWebp,
  makeLossyWebp,
  makeMovingPng,
  makeMp3,
  makeMp4,
  makeOldOffice,
  makePng,
  makeRecordedMp4,
  makeRecordedWebm,
  makeWebmVideo,
  makeSamples,
  makeWebp,
} from '../../../../test/support/media-samples.ts';
import { makeZip } from '../../../../test/support/sheets.ts';
import { createHurriedReaders } from '../../../../test/support/hurried-readers.ts';
import type { ByteSource } from '../../store/byte-source.ts';
import { createReaders } from '../child-readers.ts';
import { inspectFile } from './inspector.ts';
import { inspectSource } from './inspect.ts';

const sourceOf = (data: Buffer): ByteSource => ({
  bytes: data.length,
  async *read(start, end) {
    yield data.subarray(start, end);
  },
});
const inspect = (data: Buffer) => inspectSource(sourceOf(data));

const samples = await makeSamples();
/** The first bytes of an MP4 file, which name its format. */
const ftyp = (await makeMp4()).subarray(0, 32);

describe('the format of a file', () => {
  for (const { format, data } of samples) {
    test(`a ${format} is recognised by its contents`, async () => {
      assert.equal((await inspect(data)).format, format);
    });
  }

  test('the first half of a file is recognised as the same format as the whole, as broken, or as no format', async () => {
    for (const { format, data } of samples) {
      const half = data.subarray(0, Math.ceil(data.length / 2));
      const found = await inspect(half).then(
        (inspected) => inspected.format,
        (error: unknown) => (error as { code: string }).code,
      );
      assert.ok([format, null, 'VALIDATION_FAILED', 'TXT'].includes(found), `${format}: ${found}`);
    }
  });

  test('an MP4 file without a picture is recognised as sound, also one of another brand and one that a browser recorded', async () => {
    const recorded = await makeRecordedMp4();
    assert.deepEqual(await inspect(recorded), { format: 'M4A', facts: { duration: 2, codecs: ['opus'] } });
    const video = await makeMp4();
    video.write('M4A ', 8, 'latin1');
    assert.equal((await inspect(video)).format, 'MP4');
  });

  test('a WEBM is recognised as sound, and one with a picture has no format that is accepted', async () => {
    assert.deepEqual(await inspect(await makeRecordedWebm()), {
      format: 'WEBM',
      // A recorder does not write how long the last packet lasts.
      facts: { duration: 1.98, codecs: ['opus'] },
    });
    assert.equal((await inspect(await makeWebmVideo())).format, null);
  });

  test('a file of valid UTF-8 without the character NUL is recognised as text, and every other unknown file has no format', async () => {
    const texts = [
      'x',
      'name,price\nBread,12',
      '<?xml version="1.0"?><a/>',
      '{"a":1}',
      '\ufeffOlá',
      'a'.repeat(200_000),
    ];
    for (const text of texts) assert.equal((await inspect(Buffer.from(text))).format, 'TXT', text.slice(0, 50));
    // The first piece ends in the middle of a character.
    assert.equal((await inspect(Buffer.from(`a${'é'.repeat(70_000)}`))).format, 'TXT');
    const others = [
      Buffer.from('José', 'latin1'),
      Buffer.from('half of a character: \xe2\x82', 'latin1'),
      Buffer.from('NUL \0 inside'),
      Buffer.from('Olá', 'utf16le'),
      Buffer.from('\x7fELF\x02\x01\x01\0\0\0', 'latin1'),
      Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'),
      makeZip([{ path: 'a.txt', data: 'a' }]),
    ];
    for (const data of others) assert.equal((await inspect(data)).format, null, data.toString('latin1', 0, 20));
  });

  test('an old Office document is recognised by its own streams and not by those of embedded objects', async () => {
    const document = makeOldOffice(
      ['Root Entry', -1, -1, 2],
      ['Workbook', -1, -1, -1],
      ['ObjectPool', 4, 3, 1],
      ['1Table', -1, -1, -1],
      ['WordDocument', -1, -1, -1],
    );
    assert.equal((await inspect(document)).format, 'DOC');
    const circle = makeOldOffice(['Root Entry', -1, -1, 1], ['A', 2, 1, 0], ['B', 1, 2, 1]);
    assert.equal((await inspect(circle)).format, null);
    assert.equal((await inspect(makeOldOffice(['Root Entry', -1, -1, 900]))).format, null);
    assert.equal((await inspect(document.subarray(0, 100))).format, null);
  });
});

describe('measurements of a file', () => {
  const facts = async (data: Buffer): Promise<object> => (await inspect(data)).facts;

  test('a picture is measured in pixels, and an animated one is recognised', async () => {
    assert.deepEqual(await facts(makeJpg(4_000, 3_000)), { width: 4_000, height: 3_000 });
    assert.deepEqual(await facts(makePng(3, 2)), { width: 3, height: 2 });
    assert.deepEqual(await facts(makeMovingPng()), { width: 3, height: 2, animated: true });
    assert.deepEqual(await facts(makeGif(1)), { width: 12, height: 7 });
    assert.deepEqual(await facts(makeGif(2)), { width: 12, height: 7, animated: true });
    assert.deepEqual(await facts(makeWebp(512, 500)), { width: 512, height: 500 });
    assert.deepEqual(await facts(makeWebp(512, 512, true)), { width: 512, height: 512, animated: true });
    assert.deepEqual(await facts(makeLosslessWebp(300, 200)), { width: 300, height: 200 });
    assert.deepEqual(await facts(makeLossyWebp(320, 240)), { width: 320, height: 240 });
  });

  test('sound and video are measured with their duration, codecs and picture size', async () => {
    const expected: Record<string, object> = {
      MP3: { duration: 2.612, codecs: ['mp3'] },
      AAC: { duration: 2.322, codecs: ['aac'] },
      AMR: { duration: 1, codecs: ['amr'] },
      OGG: { duration: 2, codecs: ['opus'] },
      M4A: { duration: 2, codecs: ['aac'] },
      MP4: { width: 320, height: 240, duration: 2, codecs: ['avc', 'aac'] },
      '3GP': { width: 320, height: 240, duration: 2, codecs: ['avc', 'aac'] },
    };
    for (const [format, wanted] of Object.entries(expected)) {
      const sample = samples.find((each) => each.format === format);
      assert.deepEqual(await facts(sample?.data ?? Buffer.alloc(0)), wanted, format);
    }
    assert.deepEqual(await facts(makeMp3(100, 300_000)), { duration: 2.612, codecs: ['mp3'] });
  });
});

describe('a hostile file', () => {
  /** Boxes of this kind, each inside the one before. */
  function makeNested(kind: string, depth: number): Buffer {
    const boxes = Buffer.alloc(8 * depth);
    for (let index = 0; index < depth; index += 1) {
      boxes.writeUInt32BE(8 * (depth - index), 8 * index);
      boxes.write(kind, 8 * index + 4, 'latin1');
    }
    return boxes;
  }
  const bomb = { path: 'word/media/bomb', data: Buffer.alloc(20 * 1024 * 1024) };
  const files: [name: string, data: Buffer, code: string][] = [
    ['a picture of 4 billion points', makePng(65_535, 65_535), 'DIMENSIONS'],
    ['a picture that is too long for its few points', makeJpg(60_000, 1), 'DIMENSIONS'],
    ['a picture of 16,000 x 16,000 points', makeWebp(16_000, 16_000), 'DIMENSIONS'],
    ['a picture without a height', makeGif(1, 10, 0), 'MALFORMED'],
    ['a JPG that ends before its picture', makeJpg().subarray(0, 200), 'MALFORMED'],
    ['a JPG of empty segments', Buffer.from(`\xff\xd8${'\xff\xe0\0\0'.repeat(10_000)}`, 'latin1'), 'MALFORMED'],
    ['100,000 boxes inside each other', Buffer.concat([ftyp, makeNested('moov', 100_000)]), 'MALFORMED'],
    ['100,000 tracks inside each other', Buffer.concat([ftyp, makeNested('trak', 100_000)]), 'MALFORMED'],
    ['an AMR of a reserved kind', Buffer.from('#!AMR\n\x48\0\0', 'latin1'), 'MALFORMED'],
    ['an AMR without sound', Buffer.from('#!AMR\n'), 'MALFORMED'],
    ['an AMR of wide band', Buffer.from('#!AMR-WB\n\0\0'), 'MALFORMED'],
    [
      'a document that unpacks to twenty megabytes of nothing',
      makeZip([{ path: 'word/document.xml', data: '' }, bomb]),
      'TOO_LARGE',
    ],
    ['a document that is cut off', makeDocx().subarray(0, -30), 'MALFORMED'],
  ];

  for (const [name, data, code] of files) {
    test(`${name} is refused`, async () => {
      await assert.rejects(inspect(data), (error: { code: string; errors: { path: string; code: string }[] }) => {
        assert.deepEqual(
          [error.code, error.errors[0]?.path, error.errors[0]?.code],
          ['VALIDATION_FAILED', 'file', code],
          JSON.stringify(error),
        );
        return true;
      });
    });
  }

  test('a file is measured only when it is not too large for its format', async () => {
    const large = Buffer.concat([makePng(65_535, 65_535), Buffer.alloc(5 * 1024 * 1024)]);
    assert.deepEqual(await inspect(large), { format: 'PNG', facts: {} });
    assert.equal((await inspect(makeAmr(10))).facts.duration, 0.2);
  });
});

describe('the child process that inspects files', () => {
  const good = createReaders(new URL('../../../file-reader.ts', import.meta.url), 0);
  const stubborn = createHurriedReaders(new URL('../../../../test/support/stubborn-inspector.ts', import.meta.url));
  after(() => {
    good.close();
    stubborn.close();
  });

  test('the child process measures a file with the same result as the main process', async () => {
    for (const { format, data } of samples) {
      assert.deepEqual(await inspectFile(good, { owner: 'a', source: sourceOf(data) }), await inspect(data), format);
    }
    await assert.rejects(inspectFile(good, { owner: 'a', source: sourceOf(makePng(65_535, 65_535)) }), {
      code: 'VALIDATION_FAILED',
    });
  });

  test('a file for which its reader uses too much time or memory is refused, and the files of another company beside it and after it are read', async () => {
    const readBeside = async (): Promise<void> => {
      const { format } = await inspectFile(stubborn, { owner: 'b', source: sourceOf(Buffer.from('right')) });
      assert.equal(format, 'TXT');
    };
    const refused = async (text: string, code: string): Promise<void> => {
      const source = sourceOf(Buffer.from(text));
      await assert.rejects(inspectFile(stubborn, { owner: 'a', source }), (error: { errors: { code: string }[] }) => {
        assert.equal(error.errors[0]?.code, code);
        return true;
      });
    };
    for (const [text, code] of [
      ['loop', 'TOO_SLOW'],
      ['eat', 'MALFORMED'],
    ] as const)
      await Promise.all([refused(text, code), readBeside(), readBeside()]);
    await readBeside();
  });

  test('an inspection ends when its caller closes the connection', async () => {
    const caller = new AbortController();
    const inspection = inspectFile(stubborn, {
      owner: 'a',
      source: sourceOf(Buffer.from('loop')),
      signal: caller.signal,
    });
    setTimeout(() => caller.abort(), 200);
    await assert.rejects(inspection, { code: 'UNAVAILABLE' });
  });
});
