/** Uploads files in tests, and loads them. */
import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Json, Platform } from './platform.ts';
import { postForm, type FormParts } from './sheets.ts';

export const UPLOAD = '/v1/resource/upload-attachment';

export interface UploadedParts {
  data: Buffer | string;
  name?: string;
  fileType?: string;
  /** The media type that the caller claims. */
  type?: string;
}

export const uploadForm = ({ data, name = 'file', fileType, type }: UploadedParts): FormParts => ({
  ...(fileType === undefined ? {} : { fileType }),
  file: { name, data, ...(type === undefined ? {} : { type }) },
});

/** Uploads a file and returns its attachment. */
export async function uploadFile(platform: Platform, parts: UploadedParts, key = platform.demo.key): Promise<Json> {
  return (await postForm(platform, [201, UPLOAD], uploadForm(parts), { key })).body;
}

/** Begins to load a file, and reads none of the answer's body. */
export async function beginReading(
  url: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<{ status: number | undefined; hangUp(): void }> {
  const asked = request(url, { agent: false, ...options }).end(body);
  asked.on('error', () => undefined);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { status: response.statusCode, hangUp: () => asked.destroy() };
}
