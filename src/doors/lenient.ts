/**
 * Reads what clients of other systems send. They are written for servers that take more than the API does: unknown properties are ignored,
 * numbers and flags also come as text, and an empty text means that there is no value.
 */
import { checkJson } from '../platform/http/body.ts';
import { getOwnProperty } from '../platform/values/own-property.ts';
import type { JsonObject } from './json.ts';

/** Returns the property of an object; null for anything that is no object, and for an empty text. */
export function readValue(from: unknown, name: string): unknown {
  if (typeof from !== 'object' || from === null) return null;
  const value = getOwnProperty(from as JsonObject, name) as unknown;
  return value === '' || value === undefined ? null : value;
}

/** Returns a text, or a number or flag as text. */
export function readText(from: unknown, name: string): string | null {
  const value = readValue(from, name);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Returns a number, or a text that is one. */
export function readNumber(from: unknown, name: string): number | null {
  const value = readValue(from, name);
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Returns a flag, or a text that is one. */
export function readFlag(from: unknown, name: string): boolean | null {
  const value = readText(from, name)?.trim().toLowerCase();
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : null;
}

/** Returns an object, or a text that is one in JSON, as a form has it. An absent one is empty. */
export function readObject(from: unknown, name: string): JsonObject {
  const value = readStructure(from, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Returns a list, or a text that is one in JSON; a single value is a list of one. An absent one is empty. */
export function readList(from: unknown, name: string): unknown[] {
  const value = readStructure(from, name);
  if (Array.isArray(value)) return value;
  return value === null ? [] : [value];
}

function readStructure(from: unknown, name: string): unknown {
  const value = readValue(from, name);
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  let inner: unknown;
  try {
    inner = JSON.parse(value);
  } catch {
    // Failure policy: a text that is no JSON is a text.
    return value;
  }
  checkJson(inner, name);
  return inner;
}
