import { defineTexts } from '../../../texts/texts.ts';

export const DKIM = defineTexts(
  {
    title: 'Signing outgoing mails (DKIM)',
    unsigned:
      'Most providers sign the mails that their servers send. If yours does not, the platform can sign them with a key of your domain, so that fewer mails are treated as spam.',
    signed: (name: string) => `Outgoing mails are signed with the key of ${name}.`,
    name: 'Name of the TXT record',
    value: 'Value of the TXT record',
    valueHint:
      'Add this record where your domain is managed. Start signing once it is published, often after a few minutes.',
    make: 'Generate a key',
    renew: 'Generate another key',
    sign: 'The record is published: start signing',
    end: 'Stop signing',
    reallyEnd: 'Send without this signature?',
  },
  {
    'pt-BR': {
      title: 'Assinatura do que é enviado (DKIM)',
      unsigned:
        'A maioria dos provedores assina o que o servidor deles envia. Se o seu não assina, a plataforma assina com uma chave do seu domínio, para que menos e-mails sejam tomados por spam.',
      signed: (name) => `O que é enviado é assinado com a chave de ${name}.`,
      name: 'Nome do registro TXT',
      value: 'Valor do registro TXT',
      valueHint:
        'Adicione este registro onde o seu domínio é administrado. Assine quando ele estiver lá, muitas vezes depois de alguns minutos.',
      make: 'Criar uma chave',
      renew: 'Criar outra chave',
      sign: 'O registro está lá: assinar',
      end: 'Não assinar mais',
      reallyEnd: 'Enviar mesmo sem esta assinatura?',
    },
    es: {
      title: 'Firma de lo que se envía (DKIM)',
      unsigned:
        'La mayoría de los proveedores firma lo que envía su servidor. Si el suyo no lo hace, la plataforma firma con una clave de su dominio, para que menos correos pasen por spam.',
      signed: (name) => `Lo que se envía se firma con la clave de ${name}.`,
      name: 'Nombre del registro TXT',
      value: 'Valor del registro TXT',
      valueHint:
        'Añada este registro donde se administra su dominio. Firme cuando esté allí, a menudo tras unos minutos.',
      make: 'Crear una clave',
      renew: 'Crear otra clave',
      sign: 'El registro está allí: firmar',
      end: 'No firmar más',
      reallyEnd: '¿Enviar de verdad sin esta firma?',
    },
  },
);
