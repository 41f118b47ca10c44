/** What was begun and not sent yet, kept for each person and conversation in this browser, also over a reload and another log-in. */
import type { Message } from '@parley/sdk';
import { useState } from 'react';
import { whenSeen, withLock } from '../../../../browser/tabs.ts';
import { whenMerged } from '../../../records/merged.ts';
import { findOwnId, useSession } from '../../../session/session.ts';
import { createStore, keep, listKept, listKeptKeys, readKept, useStore } from '../../../store.ts';
import { getTexts } from '../../../texts/texts.ts';
import { whenUploadEnds, type Upload, type UploadStore } from '../../../ui/uploads/uploads.ts';
import { UPLOADS } from '../../../ui/uploads/texts.ts';
import { heads, moveTyped, readTyped } from './mail-head.ts';

export type Writing = 'REPLY' | 'NOTE';

/** A note and a reply are kept apart, so that the words of one never end up in the other. */
const KEPT_AS: Record<Writing, string> = { REPLY: 'parley.draft.', NOTE: 'parley.note.' };
/** Each file is kept by itself, so that several tabs do not overwrite each other's. */
const FILES_KEPT_AS = 'parley.file.';

const texts = createStore<ReadonlyMap<string, string>>(new Map());
const QUOTES_KEPT_AS = 'parley.quote.';
const quotes = createStore<ReadonlyMap<string, Message | null>>(
  new Map(
    listKeptKeys(QUOTES_KEPT_AS).map((key) => [
      key.slice(QUOTES_KEPT_AS.length),
      JSON.parse(readKept(key) ?? 'null') as Message | null,
    ]),
  ),
);

function setQuote(place: string, quote: Message | null): void {
  quotes.set(new Map(quotes.get()).set(place, quote));
  keep(QUOTES_KEPT_AS + place, quote && JSON.stringify(quote));
}
const files = new Map<string, UploadStore>();
/** Where files are kept: the rows of the inbox ask this of each conversation, without opening its files. */
const withFiles = createStore<ReadonlySet<string>>(listWithFiles());

function listWithFiles(): ReadonlySet<string> {
  // After the beginning, a key names the user, the conversation and the file.
  const parts = listKeptKeys(FILES_KEPT_AS).map((key) => key.slice(FILES_KEPT_AS.length).split('.'));
  return new Set(parts.map(([user, conversation]) => `${user}.${conversation}`));
}

const readText = (key: string): string => texts.get().get(key) ?? readKept(key) ?? '';
const showText = (key: string, text: string): void => texts.set(new Map(texts.get()).set(key, text));

/** Names the draft of the user in a conversation. */
export function useDraftPlace(conversation: string): string {
  const { user } = useSession();
  return `${user._id}.${conversation}`;
}

export interface Draft {
  writing: Writing;
  text: string;
  /** True for what has a text. */
  hasText: Readonly<Record<Writing, boolean>>;
  choose(writing: Writing): void;
  setText(text: string): void;
}

/** Begins with the reply, or with the note when only a note was begun. */
export function useDraft(place: string): Draft {
  const reply = useStore(texts, () => readText(KEPT_AS.REPLY + place));
  const note = useStore(texts, () => readText(KEPT_AS.NOTE + place));
  const [writing, choose] = useState<Writing>(reply === '' && note !== '' ? 'NOTE' : 'REPLY');
  return {
    writing,
    text: writing === 'NOTE' ? note : reply,
    hasText: { REPLY: reply !== '', NOTE: note !== '' },
    choose,
    setText: (text) => {
      showText(KEPT_AS[writing] + place, text);
      keep(KEPT_AS[writing] + place, text === '' ? null : text);
    },
  };
}

/** What was begun in a conversation, for its row: the text of the reply or else of the note, "" for files alone; null for nothing. */
export function useBegun(place: string): string | null {
  const text = useStore(texts, () => readText(KEPT_AS.REPLY + place) || readText(KEPT_AS.NOTE + place));
  const hasFiles = useStore(withFiles, (places) => places.has(place));
  return text.trim() === '' && !hasFiles ? null : text;
}

/** True when the user has begun something in a conversation. */
export function hasDraft(conversation: string): boolean {
  const place = `${findOwnId()}.${conversation}`;
  return Object.values(KEPT_AS).some((kept) => readText(kept + place).trim() !== '') || withFiles.get().has(place);
}

/** Puts a text back into the reply, before what was written since then. */
export function putBack(place: string, text: string): void {
  const key = KEPT_AS.REPLY + place;
  const since = readText(key);
  const all = since === '' ? text : `${text}\n${since}`;
  showText(key, all);
  keep(key, all);
}

/**
 * Moves what was begun in a conversation that is merged, behind what was begun in the other one, which keeps its own quote, subject and
 * recipients. An upload that runs stays behind. Of several tabs that hear of the merge, only the first one finds a text to move in the
 * browser's storage.
 */
function moveDraft(from: string, to: string): void {
  for (const kept of Object.values(KEPT_AS)) {
    const text = readKept(kept + from);
    if (text === null) continue;
    keep(kept + from, null);
    showText(kept + from, '');
    const before = readText(kept + to);
    const all = before === '' ? text : `${before}\n${text}`;
    showText(kept + to, all);
    keep(kept + to, all);
  }
  moveTyped(from, to);
  moveQuote(from, to);
  const [source, target] = [openFiles(from), openFiles(to)];
  const moved = source.get().filter((each) => !isRunning(each));
  if (moved.length === 0) return;
  target.set([...target.get(), ...moved]);
  source.set(source.get().filter(isRunning));
}

