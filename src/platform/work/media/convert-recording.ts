/** Puts sound that browsers have recorded into an OGG. The sound itself stays as it is, because both containers carry the codec Opus. */
import type { InputAudioTrack } from 'mediabunny';
import type { ByteSource } from '../../store/byte-source.ts';
import { AppError } from '../../values/errors.ts';
import { fileFault } from '../file-fault.ts';
import type { Converted } from './conversions.ts';
import { measureRecording, openRecording } from './recordings.ts';

export async function convertRecording(source: ByteSource, format: 'M4A' | 'WEBM'): Promise<Converted> {
  const input = await openRecording(source, format);
  try {
    const track = await input.getPrimaryAudioTrack();
    if ((await track?.getCodec()) !== 'opus' || !track) throw fileFault(`is a ${format} without Opus`);
    const data = await copyToOgg(track);
    if (data === null) throw fileFault(`is a broken ${format}: it has no sound`);
    const { duration, codecs } = await measureRecording(toSource(data), 'OGG');
    return { format: 'OGG', facts: { duration, codecs }, data };
  } catch (error) {
    // Failure policy: for every error of the parser the caller gets the error that the file is broken.
    throw error instanceof AppError ? error : fileFault(`is a broken ${format}`);
  } finally {
    input.dispose();
  }
}

/** Returns null for a track without any sound. */
async function copyToOgg(track: InputAudioTrack): Promise<Buffer | null> {
  const { BufferTarget, EncodedAudioPacketSource, EncodedPacketSink, OggOutputFormat, Output } =
    await import('mediabunny');
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const sound = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(sound);
  await output.start();
  const decoderConfig = await track.getDecoderConfig();
  let begin: number | null = null;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    begin ??= packet.timestamp;
    // A recorder may count from a moment before the first sound.
    const moved = packet.clone({ timestamp: packet.timestamp - begin });
    await sound.add(moved, decoderConfig ? { decoderConfig } : {});
  }
  if (begin === null) return null;
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

const toSource = (data: Buffer): ByteSource => ({
  bytes: data.length,
  async *read(start, end) {
    yield data.subarray(start, end);
  },
});
