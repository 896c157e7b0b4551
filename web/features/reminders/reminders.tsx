import { useMutation, useQuery } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { Check } from '#web/ui/choice.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { PhoneNumber } from './phone-number.tsx';
import { readReminders, type ReminderSetting, setReminder } from './queries.ts';

/** Turns reminders of sessions on and off, by kind. */
export function ReminderSettings({ userId }: { userId: string }) {
  const reminders = useQuery({ queryKey: queryKeys.reminders.of(userId), queryFn: () => readReminders(userId) });
  const change = useMutation({
    mutationFn: ({ setting, on }: { setting: ReminderSetting; on: boolean }) => setReminder(userId, setting, on),
    meta: { failure: 'We couldn’t save that. Please try again.', invalidates: [queryKeys.reminders.all] },
  });
  // The new choice is shown at once. When the server has answered, its value is shown again.
  const shown = (setting: ReminderSetting, saved: boolean): boolean =>
    change.isPending && change.variables.setting === setting ? change.variables.on : saved;
  return (
    <Loaded query={reminders} what="your reminders" skeleton="h-24">
      {({ email, text, thanks, phone, texts }) => (
        <div className="space-y-3">
          <Check
            checked={shown('remind_by_email', email)}
            onChange={(event) => change.mutate({ setting: 'remind_by_email', on: event.target.checked })}
          >
            An email 24 hours before a session
          </Check>
          {texts ? (
            <Check
              checked={phone !== null && shown('remind_by_text', text)}
              disabled={phone === null}
              onChange={(event) => change.mutate({ setting: 'remind_by_text', on: event.target.checked })}
            >
              A text message 2 hours before{phone === null ? '' : `, to ${phone}`}
            </Check>
          ) : null}
          <Check
            checked={shown('thank_by_email', thanks)}
            onChange={(event) => change.mutate({ setting: 'thank_by_email', on: event.target.checked })}
          >
            An email after a session: how it was, and what you left behind
          </Check>
          {texts ? (
            <div className="pt-2">
              <PhoneNumber userId={userId} phone={phone} />
            </div>
          ) : null}
          <p className="max-w-prose text-sm text-fog">
            Confirmations, access codes and anything about your money always come by email.
          </p>
        </div>
      )}
    </Loaded>
  );
}
