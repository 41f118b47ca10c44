/** Makes pictures that a model can look at: upright JPGs of a limited size. This runs in child processes. */
import type { Sharp } from 'sharp';
import { readBytes } from '../../store/byte-source.ts';
import type { Supply } from '../child.ts';
import { suppliedSource } from '../child-work.ts';
import { AppError } from '../../values/errors.ts';
import { fileFault } from '../file-fault.ts';
import { openPicture, takeDecoder } from './open-picture.ts';

/** The longest side of a view. Models make larger pictures smaller before they look at them. */
export const VIEW_SIDE = 1_536;
// Small print can still be read, and a page of text has some 200 kB.
const QUALITY = 80;
/** A larger view, such as that of a picture with much noise, is made with less quality. */
const GOOD_BYTES = 512 * 1024;
const POOR_QUALITY = 40;

/** The request for the view of a picture: how many bytes its file has. */
export interface ViewRequest {
  view: number;
}

export const isViewRequest = (request: object): request is ViewRequest => 'view' in request;

export async function answerView({ view: bytes }: ViewRequest, supply: Supply): Promise<Buffer> {
  const data = await readBytes(suppliedSource(bytes, supply), 0, bytes);
  try {
    return await makeView(await openPicture(data));
  } catch (error) {
    // Failure policy: for every error of the decoder the caller gets the error that the file is broken.
    throw error instanceof AppError ? error : fileFault('is a broken picture');
  }
}

/** A picture of red, green, blue and opacity for each point. */
export interface DrawnPage {
  points: Buffer;
  width: number;
  height: number;
}

/** Makes the view of something that was drawn. */
export async function viewPage({ points, width, height }: DrawnPage): Promise<Buffer> {
  const sharp = await takeDecoder();
  return makeView(sharp(points, { raw: { width, height, channels: 4 } }));
}

async function makeView(picture: Sharp): Promise<Buffer> {
  const sized = picture
    .resize({ width: VIEW_SIDE, height: VIEW_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' });
  const view = await sized.clone().jpeg({ quality: QUALITY }).toBuffer();
  return view.length <= GOOD_BYTES ? view : sized.jpeg({ quality: POOR_QUALITY }).toBuffer();
}
