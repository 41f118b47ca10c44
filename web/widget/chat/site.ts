import { createStore } from '../../browser/store.ts';
import type { VisitedPage } from '../bridge.ts';

/** Where the visitor is on the site; null when the chat was opened by itself. */
export const visitedPage = createStore<VisitedPage | null>(null);
