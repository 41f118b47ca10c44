/**
 * Compares the templates that the platform fills in with those that the network publishes, and with its schema, when they are in a folder
 * beside the repository. A clone without that folder skips this file; compose.test.ts of the channels compares with its own expectations.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { composeTemplate, type ApprovedTemplate } from '../../src/channels/templates/compose.ts';
import type { GivenComponent } from '../../src/channels/templates/given.ts';
import type { MessageContent } from '../../src/channels/content.ts';
import { buildBody } from '../../src/channels/wap-auto-closer/body.ts';
import { toPerson } from '../../src/channels/wap-auto-closer/person.ts';
import type { Json } from '../support/platform.ts';

const published = new URL('../../../shared/fixtures/meta-openapi/', import.meta.url);
const skip = existsSync(published) ? false : 'the published samples are not beside this repository';

const read = (path: string): string => readFileSync(new URL(path, published), 'utf8');

interface Example {
  /** The components of a template that takes what the example sends. */
  approved: Json[];
  given: GivenComponent[];
}

const BODY = { type: 'BODY', text: '{{1}}: {{2}}, {{3}}.' };
const VALUES: GivenComponent = {
  type: 'body',
  parameters: [
    { text: 'text-string' },
    { currencyCode: 'USD', currencyAmount: 100.99 },
    { dateTime: 'February 25, 1977' },
  ],
};
const IMAGE: GivenComponent = { type: 'header', parameters: [{ imageUrl: 'https://the-image-url' }] };
const QUICK_REPLY = { type: 'QUICK_REPLY', text: 'Yes' };

const plain: Example = { approved: [BODY], given: [VALUES] };
const withImage: Example = { approved: [{ type: 'HEADER', format: 'IMAGE' }, BODY], given: [IMAGE, VALUES] };

/** What a caller gives for each example. The payloads of one published example are no texts, so nobody can send them; it is left out. */
const EXAMPLES: Record<string, Example> = {
  'send-message-template-text.json': plain,
  'send-sample-shipping-confirmation-template.json': plain,
  'send-message-template-media.json': withImage,
  'send-message-template-interactive.json': {
    approved: [...withImage.approved, { type: 'BUTTONS', buttons: [QUICK_REPLY, QUICK_REPLY] }],
    given: [
      ...withImage.given,
      { index: '0', parameters: [{ payload: 'aGlzIHRoaXMgaXMgY29v' }] },
      { index: 1, parameters: [{ payload: '9rwnB8RbYmPF5t2Mn09x4h' }] },
    ],
  },
  'send-flow-template-message.json': {
    approved: [
      { type: 'BODY', text: 'Book now.' },
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Book' }] },
    ],
    given: [
      {
        index: '0',
        parameters: [{ payload: '<FLOW_TOKEN>', flow_action_data: { '<CUSTOM_KEY>': '<CUSTOM_VALUE>' } }],
      },
    ],
  },
  'send-catalog-template-message.json': {
    approved: [BODY, { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View' }] }],
    given: [
      { parameters: [{ text: '100' }, { text: '400' }, { value: '3' }] },
      { index: 0, parameters: [{ value: '2lc20305pt' }] },
    ],
  },
};

function compose({ approved, given }: Example, sent: Json): Json[] {
  const template: ApprovedTemplate = {
    name: sent.name,
    language: 'en_US',
    parameterFormat: 'POSITIONAL',
    components: approved,
  };
  const composed = composeTemplate(template, given);
  assert.ok('components' in composed, JSON.stringify(composed));
  return composed.components;
}

/** Writes a component as the platform does: of a date the network reads the text alone, and it takes both forms of a button's position. */
function unify({ sub_type, index, parameters, ...component }: Json): Json {
  return {
    ...component,
    ...(sub_type === undefined ? {} : { sub_type: sub_type.toLowerCase(), index: String(index) }),
    parameters: parameters.map(({ date_time, ...parameter }: Json) =>
      date_time ? { ...parameter, date_time: { fallback_value: date_time.fallback_value } } : parameter,
    ),
  };
}

if (!skip) {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    // The published addresses begin with http(s).
    const { template } = JSON.parse(read(`send-requests/${name}`).replaceAll('http(s)', 'https')) as Json;
    test(`the platform sends the published ${name} for the same values`, () => {
      assert.deepEqual(compose(example, template), template.components.map(unify));
    });
  }
}

/** The published schemas, without what contradicts their own examples. */
function readSchemas(): Json {
  const document = parse(read('business-messaging-api_v23.0.yaml')) as Json;
  const { schemas } = document.components;
  schemas.LanguageObject.required = ['code'];
  schemas.ButtonParameterObject.properties.type.enum.push('action');
  for (const name of ['TemplateComponent', 'ButtonComponent']) {
    const own = schemas[name].allOf?.at(-1) ?? schemas[name];
    own.properties.index.pattern = '^[0-9]$';
    own.properties.sub_type.enum.push('flow');
  }
  return document;
}

test('each template that the platform fills in is valid by the published schema', { skip }, () => {
  // The document has the vocabulary of OpenAPI, which is more than that of JSON Schema.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(readSchemas(), 'network');
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const components = compose(example, { name: 'a_template' });
    const content: MessageContent = {
      contentType: 'TEMPLATE',
      content: 'Hi',
      template: { name: 'a_template', language: 'en', components },
    };
    const outbound = { messageId: 'own', to: toPerson({ phone: '1' }), content, file: null, replyTo: null };
    const { template } = buildBody(outbound, { to: '5585991230001' }) as Json;
    const check = (schema: string, value: Json): void =>
      assert.ok(ajv.validate(`network#/components/schemas/${schema}`, value), `${name}: ${ajv.errorsText()}`);
    check('TemplateObject', template);
    // The schema of a template refers to these by its discriminator alone, which a validator of JSON Schema does not follow.
    for (const component of template.components)
      check(`${component.type[0].toUpperCase()}${component.type.slice(1)}Component`, component);
    assert.equal(ajv.validate('network#/components/schemas/TemplateObject', { ...template, name: 7 }), false);
  }
});
