/** Parses a Cloud API callback into its elements, without the parts that the platform ignores. */
import type { Inbound } from '../../src/channels/channel.ts';
import { parseCallback } from '../../src/channels/wap-auto-closer/parse.ts';

export const parseElements = (body: unknown): Inbound[] =>
  [...parseCallback(body)].filter((element) => element !== null);
