/** Pauses, as people write them. */
import { parseNumber, toNumber } from '../texts/formats.ts';

/** How many minutes each has. */
export const UNITS = { minute: 1, hour: 60, day: 1_440 } as const;
export type Unit = keyof typeof UNITS;

/** A pause while it is typed. */
export interface Delay {
  count: string;
  unit: Unit;
}

/** Writes minutes in the largest unit in which they are whole. */
export function splitDelay(minutes: number): { count: number; unit: Unit } {
  const unit = (['day', 'hour'] as const).find((each) => minutes > 0 && minutes % UNITS[each] === 0) ?? 'minute';
  return { count: minutes / UNITS[unit], unit };
}

export function toDelay(minutes: number): Delay {
  const { count, unit } = splitDelay(minutes);
  return { count: String(count), unit };
}

export function readMinutes({ count, unit }: Delay): number {
  const number = parseNumber(count.trim() || '0');
  // What is no number goes out as it was typed, and the platform says what is wrong with it.
  return number === null ? toNumber(count) : Math.round(number * UNITS[unit]);
}
