/** What this browser remembers of the chat for the next page of the site. No token is among it. */
import { keep, readKept } from '../../browser/store.ts';
import type { Side } from '../bridge.ts';

export interface Memory {
  color?: string;
  position?: Side;
  language?: string | null;
  /** The browser has a visitor, for whom messages may arrive. */
  isKnown?: boolean;
}

const keptAs = (inbox: string): string => `parley.chat.${inbox}`;

export function readMemory(inbox: string): Memory {
  try {
    return { ...(JSON.parse(readKept(keptAs(inbox)) ?? '{}') as Memory | null) };
  } catch {
    // Failure policy: what another script of the site has written there is forgotten.
    return {};
  }
}

export const keepMemory = (inbox: string, memory: Memory): void => keep(keptAs(inbox), JSON.stringify(memory));
