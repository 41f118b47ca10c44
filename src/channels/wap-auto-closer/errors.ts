/** The error codes of the network: a sentence in Portuguese for each, and whether a message may be sent again at once after it. */
import type { NetworkError } from '../channel.ts';
import type { Overload } from '../limits.ts';
import { asLabel, asNumber, asRecord, asText } from '../values.ts';

/**
 * Whether a message is sent again after an error. no: never; now: at once, because the fault soon passes; pair: after a pause, because the
 * recipient got too many messages.
 */
export type Retry = 'no' | 'now' | 'pair';

interface Failure {
  text: string;
  retry: Retry;
}

/** The most errors that are stored for one message. */
const MAX_CAUSES = 20;

const makeFailure = (sentence: string, retry: Retry = 'no'): Failure => ({ text: sentence, retry });

const UNKNOWN = makeFailure('A rede recusou a mensagem por um motivo que não informou em detalhe.');
const TOKEN = makeFailure('A credencial de acesso à rede é inválida ou expirou.');
const PERMISSION = makeFailure('A credencial não tem permissão para esta operação.');
const SERVICE = 'O serviço da rede está instável no momento.';
const CALL_RATE = makeFailure('O limite de chamadas à rede foi atingido; tente novamente em alguns minutos.');
const PARAMETER = makeFailure('A rede não aceitou um dos dados enviados.');

const failures = new Map<number, Failure>([
  [0, TOKEN],
  [190, TOKEN],
  [3, PERMISSION],
  [10, PERMISSION],
  [131005, PERMISSION],
  [1, makeFailure(SERVICE, 'now')],
  [2, makeFailure(SERVICE, 'now')],
  [131000, makeFailure('A rede encontrou um erro desconhecido ao processar a mensagem.', 'now')],
  [131016, makeFailure(SERVICE, 'now')],
  [133004, makeFailure(SERVICE, 'now')],
  [131057, makeFailure('O número está em manutenção na rede por alguns instantes.', 'now')],
  [4, CALL_RATE],
  [17, CALL_RATE],
  [80007, CALL_RATE],
  [613, makeFailure('Esta função da rede foi chamada vezes demais; tente novamente em alguns minutos.')],
  [33, makeFailure('O número ou a conta informada não existe na rede.')],
  [100, PARAMETER],
  [131008, makeFailure('Falta um dado obrigatório na mensagem.')],
  [131009, PARAMETER],
  [368, makeFailure('A conta está temporariamente restrita por violar as políticas da rede.')],
  [130497, makeFailure('A conta não pode enviar mensagens para este país.')],
  [131031, makeFailure('A conta está bloqueada pela rede.')],
  [130429, makeFailure('O número enviou mensagens mais rápido do que a rede permite.', 'now')],
  [130472, makeFailure('O destinatário faz parte de um experimento da rede e não recebe esta mensagem.')],
  [131021, makeFailure('O remetente e o destinatário são o mesmo número.')],
  [131026, makeFailure('A mensagem não pôde ser entregue: o número não está na rede ou não pode recebê-la.')],
  [131030, makeFailure('O destinatário não está na lista de números autorizados para teste.')],
  [131037, makeFailure('O nome de exibição do número ainda não foi aprovado pela rede.')],
  [131042, makeFailure('Há um problema com a forma de pagamento da conta na rede.')],
  [131045, makeFailure('O certificado do número é inválido; é preciso registrar o número novamente.')],
  [133010, makeFailure('O número não está registrado na rede.')],
  [131047, makeFailure('A janela de 24 horas expirou; use um modelo aprovado para retomar a conversa.')],
  [131048, makeFailure('O envio foi limitado porque muitas mensagens deste número foram marcadas como spam.')],
  [131049, makeFailure('A rede não entregou a mensagem para limitar o marketing recebido pelo destinatário.')],
  [131050, makeFailure('O destinatário optou por não receber mensagens de marketing.')],
  [131051, makeFailure('A rede não oferece suporte a este tipo de mensagem.')],
  [131052, makeFailure('A rede não conseguiu baixar o arquivo da mensagem.')],
  [131053, makeFailure('A rede não conseguiu processar o arquivo enviado.')],
  [131056, makeFailure('Muitas mensagens para o mesmo destinatário em pouco tempo.', 'pair')],
  [131062, makeFailure('Este destinatário só pode receber esta mensagem pelo número de telefone.')],
  [131063, makeFailure('Os modelos de marketing estão desativados para esta conta.')],
  [131064, makeFailure('O limite de envio para esta classe de modelo foi atingido.')],
  [132000, makeFailure('A quantidade de variáveis não corresponde ao modelo.')],
  [132001, makeFailure('O modelo não existe neste idioma ou ainda não foi aprovado.')],
  [132005, makeFailure('O texto do modelo ficou longo demais depois de preenchido.')],
  [132007, makeFailure('O conteúdo do modelo viola uma política da rede.')],
  [132008, makeFailure('O valor de uma variável do modelo não é aceito.')],
  [132012, makeFailure('O formato de uma variável não corresponde ao modelo.')],
  [132015, makeFailure('O modelo está pausado por baixa qualidade.')],
  [132016, makeFailure('O modelo foi desativado por baixa qualidade.')],
  [132068, makeFailure('O fluxo do modelo está bloqueado.')],
  [132069, makeFailure('O fluxo do modelo atingiu o limite de envios.')],
  [133016, makeFailure('Muitas tentativas de registro do número; tente novamente mais tarde.')],
  [135000, makeFailure('A rede não conseguiu enviar a mensagem por um erro genérico.')],
]);

