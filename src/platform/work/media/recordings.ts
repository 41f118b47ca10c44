/** Measures sound and video: how long it lasts, how large its picture is, and by which codecs it is written. */
import type { Input, InputFormat, InputTrack } from 'mediabunny';
import { readBytes, type ByteSource } from '../../store/byte-source.ts';
import { AppError } from '../../values/errors.ts';
import { fileFault } from '../file-fault.ts';

export interface Recording {
  /** The seconds that it lasts. */
  duration: number;
  /** The codec of each track: `aac`, `opus`, `avc`, …; where it is not known, the name that the file gives it. */
  codecs: string[];
  /** The size of the picture; null for sound alone. */
  picture: { width: number; height: number } | null;
}

type RecordingFormat = 'MP3' | 'OGG' | 'AAC' | 'MP4' | 'M4A' | '3GP' | 'WEBM';

/** Measures a recording. Throws when it is broken, or has neither sound nor a picture. */
export async function measureRecording(source: ByteSource, format: RecordingFormat): Promise<Recording> {
  try {
    return await measure(source, format);
  } catch (error) {
    // Failure policy: for every error of the parser the caller gets the error that the file is broken.
    throw error instanceof AppError ? error : fileFault(`is a broken ${format}`);
  }
}

/** Opens a recording for its parser. It has to be disposed of. */
export async function openRecording(source: ByteSource, format: RecordingFormat): Promise<Input> {
  // The parser takes a tenth of a second to load, and most files are pictures or documents.
  const { ADTS, CustomSource, Input, MP3, MP4, OGG, WEBM } = await import('mediabunny');
  const parsers: Record<RecordingFormat, InputFormat> = { MP3, OGG, AAC: ADTS, MP4, M4A: MP4, '3GP': MP4, WEBM };
  return new Input({
    formats: [parsers[format]],
    source: new CustomSource({
      getSize: () => source.bytes,
      read: (start, end) => readBytes(source, start, end),
    }),
  });
}

async function measure(source: ByteSource, format: RecordingFormat): Promise<Recording> {
  const input = await openRecording(source, format);
  try {
    const tracks = await input.getTracks();
    const [video] = tracks.filter((track) => track.isVideoTrack());
    if (!tracks.some((track) => track.isVideoTrack() || track.isAudioTrack()))
      throw fileFault(`is a broken ${format}: it has neither sound nor a picture`);
    return {
      duration: await input.computeDuration(),
      codecs: await Promise.all(tracks.map(nameCodec)),
      picture: video ? { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() } : null,
    };
  } finally {
    input.dispose();
  }
}

async function nameCodec(track: InputTrack): Promise<string> {
  const codec = await track.getCodec();
  if (codec !== null) return codec;
  const internal = await track.getInternalCodecId();
  return typeof internal === 'string' ? internal : 'unknown';
}
