import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { waitMs, writeAnswer } from './exchange.ts';
import { applyFault } from './faults.ts';
import { makeErrorAnswer, type GraphFailure } from './graph-errors.ts';
import { downloadMedia } from './media.ts';
import { isDownloadFault, takeDownloadFault, type DownloadFault } from './settings.ts';
import type { Sandbox } from './state.ts';

/** `refusal` is set when the call brings no usable token. */
type Download = { refusal: GraphFailure | undefined; query: URLSearchParams };

const PIECE = Buffer.alloc(65_536);
// A slow file is sent in this many pieces.
const DRIPS = 10;

/** Answers a call to the address of a file, with the fault that is set for it. */
export async function handleDownload(
  sandbox: Sandbox,
  { refusal, query }: Download,
  res: ServerResponse,
): Promise<void> {
  const fault = takeDownloadFault(sandbox.graph.settings);
  const wrong = fault !== undefined && isDownloadFault(fault) ? fault : undefined;
  if (fault !== undefined && !isDownloadFault(fault) && (await applyFault(fault, res))) return;
  if (refusal !== undefined) return writeAnswer(res, makeErrorAnswer(refusal));
  const found = downloadMedia(sandbox.graph.media, query);
  // A redirect is sent even when there is no such file, so that a test can make it lead in circles.
  if (wrong === undefined || (found.status !== 200 && wrong.kind !== 'redirect')) return writeAnswer(res, found);
  return distort(wrong, found.body as Buffer, res);
}

/** Answers with a file that has the given fault. */
async function distort(fault: DownloadFault, bytes: Buffer, res: ServerResponse): Promise<void> {
  const send = (status: number, body: Buffer, headers = {}): void => writeAnswer(res, { status, body, headers });
  switch (fault.kind) {
    case 'expired':
      return send(404, Buffer.alloc(0));
    case 'redirect':
      return send(302, Buffer.alloc(0), { location: fault.location });
    case 'altered':
      return send(200, Buffer.from(bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte))));
    case 'shortened':
      return send(200, bytes.subarray(0, -1));
    case 'cut':
      res.writeHead(200, { 'content-length': bytes.length });
      res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy());
      return;
    case 'drip':
      res.writeHead(200, { 'content-length': bytes.length });
      for (let drip = 0; drip < DRIPS && !res.destroyed; drip += 1) {
        res.write(bytes.subarray((bytes.length * drip) / DRIPS, (bytes.length * (drip + 1)) / DRIPS));
        await waitMs(fault.ms ?? 100);
      }
      res.end();
      return;
    case 'endless':
      res.writeHead(200);
      // The stream ends when the client closes the connection, which is no error here.
      pipeline(Readable.from(repeat(PIECE)), res, () => undefined);
  }
}

function* repeat(piece: Buffer): Generator<Buffer> {
  for (;;) yield piece;
}
