/**
 * Exports a table as a CSV that the import can read. Columns stand under their keys; index, contact and business of a row stand under names
 * that begin with `_`, which no key does.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { sendCsv } from '../../../platform/http/download.ts';
import { getOwnProperty } from '../../../platform/values/own-property.ts';
import { walkPortions } from '../../../platform/store/portions.ts';
import { csvLine } from '../../../platform/work/sheets/csv.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { toCell } from '../../imports/cells.ts';
import { walkRows } from './export-queries.ts';
import type { RowRecord } from './queries.ts';
import type { Table } from '../schemas.ts';
import { readTable } from '../tables.ts';

// A statement for this many rows takes some ten milliseconds.
const PORTION = 1_000;

export async function exportRows(kit: Kit, tenant: Tenant, tableId: string, reply: FastifyReply): Promise<Readable> {
  const table = await readTable(tenant, tableId);
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, `${table.slug}.csv`, writePortions(tenant, table));
}

async function* writePortions(tenant: Tenant, { _id, columns }: Table): AsyncGenerator<string> {
  yield csvLine(['_row_index', ...columns.map(({ key }) => key), '_contact_id', '_business_id']);
  const portions = walkPortions((last: RowRecord | null) => walkRows(tenant.walk, _id, last?.row_index ?? 0, PORTION));
  for await (const rows of portions) {
    const lines = rows.map((row) =>
      csvLine([
        row.row_index,
        ...columns.map(({ key }) => toCell(getOwnProperty(row.data, key))),
        row.contact_id,
        row.business_id,
      ]),
    );
    yield lines.join('');
  }
}
