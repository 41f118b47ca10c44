/** The port for files: which files a channel sends, and how it gets them to its network. */
import type { Readable } from 'node:stream';
import type { FileType } from '../platform/work/media/formats.ts';

/** The files that a channel sends as one content type. */
export interface MediaFormat {
  contentType: FileType;
  /** The media types that the network takes; null when it takes every type. */
  mimeTypes: readonly string[] | null;
  /** The media types that the network takes in the header of a template, where they are fewer. */
  headerMimeTypes?: readonly string[];
  /** The codecs that the network takes in files of some media types. In other files it takes every codec. */
  codecs?: readonly (readonly [mimeType: string, codecs: readonly string[]])[];
  /** True when the network takes pictures with 8-bit colours in RGB or grey only. */
  plainColors?: true;
  maxBytes: number;
  /** The most bytes of a picture that does not move, where it is less. */
  maxStillBytes?: number;
  /** The most characters of a caption; 0 when the network shows none, and null when it may be as long as any text. */
  maxCaption: number | null;
}

/** A file that is sent with a message. */
export interface OutboundFile {
  mimeType: string;
  fileName: string;
  bytes: number;
  /** A link that opens the file to everybody, for networks that fetch it themselves. */
  url: string;
  /** Whether the contact gets the sound as a voice note. */
  voice: boolean;
  /** The network's id of the uploaded file; null on channels without `uploadFile`. */
  networkId: string | null;
  /** Opens the file from its beginning. The stream has to be read or destroyed. */
  open(): Promise<Readable>;
}
