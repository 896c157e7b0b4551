import { type Permission, PERMISSION_WORDS } from '#rules/permissions.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** Invites a person to become staff. `inviter`: the owner's name, if it is known. */
export function staffInvitationMail(
  from: Letterhead,
  input: {
    readonly href: string;
    readonly permissions: readonly Permission[];
    readonly until: Date;
    readonly inviter: string | null;
  },
): Mail {
  const until = `${formatStudioDate(input.until)}, ${formatStudioTime(input.until)} (Sydney time)`;
  return renderMail(from, {
    subject: `Join the staff of ${from.name}`,
    preheader: 'Accept the invitation within 7 days.',
    heading: 'You’re invited to join the staff',
    blocks: [
      {
        kind: 'text',
        text: `${input.inviter ?? 'An owner'} invites you to work in the back office of ${from.name}. Open this page, sign in or sign up with this email address, and press the button.`,
      },
      { kind: 'button', label: 'Open the invitation', href: input.href },
      {
        kind: 'facts',
        rows: [
          ['Your permissions', input.permissions.map((permission) => PERMISSION_WORDS[permission].label).join(', ')],
          ['Valid until', until],
        ],
      },
      { kind: 'text', text: 'The link works once. Not expecting this? You can ignore this email.' },
    ],
  });
}
staffInvitationMail.previews = ({ at, from, site }: PreviewData): Previews<typeof staffInvitationMail> => ({
  '': [
    from,
    {
      href: `${site}/staff-invitation#${'c2Vj'.repeat(30)}`,
      permissions: ['bookings', 'identity', 'money'],
      until: at(168),
      inviter: 'Ruby Chen',
    },
  ],
});

/** Informs staff that they need a second step at sign-in. `until`: when they need it; null if they need it already. */
export function secondFactorMail(
  from: Letterhead,
  { until, siteUrl }: { readonly until: Date | null; readonly siteUrl: string },
): Mail {
  const when = until === null ? null : `${formatStudioDate(until)}, ${formatStudioTime(until)} (Sydney time)`;
  return renderMail(from, {
    subject: `Add two-step sign-in to your account at ${from.name}`,
    preheader: when === null ? 'The back office needs it now.' : 'The back office needs it soon.',
    heading: 'Add two-step sign-in',
    blocks: [
      {
        kind: 'text',
        text:
          when === null
            ? 'An owner now requires two-step sign-in for your work in the back office. Until you add it, you see only what customers see.'
            : `An owner now requires two-step sign-in for your work in the back office. Add it by ${when}. Without it, you will see only what customers see after that.`,
      },
      {
        kind: 'text',
        text: 'You need an authenticator app on your phone. It takes two minutes: open your account settings, add the app, and type the code that it shows.',
      },
      { kind: 'button', label: 'Open account settings', href: `${siteUrl}/profile#second-step` },
    ],
  });
}
secondFactorMail.previews = ({ at, from, site }: PreviewData): Previews<typeof secondFactorMail> => ({
  '': [from, { until: at(168), siteUrl: site }],
  'that is needed now': [from, { until: null, siteUrl: site }],
});
