/**
 * The value that the object itself holds under a key that somebody else chose. Plain `object[key]` also finds what every object
 * inherits: under `constructor` a function. scripts/check-lookups.ts sees to it that no other look-up by such a key is written.
 */
export const own = <V>(object: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
