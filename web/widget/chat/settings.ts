/** The settings of the inbox, as the company has made them. */
import { createStore } from '../../browser/store.ts';
import { readSettings } from '../api/operations.ts';
import { findRefusal } from '../api/refusals.ts';
import type { ChatSettings } from '../api/types.ts';
import { chooseTextColor, readColor } from '../../browser/colors.ts';
import { tellHost } from '../host.ts';
import { preferLanguage } from '../texts/language.ts';

/** 'gone' when the inbox has no chat any more; null until the platform has answered. */
export const settings = createStore<ChatSettings | 'gone' | null>(null);

/** Office hours begin and end while a page is open. */
const LIFE_MS = 5 * 60_000;
let readAt = Number.NEGATIVE_INFINITY;

/** Reads the settings, unless they have just been read. */
export async function loadSettings(): Promise<void> {
  if (performance.now() - readAt < LIFE_MS) return;
  readAt = performance.now();
  try {
    show(await readSettings());
  } catch (error) {
    if (findRefusal(error) === null) throw error;
    settings.set('gone');
  }
}

function show(read: ChatSettings): void {
  const color = readColor(read.color);
  const { style } = document.documentElement;
  style.setProperty('--brand', color);
  style.setProperty('--on-brand', chooseTextColor(color));
  document.title = read.title;
  preferLanguage('inbox', read.language);
  settings.set(read);
  tellHost({ parley: 'settings', color, position: read.position, language: read.language });
}
