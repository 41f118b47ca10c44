import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { own, type Answer } from './exchange.ts';

const FILES: Record<string, string> = {
  '/': 'index.html',
  '/phone': 'phone.html',
  '/receiver': 'receiver.html',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.svg': 'image/svg+xml',
};

const HEADERS = {
  // Messages and deliveries contain text of strangers, so only our own files may run or be loaded.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const ASSET = /^\/pages\/([a-z-]+\.(?:css|js|svg))$/;

/** The file for a path; undefined when there is no such page. It is read each time, so that a reload shows an edit. */
export async function readPage(path: string): Promise<Answer | undefined> {
  const name = own(FILES, path) ?? ASSET.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    const body = await readFile(new URL(`./pages/${name}`, import.meta.url));
    return {
      status: 200,
      body,
      headers: { ...HEADERS, 'content-type': own(TYPES, extname(name)) ?? 'application/octet-stream' },
    };
  } catch {
    // Failure policy: a file that can not be read counts as a page that does not exist.
    return undefined;
  }
}
