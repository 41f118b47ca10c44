/**
 * CPU time of processes, from /proc. While other programs share the machine, it says more about the cost of work than the time by the
 * clock does. Figures of the same run can be compared with each other.
 */
import { readFileSync } from 'node:fs';
import type { TestDatabase } from './database.ts';
import { listDescendants } from './process.ts';

// /proc counts CPU time in units of 10 ms (USER_HZ).
const TICK_MS = 10;

/** Returns the CPU time of these processes and of all that they have started, also of those that have ended. */
export function readCpuMs(...roots: number[]): number {
  const pids = new Set(roots.flatMap((pid) => [pid, ...listDescendants(pid)]));
  return [...pids].reduce((sum, pid) => sum + readOwnCpuMs(pid), 0);
}

/** Returns the first process of the PostgreSQL server, which has started all others of it. */
export async function findServer(database: TestDatabase): Promise<number> {
  const [connection] = await database.sql<{ pid: number }>('select pg_backend_pid() as pid');
  return Number(readStat(connection?.pid ?? 0)[1]);
}

function readOwnCpuMs(pid: number): number {
  try {
    // Its own time in user and system mode, and that of its children which have ended.
    return readStat(pid)
      .slice(11, 15)
      .reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
  } catch {
    // Failure policy: a process that ends meanwhile is counted among the ended children of its parent.
    return 0;
  }
}

/** Returns the fields of /proc/<pid>/stat that follow the name of the program. */
function readStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
