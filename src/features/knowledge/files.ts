/** The files of the knowledge base that can be sent to contacts. */
import type { TenantRead } from '../../platform/store/tenant.ts';
import { listMediaFiles, type SendableFile } from './queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const MOST = declareLimit(50, {
  topic: 'Knowledge',
  what: 'Item: MEDIA that an agent can send',
  beyond: 'only the newest ones',
});

/** Lists MEDIA items, the newest first, at most 50: of these items, or with null of all. */
export const listSendableFiles = (read: TenantRead, items: string[] | null): Promise<SendableFile[]> =>
  listMediaFiles(read, items, MOST);
