/** Why a delivery has failed, in words. */
import type { WebhookDelivery } from '@parley/sdk';
import { defineTexts } from '../../texts/texts.ts';

export const DELIVERY_ERRORS = defineTexts(
  {
    HTTP_STATUS: 'The receiver answered with an error',
    REDIRECT: 'The receiver redirected to another address',
    TIMEOUT: 'No answer within 10 seconds',
    DNS: 'The name of the receiver is unknown',
    CONNECT: 'The receiver cannot be reached',
    TLS: 'The receiver’s certificate is not accepted',
    SOCKET: 'The connection broke before an answer',
    BLOCKED: 'The address is not allowed',
    WEBHOOK_INACTIVE: 'Not sent, because the webhook was stopped',
    EXPIRED: 'Not sent, because it had waited too long',
    ERASED: 'Not sent, because its contact was erased',
    INTERRUPTED: 'Interrupted, so it may have arrived',
    INTERNAL: 'Internal error of the platform',
  },
  {
    'pt-BR': {
      HTTP_STATUS: 'O destino respondeu com erro',
      REDIRECT: 'O destino apontou para outro endereço',
      TIMEOUT: 'Sem resposta em 10 segundos',
      DNS: 'O nome do destino é desconhecido',
      CONNECT: 'Não foi possível chegar ao destino',
      TLS: 'O certificado do destino não é aceito',
      SOCKET: 'A conexão caiu antes da resposta',
      BLOCKED: 'O endereço não é permitido',
      WEBHOOK_INACTIVE: 'Não enviada, porque o webhook estava parado',
      EXPIRED: 'Não enviada, porque esperou demais',
      ERASED: 'Não enviada, porque o contato foi apagado',
      INTERRUPTED: 'Interrompida, então pode ter chegado',
      INTERNAL: 'A plataforma falhou',
    },
    es: {
      HTTP_STATUS: 'El destino respondió con un error',
      REDIRECT: 'El destino remitió a otra dirección',
      TIMEOUT: 'Sin respuesta en 10 segundos',
      DNS: 'El nombre del destino es desconocido',
      CONNECT: 'No se pudo llegar al destino',
      TLS: 'El certificado del destino no se acepta',
      SOCKET: 'La conexión se cortó antes de la respuesta',
      BLOCKED: 'La dirección no está permitida',
      WEBHOOK_INACTIVE: 'No se envió, porque el webhook estaba detenido',
      EXPIRED: 'No se envió, porque esperó demasiado',
      ERASED: 'No se envió, porque se borró el contacto',
      INTERRUPTED: 'Interrumpida, así que puede haber llegado',
      INTERNAL: 'La plataforma falló',
    },
  },
);

type Cause = keyof (typeof DELIVERY_ERRORS)['en'];
const isKnown = (error: string): error is Cause => Object.hasOwn(DELIVERY_ERRORS.en, error);

/** Returns why a delivery has failed; null when it has not. A cause that the console does not know is shown as it is. */
export function explainDelivery(
  { error, response_status }: WebhookDelivery,
  texts: Readonly<Record<Cause, string>>,
): string | null {
  if (error === null) return null;
  const cause = isKnown(error) ? texts[error] : error;
  return response_status === null ? cause : `${response_status} · ${cause}`;
}
