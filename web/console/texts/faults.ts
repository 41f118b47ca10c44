/**
 * What can be wrong with a value, by the code of the platform. Each text ends a sentence that begins with the value. English has no such
 * texts, because the platform's own are English and say more.
 */
import { getOwnProperty } from '../../browser/own-property.ts';
import { defineTexts, type Language } from '../../browser/texts.ts';

interface FieldFault {
  code: string;
  message: string;
}

/** What a text needs of a fault; the limit, which only the message of the platform has, as people write it. */
interface Fault {
  message: string;
  limit: string | undefined;
}

type Catalogue = Readonly<Record<string, string | ((fault: Fault) => string)>>;

const pt: Catalogue = {
  ADDITIONAL_PROPERTIES: 'não pode ser definido',
  ANY_OF: 'não tem nenhuma das formas possíveis',
  CLIENT_UNREADABLE: 'vem de um aplicativo cuja descrição não pode ser lida',
  DIMENSIONS: 'é uma imagem com pontos demais',
  DOMAIN_NOT_PROVEN:
    'só pode ser adicionado por um proprietário cujo e-mail é deste domínio, ou pelo operador da plataforma',
  DOMAIN_TAKEN: 'tem um domínio que outra empresa usa; o operador da plataforma pode liberá-lo',
  DUPLICATE: 'está repetido',
  EMPTY: 'está vazio',
  ENUM: 'não é uma das opções',
  FILE_NAME: 'tem um nome que não é aceito',
  FORMAT: ({ message }) => PT_FORMATS.get(message) ?? 'não está no formato esperado',
  HEADER_NOT_ALLOWED: 'é um cabeçalho reservado',
  INBOX_INACTIVE: 'é de uma caixa de entrada excluída',
  INVALID: ({ message }) => PT_REASONS.get(message) ?? `não é válido (${message})`,
  LIMIT_REACHED: 'passa do limite da empresa',
  MALFORMED: 'está danificado',
  MAXIMUM: ({ limit }) => `deve ser no máximo ${limit}`,
  MAX_ITEMS: ({ limit }) => `deve ter no máximo ${limit} itens`,
  MAX_LENGTH: ({ limit }) => (limit ? `deve ter no máximo ${limit} caracteres` : 'é longo demais'),
  MAX_PROPERTIES: ({ limit }) => `deve ter no máximo ${limit} entradas`,
  MINIMUM: ({ limit }) => `deve ser no mínimo ${limit}`,
  MIN_ITEMS: ({ limit }) => (limit ? `deve ter no mínimo ${limit} itens` : 'não pode ficar vazio'),
  MIN_LENGTH: ({ limit }) => (limit ? `deve ter no mínimo ${limit} caracteres` : 'não pode ficar vazio'),
  MIN_PROPERTIES: 'não pode ficar vazio',
  NOT_AVAILABLE: 'ainda não está disponível',
  PAST: 'está no passado',
  PATTERN: 'não está no formato esperado',
  PRECISION: 'tem algarismos demais',
  REQUIRED: 'é obrigatório',
  TOO_EARLY: 'deve ser depois do início',
  TOO_LARGE: 'é grande demais',
  TOO_MANY: 'são demais de uma vez',
  TOO_MANY_DELIVERIES: 'abrange entregas demais',
  TOO_SLOW: 'demora demais para ser lido',
  TYPE: 'não é um valor deste tipo',
  TYPE_MISMATCH: 'é de outro tipo de arquivo',
  UNIQUE_ITEMS: 'tem um item repetido',
  UNKNOWN_CLIENT: 'vem de um aplicativo desconhecido; conecte-o de novo',
  UNKNOWN_COLUMN: 'não tem as colunas esperadas',
  UNKNOWN_REDIRECT_URI: 'leva a um endereço que o aplicativo não registrou',
  UNKNOWN_TEMPLATE: 'não é um modelo desta caixa de entrada',
  UNSUPPORTED_FORMAT: 'é de um formato que não é aceito',
};

/** The reasons of INVALID that people meet most, by the words of the platform. */
const PT_REASONS: ReadonlyMap<string, string> = new Map([
  ['is not a valid phone number', 'não é um número de telefone válido'],
  [
    'is not a valid phone number: write it with + and its country code',
    'não é um número de telefone válido: escreva-o com + e o código do país',
  ],
  ['is not the code of a country, such as BR or US', 'não é o código de um país, como BR ou US'],
  ['refers to a user who does not see the inbox', 'é um usuário que não vê a caixa de entrada'],
  ['has more than 100000 messages', 'tem mais de 100.000 mensagens'],
  ['is a domain of a public mail service', 'é o domínio de um serviço de e-mail público'],
]);

const PT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['must be a time such as 2026-01-31T12:00:00.000Z', 'deve ser uma data com hora'],
  ['must be an e-mail address', 'deve ser um endereço de e-mail'],
  ['must be a host name', 'deve ser um domínio, como loja.example'],
  ['must be a full web address', 'deve ser um endereço completo da web'],
]);

