/** What the Cloud API's translator reads in a body, without the parts that say nothing. */
import type { Inbound } from '../../src/channels/channel.ts';
import { parseCallback } from '../../src/channels/wap-auto-closer/parse.ts';

export const elementsOf = (body: unknown): Inbound[] => [...parseCallback(body)].filter((element) => element !== null);
