/**
 * The name of a received file: the id of its message, and what else is needed to get the file: the link under which the gateway keeps it if it has a
 * store of its own, or the file's id at the Cloud API behind the gateway. They are divided by the first space. A file that came with its message is
 * named by the event that the platform keeps, and by the id of its message.
 */
import { asIdentifier, type Json } from '../values.ts';

/** The message around the part: its id, where the gateway keeps its file, and the name of the event if the file is in it. */
export interface Surroundings {
  externalId: string;
  mediaUrl: string | null;
  item: string | null;
}

/** A file of the Cloud API: the name of the property of the message that holds it, and its id. */
interface CloudFile {
  part: string;
  id: string;
}

/** The longest id of a message whose file is taken out of its event. */
export const MAX_CARRIED_NAME = 200;

/** The longest link that is kept. Links with a signature have some 600 characters. */
const MAX_LINK = 1_500;

/** Ids of messages have no spaces; links may have some. */
export function nameFile({ externalId, mediaUrl, item }: Surroundings, part: string, file: Json): string {
  if (item !== null) return `${item}.${externalId}`;
  if (mediaUrl !== null && mediaUrl.length <= MAX_LINK) return `${externalId} ${mediaUrl}`;
  const id = asIdentifier(file.id);
  return id === null ? externalId : `${externalId} cloud:${part}:${id}`;
}

const CLOUD_FILE = /^cloud:([A-Za-z]+):(\S+)$/;

export function readFileName(name: string): { id: string; url: string | null; cloud: CloudFile | null } {
  const space = name.indexOf(' ');
  if (space === -1) return { id: name, url: null, cloud: null };
  const [id, rest] = [name.slice(0, space), name.slice(space + 1)];
  const [, part, fileId] = CLOUD_FILE.exec(rest) ?? [];
  if (part === undefined || fileId === undefined) return { id, url: rest, cloud: null };
  return { id, url: null, cloud: { part, id: fileId } };
}
