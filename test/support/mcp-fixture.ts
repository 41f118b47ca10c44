/** The tools, resources and prompts that the protocol's conformance tests ask for. The product has none of them. */
import { createMcpHandler, Server, type McpHttpHandler } from '@modelcontextprotocol/server';
import { makePng } from './media-samples.ts';

const PNG = { data: makePng().toString('base64'), mimeType: 'image/png' };
const image = { type: 'image' as const, ...PNG };
const say = (text: string) => ({ type: 'text' as const, text });
const embed = (uri: string, mimeType: string, text: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
});

const TOOLS = {
  test_simple_text: [say('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio' as const, data: 'UklGRg==', mimeType: 'audio/wav' }],
  test_embedded_resource: [embed('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    say('Multiple content types test:'),
    image,
    embed('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_error_handling: [say('This tool intentionally returns an error for testing')],
};

const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

function readResource(uri: string) {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  if (uri === 'test://static-binary') return { uri, mimeType: PNG.mimeType, blob: PNG.data };
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text };
}

const PROMPTS: Record<string, { takes: string[]; make(given: Record<string, string>): object[] }> = {
  test_simple_prompt: { takes: [], make: () => [say('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    make: ({ arg1, arg2 }) => [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    make: ({ resourceUri = '' }) => [
      embed(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      say('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: { takes: [], make: () => [image, say('Please analyze the image above.')] },
};

export const createFixtureHandler = (): McpHttpHandler => createMcpHandler(openFixture);

function openFixture(): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const server = new Server({ name: 'fixture', version: '1.0.0' }, { capabilities });
  const description = 'A fixture';
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.keys(TOOLS).map((name) => ({ name, description, inputSchema: { type: 'object' as const } })),
      { name: 'json_schema_2020_12_tool', description, inputSchema: RICH_SCHEMA },
    ],
  }));
  server.setRequestHandler('tools/call', ({ params: { name } }) => ({
    content: TOOLS[name as keyof typeof TOOLS],
    isError: name === 'test_error_handling',
  }));
  server.setRequestHandler('resources/list', () => ({
    resources: ['test://static-text', 'test://static-binary'].map((uri) => ({ uri, name: uri, description })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [readResource(uri)] }));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { takes }]) => ({
      name,
      description,
      arguments: takes.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => ({
    messages: (PROMPTS[name]?.make(given) ?? []).map((content) => ({
      role: 'user' as const,
      content: content as never,
    })),
  }));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris'], total: 1, hasMore: false },
  }));
  return server;
}
