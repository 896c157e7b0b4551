import type Stripe from 'stripe';
import { parseEmail, type FormMap, parseMetadata, onlyKnown, parseText } from '../core/form.ts';
import { byId, newId, type StripeState } from '../core/ledger.ts';
import { missing } from '../core/refusal.ts';
import { detachAll } from './payment-methods.ts';

const FIELDS = ['email', 'name', 'description', 'phone', 'metadata.*', 'expand.*'];

/** `POST /v1/customers` (docs.stripe.com/api/customers/create). */
export function createCustomer(state: StripeState, form: FormMap): Stripe.Customer {
  onlyKnown(form, FIELDS);
  const id = newId('cus');
  const customer: Stripe.Customer = {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: state.stamp(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: parseText(form['description']),
    email: parseEmail(form['email'], 'email'),
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: parseMetadata(form['metadata']),
    name: parseText(form['name']),
    next_invoice_sequence: 1,
    phone: parseText(form['phone']),
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
  state.ledger.customers[id] = customer;
  state.changed();
  return customer;
}

/** `POST /v1/customers/{id}`. */
export function updateCustomer(state: StripeState, id: string, form: FormMap): Stripe.Customer {
  onlyKnown(form, FIELDS);
  const customer = getCustomer(state, id);
  if (form['email'] !== undefined) customer.email = parseEmail(form['email'], 'email');
  if (form['name'] !== undefined) customer.name = parseText(form['name']);
  Object.assign(customer.metadata, parseMetadata(form['metadata']));
  state.changed();
  return customer;
}

/** `DELETE /v1/customers/{id}`: deletes a customer permanently and detaches the saved cards. Payments stay. */
export function deleteCustomer(state: StripeState, id: string): { id: string; object: 'customer'; deleted: true } {
  getCustomer(state, id);
  detachAll(state, id);
  delete state.ledger.customers[id];
  state.ledger.deletedCustomers.push(id);
  state.changed();
  return { id, object: 'customer', deleted: true };
}

/** Returns a customer. Throws for a deleted customer, which can be read only by `GET /v1/customers/{id}`. */
export function getCustomer(state: StripeState, id: string, param = 'id'): Stripe.Customer {
  const customer = byId(state.ledger.customers, id);
  if (!customer) throw missing('customer', id, param);
  return customer;
}
