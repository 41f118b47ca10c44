/**
 * Looks up a key that a caller chose. Plain `object[key]` would also find inherited properties, such as a function under `constructor`.
 * scripts/check-lookups.ts forbids other look-ups by such keys.
 */
export const getOwnProperty = <V>(object: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
