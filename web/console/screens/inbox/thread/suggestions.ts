/** What is offered while somebody types: quick replies after a slash, and in notes the names of users after an at sign. */
import type { QuickReply, User } from '@parley/sdk';
import { useState } from 'react';
import { fillVariables, type VariableValues } from '../../../records/quick-replies.ts';

export interface Suggestion {
  key: string;
  label: string;
  /** A second line that explains it. */
  detail: string;
  /** What takes the place of the sign and of what was typed behind it. */
  text: string;
  /** The attachment of a quick reply. */
  attachment?: string | null;
  /** The user who is mentioned. */
  user?: string;
}

/** More are never offered at once. */
const MOST = 8;
/** The sign and what stands between it and the caret, at the beginning or after a space. */
const TOKEN = /(?:^|\s)([/@])([\p{L}\p{N}._-]*)$/u;

interface Token {
  sign: string;
  typed: string;
  /** Where the sign is in the text. */
  start: number;
}

function findToken(text: string, caret: number): Token | null {
  const [, sign, typed] = TOKEN.exec(text.slice(0, caret)) ?? [];
  return sign === undefined || typed === undefined ? null : { sign, typed, start: caret - typed.length - 1 };
}

const fold = (text: string): string => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

export const offerQuickReplies = (replies: readonly QuickReply[], values: VariableValues): Suggestion[] =>
  replies.map(({ _id, shortcut, title, content, attachment }) => {
    const text = fillVariables(content, values);
    return { key: _id, label: `/${shortcut} · ${title}`, detail: text, text, attachment };
  });

export const offerUsers = (users: readonly User[]): Suggestion[] =>
  users.map(({ _id, name, email }) => ({ key: _id, label: `@${name}`, detail: email, text: `@${name} `, user: _id }));

export interface Suggestions {
  items: readonly Suggestion[];
  /** The one that Enter takes. */
  chosen: number;
  move(step: number): void;
  close(): void;
  /** The text with the suggestion in it, and the caret behind it. */
  apply(suggestion: Suggestion): { text: string; caret: number };
}

/** `offers` are the suggestions of each sign. */
export function useSuggestions(
  text: string,
  caret: number,
  offers: Readonly<Record<'/' | '@', Suggestion[]>>,
): Suggestions {
  const token = findToken(text, caret);
  const [state, setState] = useState({ chosen: 0, of: '', closed: '' });
  const of = token ? `${token.start}${token.sign}${token.typed}` : '';
  const all = token === null ? [] : token.sign === '/' ? offers['/'] : offers['@'];
  const wanted = fold(token?.typed ?? '');
  const items = state.closed === of ? [] : all.filter(({ label }) => fold(label).includes(wanted)).slice(0, MOST);
  const chosen = state.of === of ? Math.min(state.chosen, Math.max(items.length - 1, 0)) : 0;
  return {
    items,
    chosen,
    move: (step) => setState({ ...state, of, chosen: (chosen + step + items.length) % items.length }),
    close: () => setState({ ...state, closed: of }),
    apply: (suggestion) => {
      const start = token?.start ?? caret;
      return {
        text: text.slice(0, start) + suggestion.text + text.slice(caret),
        caret: start + suggestion.text.length,
      };
    },
  };
}