const es: Catalogue = {
  ADDITIONAL_PROPERTIES: 'no se puede definir',
  ANY_OF: 'no tiene ninguna de las formas posibles',
  CLIENT_UNREADABLE: 'viene de una aplicación cuya descripción no se puede leer',
  DIMENSIONS: 'es una imagen con demasiados puntos',
  DOMAIN_NOT_PROVEN:
    'solo puede añadirlo un propietario cuyo correo es de este dominio, o el operador de la plataforma',
  DOMAIN_TAKEN: 'tiene un dominio que usa otra empresa; el operador de la plataforma puede liberarlo',
  DUPLICATE: 'está repetido',
  EMPTY: 'está vacío',
  ENUM: 'no es una de las opciones',
  FILE_NAME: 'tiene un nombre que no se acepta',
  FORMAT: ({ message }) => ES_FORMATS.get(message) ?? 'no tiene el formato esperado',
  HEADER_NOT_ALLOWED: 'es un encabezado reservado',
  INBOX_INACTIVE: 'es de una bandeja eliminada',
  INVALID: ({ message }) => ES_REASONS.get(message) ?? `no es válido (${message})`,
  LIMIT_REACHED: 'supera el límite de la empresa',
  MALFORMED: 'está dañado',
  MAXIMUM: ({ limit }) => `debe ser como máximo ${limit}`,
  MAX_ITEMS: ({ limit }) => `debe tener como máximo ${limit} elementos`,
  MAX_LENGTH: ({ limit }) => (limit ? `debe tener como máximo ${limit} caracteres` : 'es demasiado largo'),
  MAX_PROPERTIES: ({ limit }) => `debe tener como máximo ${limit} entradas`,
  MINIMUM: ({ limit }) => `debe ser como mínimo ${limit}`,
  MIN_ITEMS: ({ limit }) => (limit ? `debe tener como mínimo ${limit} elementos` : 'no puede quedar vacío'),
  MIN_LENGTH: ({ limit }) => (limit ? `debe tener como mínimo ${limit} caracteres` : 'no puede quedar vacío'),
  MIN_PROPERTIES: 'no puede quedar vacío',
  NOT_AVAILABLE: 'todavía no está disponible',
  PAST: 'está en el pasado',
  PATTERN: 'no tiene el formato esperado',
  PRECISION: 'tiene demasiadas cifras',
  REQUIRED: 'es obligatorio',
  TOO_EARLY: 'debe ser posterior al inicio',
  TOO_LARGE: 'es demasiado grande',
  TOO_MANY: 'son demasiados a la vez',
  TOO_MANY_DELIVERIES: 'abarca demasiadas entregas',
  TOO_SLOW: 'tarda demasiado en leerse',
  TYPE: 'no es un valor de este tipo',
  TYPE_MISMATCH: 'es de otro tipo de archivo',
  UNIQUE_ITEMS: 'tiene un elemento repetido',
  UNKNOWN_CLIENT: 'viene de una aplicación desconocida; conéctela de nuevo',
  UNKNOWN_COLUMN: 'no tiene las columnas esperadas',
  UNKNOWN_REDIRECT_URI: 'lleva a una dirección que la aplicación no ha registrado',
  UNKNOWN_TEMPLATE: 'no es una plantilla de esta bandeja',
  UNSUPPORTED_FORMAT: 'es de un formato que no se acepta',
};

const ES_REASONS: ReadonlyMap<string, string> = new Map([
  ['is not a valid phone number', 'no es un número de teléfono válido'],
  [
    'is not a valid phone number: write it with + and its country code',
    'no es un número de teléfono válido: escríbalo con + y el código del país',
  ],
  ['is not the code of a country, such as BR or US', 'no es el código de un país, como BR o US'],
  ['refers to a user who does not see the inbox', 'es un usuario que no ve la bandeja de entrada'],
  ['has more than 100000 messages', 'tiene más de 100.000 mensajes'],
  ['is a domain of a public mail service', 'es el dominio de un servicio de correo público'],
]);

const ES_FORMATS: ReadonlyMap<string, string> = new Map([
  ['must be a time such as 2026-01-31T12:00:00.000Z', 'debe ser una fecha con hora'],
  ['must be an e-mail address', 'debe ser una dirección de correo'],
  ['must be a host name', 'debe ser un dominio, como tienda.example'],
  ['must be a full web address', 'debe ser una dirección web completa'],
]);

const FAULTS = defineTexts<Catalogue>({}, { 'pt-BR': pt, es });

/** Returns what is wrong with a value, in the words of the platform where the language has none. */
export function explainFault({ code, message }: FieldFault, language: Language): string {
  const text = getOwnProperty(FAULTS[language], code) ?? message;
  if (typeof text === 'string') return text;
  const [number] = /-?\d+(?:\.\d+)?/.exec(message) ?? [];
  return text({ message, limit: number && Number(number).toLocaleString(language) });
}
