import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { addChat, allowChat, type DemoChat } from './demo.ts';
import { getOwnProperty, type Answer } from './exchange.ts';

const FILES: Record<string, string> = {
  '/': 'index.html',
  '/phone': 'phone.html',
  '/receiver': 'receiver.html',
  '/demo': 'demo.html',
};

/** The page behind the log-in links of the professional network. */
export const LOG_IN = /^\/network\/log-in\/\w+$/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.svg': 'image/svg+xml',
};

// Messages and deliveries contain texts of strangers, so the pages run and load only our own files.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The phone page shows the shop in a tab, so it may frame the pages of this origin, and the shop may be framed by them. */
const FRAMED: Record<string, [from: string, to: string]> = {
  '/phone': ["frame-ancestors 'none'", "frame-ancestors 'none'; frame-src 'self'"],
  '/demo': ["frame-ancestors 'none'", "frame-ancestors 'self'"],
};

const ASSET = /^\/pages\/([a-z-]+\.(?:css|js|svg))$/;

/**
 * Returns the file for a path; undefined when there is no such page. The file is read each time, so that an edit is visible after a reload.
 * The demo shop shows the chat, if there is one.
 */
export async function readPage(path: string, chat: DemoChat | null): Promise<Answer | undefined> {
  const name = LOG_IN.test(path) ? 'log-in.html' : (getOwnProperty(FILES, path) ?? ASSET.exec(path)?.[1]);
  if (name === undefined) return undefined;
  try {
    const file = await readFile(new URL(`./pages/${name}`, import.meta.url));
    const shown = path === '/demo' ? chat : null;
    return {
      status: 200,
      body: addChat(file, shown),
      headers: {
        ...HEADERS,
        'content-security-policy': allowChat(POLICY.replace(...(getOwnProperty(FRAMED, path) ?? ['', ''])), shown),
        'content-type': getOwnProperty(TYPES, extname(name)) ?? 'application/octet-stream',
      },
    };
  } catch {
    // Failure policy: a file that cannot be read counts as a page that does not exist.
    return undefined;
  }
}
