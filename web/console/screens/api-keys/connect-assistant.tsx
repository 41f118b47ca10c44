/** Shows how an assistant connects to the MCP server with a key, as one text to copy. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { SelectField } from '../../ui/field.tsx';
import styles from './api-keys.module.css';
import { API_KEYS } from './texts.ts';

interface Client {
  name: string;
  hint: 'connectClaudeCode' | 'connectCursor' | 'connectVsCode' | 'connectN8n';
  write(url: string, token: string): string;
}

const withHeader = (url: string, token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } });

const CLIENTS: Client[] = [
  {
    name: 'Claude Code',
    hint: 'connectClaudeCode',
    write: (url, token) => `claude mcp add --transport http parley ${url} --header "Authorization: Bearer ${token}"`,
  },
  {
    name: 'Cursor',
    hint: 'connectCursor',
    write: (url, token) => JSON.stringify({ mcpServers: { parley: withHeader(url, token) } }),
  },
  {
    name: 'VS Code',
    hint: 'connectVsCode',
    write: (url, token) => JSON.stringify({ servers: { parley: { type: 'http', ...withHeader(url, token) } } }),
  },
  { name: 'n8n', hint: 'connectN8n', write: (url) => url },
];

export function ConnectAssistant({ token }: { token: string }): ReactElement {
  const texts = useTexts(API_KEYS);
  const [chosen, setChosen] = useState('Claude Code');
  const client = CLIENTS.find(({ name }) => name === chosen);
  const url = new URL('/mcp', window.location.href).href;
  return (
    <details className={styles['connect']}>
      <summary>{texts.connectAssistant}</summary>
      <div className={styles['steps']}>
        <SelectField
          label={texts.program}
          value={chosen}
          options={CLIENTS.map(({ name }) => ({ value: name, label: name }))}
          onChange={setChosen}
        />
        {client && <CopyField label={texts.connection} value={client.write(url, token)} hint={texts[client.hint]} />}
      </div>
    </details>
  );
}
