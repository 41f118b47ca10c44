/** What is pushed to a browser: encrypted for it (RFC 8291), so the push service sees only whose installation it is and how long it may wait. */
import type { Kit } from '../../../kit.ts';
import type { OutboundRequest } from '../../../platform/outside/outbound.ts';
import { nameWriter } from '../names.ts';
import type { PushKeys } from './keys.ts';
import type { DuePush } from './schemas.ts';

/** How long the push service keeps it for a browser that is not reachable. Later it is no news. */
const KEPT_SECONDS = 86_400;
// Push services take 4 kB. Phones show two lines.
const NAME_CHARACTERS = 80;
const PREVIEW_CHARACTERS = 160;

/** Composes the request to the push service. */
export async function makePush(
  { config }: Pick<Kit, 'config'>,
  { endpoint, p256dh, auth, language, notification }: DuePush,
  keys: PushKeys,
): Promise<Omit<OutboundRequest, 'signal' | 'maxBytes'>> {
  const { _id, kind, conversation, actor, preview, count } = notification;
  const message = {
    _id,
    kind,
    conversation,
    contact: shorten(nameWriter(notification), NAME_CHARACTERS),
    actor: shorten(actor?.name ?? null, NAME_CHARACTERS),
    preview: shorten(preview, PREVIEW_CHARACTERS),
    count,
    language,
  };
  // Few installations push, so the library is loaded with the first push.
  const { default: library } = await import('web-push');
  const { headers, body } = library.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(message),
    {
      vapidDetails: { subject: nameSubject(config.PUBLIC_URL), ...keys },
      TTL: KEPT_SECONDS,
      urgency: 'high',
      // One that waits for the browser is replaced by what the notification has become.
      topic: _id,
    },
  );
  // The library also counts bytes and seconds, which are numbers; outbound writes the length itself.
  const { 'Content-Length': _length, ...sent } = headers as Record<string, string | number>;
  const named = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]));
  return { method: 'POST', url: endpoint, headers: named, body: body ?? '' };
}

/** Whom a push service can turn to. It accepts only https: and mailto: (RFC 8292). */
const nameSubject = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:push@${new URL(publicUrl).hostname}`;

function shorten(text: string | null, characters: number): string | null {
  const all = Array.from(text ?? '');
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
}
