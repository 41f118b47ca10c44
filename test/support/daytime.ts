import type { Platform } from './platform.ts';

/** Returns a time zone in which it is this hour of the day now. */
export function findZoneAt(hour: number): string {
  const wanted = hour - new Date().getUTCHours();
  // Zones reach from 12 hours behind to 14 hours ahead.
  const offset = wanted > 14 ? wanted - 24 : wanted < -12 ? wanted + 24 : wanted;
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/** Sets the clock of the demo company to this hour of the day, because follow-ups are sent in the daytime only. */
export async function setHour({ database, demo }: Platform, hour: number): Promise<void> {
  await database.sql(
    `update companies set general_config = general_config || jsonb_build_object('time_zone', $2::text) where _id = $1`,
    [demo._id, findZoneAt(hour)],
  );
}
