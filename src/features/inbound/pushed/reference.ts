/** How the files of a pushed item are named: by the item, which the platform keeps for a day, and by the name that the channel gives them. */

const FILE = /^pushed-([0-9a-f]{24})\.(.{1,200})$/;

export const nameItem = (id: string): string => `pushed-${id}`;

/** Reads what the channel has made of the name of the item; null for a file that its network keeps. */
export function readFileName(networkId: string | null): { item: string; file: string } | null {
  const [, item, file] = FILE.exec(networkId ?? '') ?? [];
  return item === undefined || file === undefined ? null : { item, file };
}

/** The key of the item in the store of files. No record names it, so the sweep removes it when it is a day old. */
export const makeItemKey = (company: string, id: string): string => `${company}/pushed/${id}`;