function moveQuote(from: string, to: string): void {
  const quote = quotes.get().get(from);
  if (!quote) return;
  setQuote(from, null);
  if (!quotes.get().get(to)) setQuote(to, quote);
}

/** The message that the reply answers. */
export function useQuote(place: string): [quote: Message | null, set: (quote: Message | null) => void] {
  const quote = useStore(quotes, (all) => all.get(place) ?? null);
  return [quote, (next) => setQuote(place, next)];
}

const byKey = (a: Upload, b: Upload): number => (a.key < b.key ? -1 : 1);

/** The files of the reply. */
export function openFiles(place: string): UploadStore {
  const known = files.get(place);
  if (known) return known;
  const kept = listKept(`${FILES_KEPT_AS}${place}.`).map((text) => JSON.parse(text) as Upload);
  const store = createStore<readonly Upload[]>(kept.toSorted(byKey));
  files.set(place, store);
  keepFiles(place, store);
  for (const each of kept) if (isRunning(each)) stopWithTab(store, each.key);
  return store;
}

const isRunning = ({ attachment, problem }: Upload): boolean => attachment === null && problem === null;

/** Marks an upload as stopped when its tab is gone. */
function stopWithTab(store: UploadStore, key: string): void {
  const stop = (each: Upload): Upload =>
    each.key === key && isRunning(each) ? { ...each, problem: getTexts(UPLOADS).stopped } : each;
  void whenUploadEnds(key, async () => store.set(store.get().map(stop)));
}

function noteFiles(place: string, isBegun: boolean): void {
  const places = withFiles.get();
  if (places.has(place) === isBegun) return;
  withFiles.set(new Set(isBegun ? [...places, place] : [...places].filter((each) => each !== place)));
}

/** True while a store takes over what another tab has kept: by now, that tab may have kept something newer. */
let isTold = false;

function keepFiles(place: string, store: UploadStore): void {
  let before = store.get();
  store.follow(() => {
    const [was, now] = [before, store.get()];
    before = now;
    noteFiles(place, now.length > 0);
    if (isTold) return;
    for (const { key } of was) if (!now.some((each) => each.key === key)) keep(`${FILES_KEPT_AS}${place}.${key}`, null);
    for (const each of now)
      if (!was.includes(each)) keep(`${FILES_KEPT_AS}${place}.${each.key}`, JSON.stringify({ ...each, preview: null }));
  });
}

// Another tab has written or sent the same draft.
window.addEventListener('storage', ({ key: name, newValue }) => {
  if (name === null) return;
  if (Object.values(KEPT_AS).some((kept) => name.startsWith(kept))) showText(name, newValue ?? '');
  if (name.startsWith(QUOTES_KEPT_AS)) {
    const quote = JSON.parse(newValue ?? 'null') as Message | null;
    quotes.set(new Map(quotes.get()).set(name.slice(QUOTES_KEPT_AS.length), quote));
  }
  if (name.startsWith(FILES_KEPT_AS)) withFiles.set(listWithFiles());
  for (const [place, store] of files) {
    const beginning = `${FILES_KEPT_AS}${place}.`;
    if (!name.startsWith(beginning)) continue;
    const others = store.get().filter(({ key }) => beginning + key !== name);
    const file = newValue === null ? null : (JSON.parse(newValue) as Upload);
    // Without locks, this tab could not tell whether the upload still runs, so it shows the file once it is there.
    if (file && isRunning(file) && !('locks' in navigator)) continue;
    isTold = true;
    store.set(file === null ? others : [...others, file].toSorted(byKey));
    isTold = false;
    if (file && isRunning(file)) stopWithTab(store, file.key);
  }
});

whenMerged((from, into) => {
  const user = findOwnId();
  if (user !== null) moveDraft(`${user}.${from}`, `${user}.${into}`);
});

/** The replies that are sent as soon as their files are uploaded. */
const awaited = createStore<ReadonlySet<string>>(new Set());

export const useIsAwaited = (place: string): boolean => useStore(awaited, (all) => all.has(place));

/** True when the reply has a text or files. */
export const isReplyBegun = (place: string): boolean =>
  readText(KEPT_AS.REPLY + place) !== '' || openFiles(place).get().length > 0;

/**
 * Sends a reply once its files are uploaded, from one of the tabs in which this was asked for. Resolves with false when the reply is changed
 * before, or when a file cannot be uploaded.
 */
export async function sendUploaded(place: string, send: () => Promise<unknown>): Promise<boolean> {
  const store = openFiles(place);
  const describe = (): string =>
    JSON.stringify([
      readText(KEPT_AS.REPLY + place),
      readTyped(place),
      quotes.get().get(place)?._id,
      store.get().map(({ key }) => key),
    ]);
  const begun = describe();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const look = (): void => {
    if (describe() !== begun || store.get().some(({ problem }) => problem !== null)) resolve(false);
    else if (!store.get().some(isRunning)) resolve(true);
  };
  const stops = [texts, heads, quotes, store].map((each) => each.follow(look));
  awaited.set(new Set(awaited.get()).add(place));
  look();
  const isReady = await promise;
  for (const stop of stops) stop();
  const end = Promise.withResolvers<boolean>();
  void withLock(`parley.reply.${place}`, async () => {
    awaited.set(new Set([...awaited.get()].filter((each) => each !== place)));
    const isSame = isReady && describe() === begun;
    end.resolve(isSame && send().then(() => true));
    if (isSame) await whenSeen();
  });
  return end.promise;
}
