/**
 * The name of a received file: the id of its message, and the link under which the gateway keeps the file if it has a store of its own. They are
 * divided by the first space.
 */
/** The message around the part: its id, and where the gateway keeps its file. */
export interface Surroundings {
  externalId: string;
  mediaUrl: string | null;
}

/** The longest link that is kept. Links with a signature have some 600 characters. */
const MAX_LINK = 1_500;

/** Ids of messages have no spaces; links may have some. */
export function nameFile({ externalId, mediaUrl }: Surroundings): string {
  return mediaUrl === null || mediaUrl.length > MAX_LINK ? externalId : `${externalId} ${mediaUrl}`;
}

export function readFileName(name: string): { id: string; url: string | null } {
  const space = name.indexOf(' ');
  return space === -1 ? { id: name, url: null } : { id: name.slice(0, space), url: name.slice(space + 1) };
}
