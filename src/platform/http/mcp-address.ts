/** The addresses of the MCP server, which the tokens of connected apps and the metadata of OAuth name. */
import type { Config } from '../../config.ts';

export const MCP_PATH = '/mcp';
export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource';

type Placed = { config: Pick<Config, 'PUBLIC_URL'> };

/** What the tokens of connected apps are for. */
export const mcpAddress = ({ config }: Placed): string => `${config.PUBLIC_URL}${MCP_PATH}`;

/** The description of the MCP server, for clients without a token. */
export const mcpMetadataAddress = ({ config }: Placed): string =>
  `${config.PUBLIC_URL}${PROTECTED_RESOURCE}${MCP_PATH}`;
