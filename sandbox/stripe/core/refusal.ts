type Body = {
  type?: string;
  code?: string;
  param?: string;
  message: string;
  decline_code?: string;
  payment_intent?: object;
};

/** An error in Stripe's format. */
export class StripeRefusal extends Error {
  override readonly name = 'StripeRefusal';
  readonly status: number;
  readonly body: Body;
  /** Whether the error was thrown after the work began, so that the idempotency key stores it like an answer. */
  readonly kept: boolean;
  constructor(status: number, body: Body, kept = false) {
    super(body.message);
    this.status = status;
    this.body = { type: 'invalid_request_error', ...body };
    this.kept = kept;
  }
}

export const missing = (kind: string, id: string, param = 'id'): StripeRefusal =>
  new StripeRefusal(404, { code: 'resource_missing', param, message: `No such ${kind}: '${id}'` });
export const invalid = (param: string, message: string, code = 'parameter_invalid'): StripeRefusal =>
  new StripeRefusal(400, { code, param, message });
export const requiredParameter = (param: string): StripeRefusal =>
  new StripeRefusal(400, { code: 'parameter_missing', param, message: `Missing required param: ${param}.` });
/** The request is valid, but the object is in the wrong state for it. */
export const wrongState = (message: string, code?: string): StripeRefusal =>
  new StripeRefusal(400, { message, ...(code === undefined ? {} : { code }) }, true);
