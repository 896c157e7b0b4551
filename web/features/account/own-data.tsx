import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveFile } from '#web/data/fetch-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { readOwnData } from './queries.ts';

/** Downloads everything that is stored about the account, and deletes it. */
export function OwnData({ userId, onDeleted }: { userId: string; onDeleted: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const download = useMutation({
    mutationFn: readOwnData,
    meta: { failure: 'We couldn’t download your data. Please try again.' },
    onSuccess: (text) => {
      saveFile(text, 'my-data.json', 'application/json');
      toast({ title: 'Downloaded', description: 'Your data is in my-data.json.' });
    },
  });
  return (
    <div className="space-y-5">
      <p className="max-w-prose text-fog">
        Download everything we store about you as one file: your details, bookings, payments, ID checks and devices.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" busy={download.isPending} onClick={() => download.mutate()}>
          Download my data
        </Button>
        <Button tone="quiet" onClick={() => setDeleting(true)}>
          Delete my account
        </Button>
      </div>
      <Dialog open={deleting} title="Delete your account?" onClose={() => setDeleting(false)}>
        <DeleteAccount userId={userId} onKeep={() => setDeleting(false)} onDeleted={onDeleted} />
      </Dialog>
    </div>
  );
}
