/** Decides which people an inbox in test mode may write to. */
import type { Channel } from '../../channels/channel.ts';
import type { Identity } from '../../channels/identity.ts';

/** Reads the name of a person that a caller wrote; null when it names nobody on this channel. */
export function readName({ identities }: Pick<Channel, 'identities'>, text: string): Identity | null {
  return identities.find(({ writing }) => writing.test(text))?.identify(text) ?? null;
}

/** True when one of the `listed` texts is one of the person's names, in whatever spelling. */
export function isNamedIn(
  channel: Pick<Channel, 'identities'>,
  listed: readonly string[],
  names: readonly Identity[],
): boolean {
  return listed.some((text) => {
    const asked = readName(channel, text);
    return asked !== null && names.some(({ kind, value }) => kind === asked.kind && value === asked.value);
  });
}
