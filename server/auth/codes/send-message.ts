import type { Message } from './messages.ts';
import { renderMessage } from './render-message.ts';
import type { AuthContext } from '../core/context.ts';

/** Sends an account mail or text message; does nothing if it no longer has a recipient or a purpose. */
export async function sendMessage(context: AuthContext, message: Message): Promise<void> {
  const content = await renderMessage(context, message);
  if (content === null) return;
  const key = `account-${message.id}`;
  if (content.to === 'email') await context.mail.send({ ...content, to: message.email ?? '', key });
  else await context.texts.send({ to: `+${message.phone ?? ''}`, text: content.text, key });
}
