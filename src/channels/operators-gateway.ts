/** A gateway that the operator of the platform rents for all companies. */
export interface OperatorsGateway {
  url: string;
  apiKey: string;
  /** What the gateway shows with each of its calls. */
  hookSecret: string;
  /** The most messages of an account in a day. */
  sendsPerDay: number;
}
