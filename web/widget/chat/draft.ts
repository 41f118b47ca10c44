/** What the visitor has typed and not sent, over reloads. */
import { createStore, keep, readKept } from '../../browser/store.ts';
import { keptFor } from '../address.ts';

const KEPT_AS = keptFor('draft');

export const draft = createStore(readKept(KEPT_AS) ?? '');
draft.follow(() => keep(KEPT_AS, draft.get() || null));
