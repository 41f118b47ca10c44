/** Lists: one page, or all records from page to page. */

export interface PageMeta {
  /** Null in a page behind `after`. */
  page: number | null;
  limit: number;
  /** Null with `skipCount`. */
  totalCount: number | null;
  totalPages: number | null;
  hasNextPage: boolean;
  /** What `after` takes to get the next page; null on the last one. */
  nextCursor: string | null;
}

export interface Page<Item> {
  result: Item[];
  meta: PageMeta;
}

/** The method of a list. Called, it returns one page; `all` iterates over the records of all pages and holds one page at a time. */
export interface ListMethod<Parameters extends unknown[], Item, Beside = unknown> {
  (...given: Parameters): Promise<Page<Item> & Beside>;
  all(...given: Parameters): AsyncIterableIterator<Item>;
}

interface PageQuery {
  limit?: number;
  skipCount?: boolean;
  after?: string | undefined;
}

/** The most that a page may have, so that few requests are made. */
const LIMIT = 100;

/** Adds `all` to a method that returns one page. `queryAt` is the position of the query among the method's arguments. */
export function makeListMethod<Item>(
  readPage: (...given: unknown[]) => Promise<Page<Item>>,
  queryAt: number,
): ListMethod<unknown[], Item> {
  async function* all(...given: unknown[]): AsyncIterableIterator<Item> {
    // Counting the whole list for each page would cost more than the page.
    const query: PageQuery = { limit: LIMIT, skipCount: true, ...(given[queryAt] as PageQuery | undefined) };
    for (;;) {
      const { result, meta } = await readPage(...given.slice(0, queryAt), query, ...given.slice(queryAt + 1));
      yield* result;
      if (meta.nextCursor === null) return;
      query.after = meta.nextCursor;
    }
  }
  return Object.assign(readPage, { all });
}
