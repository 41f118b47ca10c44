/**
 * Looks up a key that a person chose, such as that of a custom field. Plain `object[key]` would also find inherited properties, such as a
 * function under `constructor`.
 */
export const getOwnProperty = <V>(object: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
