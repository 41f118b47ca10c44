/** The web chats of all companies, as pages and visitors name them: by the id of their inbox. */
import type { Hours } from '../../channels/office-hours.ts';
import type { WebConfig } from '../../channels/web-config.ts';
import type { Kit } from '../../kit.ts';
import type { ShareOwner } from '../../platform/store/connection-shares.ts';
import { parseWebAddress } from '../../platform/values/web-address.ts';
import { isId } from '../../platform/values/ids.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findInboxHours } from '../business-hours/business-hours.ts';
import { findCalled, findOldestAllowing, replaceAllowedOrigin } from '../inboxes/ingest-queries.ts';
import { openSettings } from '../inboxes/settings.ts';
import { listPictures } from './queries.ts';

export interface Site {
  company: string;
  inbox: string;
  /** The heading of the chat. */
  title: string;
  config: WebConfig;
  /** When the company answers, and what visitors read otherwise: those of the inbox, or else those of the chat alone. */
  hours: Hours | null;
  awayText: string | null;
  /** The sites whose pages may show the chat, besides those of the platform. */
  origins: readonly string[];
  /** Where the pictures come from that the chat shows of the company and its people. */
  pictureOrigins: readonly string[];
}

interface Known {
  site: Promise<Site | null>;
  untilMs: number;
}

// The policy of the page names them in a header, whose length proxies limit. The company's own picture is the last one.
const MOST_ORIGINS = 20;

// A change of the settings takes effect within this time.
const REMEMBER_MS = 2_000;
const MOST_REMEMBERED = 10_000;

const memories = new WeakMap<Kit, Map<string, Known>>();

/** Finds the web chat with this inbox; null when there is none, or when the inbox is deleted. `behalf` is whose connections it uses. */
export function readSite(kit: Kit, inbox: string, behalf: ShareOwner): Promise<Site | null> {
  if (!isId(inbox)) return Promise.resolve(null);
  const memory = memories.get(kit) ?? new Map<string, Known>();
  memories.set(kit, memory);
  const nowMs = performance.now();
  const known = memory.get(inbox);
  if (known && known.untilMs > nowMs) return known.site;
  if (memory.size >= MOST_REMEMBERED) memory.clear();
  const site = findSite(kit, inbox, behalf);
  memory.set(inbox, { site, untilMs: nowMs + REMEMBER_MS });
  site.catch(() => memory.delete(inbox));
  return site;
}

async function findSite(kit: Kit, inbox: string, behalf: ShareOwner): Promise<Site | null> {
  const system = kit.database.system(behalf);
  const row = await findCalled(system, 'WEB_V2', inbox);
  if (!row?.receives) return null;
  const config = openSettings(row, kit.channels.get('WEB_V2'), kit.secrets) as WebConfig;
  const pictures = config.show_operator_names ? await listPictures(system, row.company) : [];
  if (config.avatar_url !== null) pictures.push(config.avatar_url);
  const hours = await findInboxHours(kit.database.read(row.company), row.business_hours);
  const { office_hours: own } = config;
  return {
    company: row.company,
    inbox,
    title: config.title ?? row.name,
    config,
    hours: hours ?? own,
    awayText: hours ? row.away_text : (own?.away_text ?? null),
    origins: config.allowed_origins,
    pictureOrigins: [...new Set(pictures.flatMap((url) => parseWebAddress(url)?.origin ?? []))].slice(-MOST_ORIGINS),
  };
}

/** Lets the chats that the pages of one site may show be shown by those of another instead. */
export const moveSites = (tx: SystemTx, from: string, to: string): Promise<number> =>
  replaceAllowedOrigin(tx, from, to);

/** Returns the inbox of the first chat that the pages of a site may show; null when there is none. */
export const findChatFor = async (tx: SystemTx, origin: string): Promise<string | null> =>
  (await findOldestAllowing(tx, origin))?.inbox ?? null;

/** True when the settings of the chat name the origin, such as https://www.shop.example, or all hosts below its domain. */
export function namesOrigin({ origins }: Pick<Site, 'origins'>, origin: string): boolean {
  return origins.some((allowed) => {
    if (!allowed.includes('//*.')) return allowed === origin;
    const [scheme = '', rest = ''] = allowed.split('//*.');
    return origin.startsWith(`${scheme}//`) && origin.endsWith(`.${rest}`);
  });
}
