import type { Template } from './templates.ts';

/** The templates that every WABA begins with: one for each mistake that a sender can make. */
export const TEMPLATE_SEEDS: Template[] = [
  {
    id: '1000000000000000101',
    name: 'hello_world',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome! This message shows that your number can send.' },
      { type: 'FOOTER', text: 'Parley sandbox' },
    ],
  },
  {
    id: '1000000000000000102',
    name: 'hello_world',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Olá! Esta mensagem mostra que o seu número pode enviar.' }],
  },
  {
    id: '1000000000000000103',
    name: 'order_update',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: 'Oi, {{1}}! O seu pedido *{{2}}* saiu para entrega.',
        example: { body_text: [['Ana', '4821']] },
      },
      { type: 'FOOTER', text: 'Loja Exemplo' },
    ],
  },
  {
    id: '1000000000000000104',
    name: 'order_update',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, your order *{{2}}* is on its way.',
        example: { body_text: [['Ana', '4821']] },
      },
      { type: 'FOOTER', text: 'Example Store' },
    ],
  },
  {
    id: '1000000000000000105',
    name: 'appointment_reminder',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Olá, {{first_name}}. A sua consulta é em {{date}}. Podemos confirmar?',
        example: {
          body_text_named_params: [
            { param_name: 'first_name', example: 'Ana' },
            { param_name: 'date', example: '25 de fevereiro' },
          ],
        },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Confirmar' },
          { type: 'QUICK_REPLY', text: 'Remarcar' },
        ],
      },
    ],
  },
  {
    id: '1000000000000000106',
    name: 'summer_offer',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['sandbox-example'] } },
      {
        type: 'BODY',
        text: '{{1}}, o verão chegou: {{2}} de desconto até domingo.',
        example: { body_text: [['Ana', '25%']] },
      },
      { type: 'FOOTER', text: 'Responda SAIR para não receber ofertas' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Quero ver' },
          { type: 'URL', text: 'Abrir loja', url: 'https://example.com/loja/{{1}}', example: ['verao'] },
          { type: 'COPY_CODE', text: 'Copiar código', example: ['VERAO25'] },
        ],
      },
    ],
  },
  {
    id: '1000000000000000107',
    name: 'invoice',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['sandbox-example'] } },
      {
        type: 'BODY',
        text: 'Your invoice over {{amount}} is attached.',
        example: { body_text_named_params: [{ param_name: 'amount', example: '$19.99' }] },
      },
    ],
  },
  {
    id: '1000000000000000108',
    name: 'spring_offer',
    language: 'pt_BR',
    status: 'PAUSED',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'A primavera chegou. Veja as ofertas da semana.' }],
  },
  {
    id: '1000000000000000109',
    name: 'new_terms',
    language: 'en_US',
    status: 'PENDING',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Our terms change on {{1}}.', example: { body_text: [['March 1']] } }],
  },
];
