/** Changes of many records, which the platform makes one after the other: their progress, and the one that this page has started last. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { whenLive } from '../live/status.ts';
import { createStore, useStore } from '../store.ts';
import { LIVE, queries } from './queries.ts';

interface Run {
  _id: string;
  processed: number;
  finished_at: string | null;
}

export interface RunStore<R extends Run> {
  /** The run that this page has started last, until the user dismisses it. */
  useShown(): string | null;
  dismiss(): void;
  /** Shows a run that was just started. */
  begin(run: R): void;
  /** Shows a run as the platform has it now. An older state than the one that is shown is ignored. */
  show(run: R): void;
  use(id: string): UseQueryResult<R>;
  cancel(id: string): Promise<void>;
  reread(): void;
}

interface RunSource<R> {
  /** The name of its event in the live stream. */
  event: string;
  get(id: string, signal: AbortSignal): Promise<R>;
  cancel(id: string): Promise<R>;
}

export function createRuns<R extends Run>({ event, get, cancel }: RunSource<R>): RunStore<R> {
  const shown = createStore<string | null>(null);
  const show = (run: R): void => {
    const before = queries.getQueryData<R>([event, run._id]);
    if (!before || before.processed <= run.processed || run.finished_at !== null)
      queries.setQueryData([event, run._id], run);
  };
  return {
    useShown: () => useStore(shown),
    dismiss: () => shown.set(null),
    begin: (run) => {
      show(run);
      shown.set(run._id);
    },
    show,
    use: (id) =>
      useQuery({
        queryKey: [event, id],
        queryFn: async ({ signal }) => {
          await whenLive();
          return get(id, signal);
        },
        ...LIVE,
      }),
    cancel: async (id) => show(await cancel(id)),
    reread: () => void queries.invalidateQueries({ queryKey: [event] }),
  };
}