function findFailure(code: number | string): Failure {
  const number = asNumber(code);
  if (number === null) return UNKNOWN;
  // The network uses the codes 200 to 299 for missing permissions.
  if (number >= 200 && number <= 299) return PERMISSION;
  return failures.get(number) ?? UNKNOWN;
}

/** Returns the cause of an error in Portuguese, for display only. */
export function failureText(code: number | string): string {
  return findFailure(code).text;
}

export function retryRule(code: number | string): Retry {
  return findFailure(code).retry;
}

/**
 * Returns true when the error means that the token is invalid or has expired, so that every send fails until a person replaces the token.
 */
export const refusesCredentials = (code: number | string): boolean => findFailure(code) === TOKEN;

/** Reads one error object, whose format differs between a notification and an HTTP answer. */
export function networkError(error: unknown): NetworkError {
  const cause = asRecord(error);
  const data = cause?.error_data;
  const details = asRecord(data) ? asText(asRecord(data)?.details) : asText(data);
  return {
    // A refusal without a code gets the code PROVIDER_REJECTED of the platform.
    code: toCode(cause?.code) ?? 'PROVIDER_REJECTED',
    title: asText(cause?.error_user_title) ?? asText(cause?.title) ?? readTitle(cause?.message) ?? '',
    message: asText(cause?.message) ?? asText(error) ?? '',
    details: details ?? asText(cause?.details) ?? asText(cause?.error_user_msg) ?? '',
  };
}

/**
 * Reads the title in the message of an HTTP answer, which has no title field: its message is `(#code) title`, with the title that a
 * notification would have.
 */
const readTitle = (message: unknown): string | null =>
  /^\(#\d+\)\s*(\S[\s\S]*)$/.exec(asText(message) ?? '')?.[1] ?? null;

function toCode(value: unknown): number | string | null {
  const number = asNumber(value);
  return number !== null && Number.isSafeInteger(number) ? number : asLabel(value);
}

const OVERLOADS = new Map<number | string, Overload>([
  [130429, 'number'],
  [131056, 'pair'],
  [4, 'account'],
  [17, 'account'],
  [80007, 'account'],
]);

export const findOverload = (code: number | string): Overload | null => OVERLOADS.get(code) ?? null;

/** Reads the list `errors` of a message, a status or a notification. */
export function networkErrors(errors: unknown): NetworkError[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter((error) => error !== null)
    .slice(0, MAX_CAUSES)
    .map(networkError);
}
