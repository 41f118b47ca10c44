/** The header that goes with each call of an MCP server. Its value is stored encrypted. */
import type { Secrets } from '../../../platform/store/secrets.ts';
import type { McpServerRow } from './queries.ts';

export const sealContext = ({ company, _id }: Pick<McpServerRow, 'company' | '_id'>): string =>
  `${company}:mcp-server:${_id}:header`;

export function openHeader(
  secrets: Secrets,
  { header_name: name, header_value: value, ...place }: McpServerRow,
): { name: string; value: string } | null {
  return name === null || value === null ? null : { name, value: secrets.open(value, sealContext(place)) };
}
