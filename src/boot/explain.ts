import type { Config } from '../config.ts';
import { splitHosts } from '../platform/values/host-list.ts';

const MEANINGS = new Map([
  ['ECONNREFUSED', ': nothing listens there'],
  ['ENOTFOUND', ': no such name'],
]);

/** Turns an error of the start into one sentence for the operator's terminal. The sentence never contains a password. */
export function explainStartError(error: unknown, config: Config): string {
  const { code, message } = error as { code?: string; message: string };
  const hosts = config.DATABASE_URL ? splitHosts(config.DATABASE_URL).map((url) => new URL(url).host) : [];
  const where = hosts.join(', ') || 'the embedded server';
  switch (code) {
    case 'EADDRINUSE':
      return `port ${config.PORT} on ${config.HOST} is taken; set PORT to another one`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `no permission: ${message}`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `DATA_DIR ${config.DATA_DIR} is not a folder`;
    case 'ENOSPC':
      return `the disk that holds ${config.DATA_DIR} is full`;
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return `the database at ${where} cannot be reached (${code}${MEANINGS.get(code) ?? ''}); check DATABASE_URL`;
    case '28P01':
    case '28000':
    case '3D000':
      return `the database at ${where} refuses: ${message}`;
    default:
      return message;
  }
}
