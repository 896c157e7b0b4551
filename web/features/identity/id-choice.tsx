import { Camera, ScanFace } from 'lucide-react';
import type { ReactNode } from 'react';
import { constants } from '#rules/venue.ts';

/** What happens to a photo of an ID. */
export const PHOTO_PRIVACY = `We read your name, date of birth and expiry date from the photo to check that it’s you and that you’re 18 or older. We delete the photo once that’s decided, or within ${constants.idReviewDays} days if someone on our team has to look at it. We never show it to other customers.`;

/** A shorter text for the choice of a photo. */
const PHOTO_IN_SHORT = `We read your name, date of birth and expiry date, and delete the photo within ${constants.idReviewDays} days.`;

/** The two ways to verify an ID, side by side. `photo` and `online` are their buttons; `online` is null if there is no hosted check. */
export function IdChoice({ photo, online }: { photo: ReactNode; online: ReactNode }) {
  return (
    <ul className={`grid gap-4 ${online === null ? '' : 'sm:grid-cols-2'}`}>
      <Option
        icon={Camera}
        title="Photo of your licence"
        time="About 30 seconds"
        action={photo}
        privacy={PHOTO_IN_SHORT}
      >
        Take a photo of your Australian driver licence here, or upload one.
      </Option>
      {online === null ? null : (
        <Option
          icon={ScanFace}
          title="Online check"
          time="About 2 minutes"
          action={online}
          privacy="It runs on the pages of our identity service. Your pictures stay there; we learn the result."
        >
          Our identity service looks at your licence and your face, then you come back here.
        </Option>
      )}
    </ul>
  );
}

function Option({
  icon: Icon,
  title,
  time,
  action,
  privacy,
  children,
}: {
  icon: typeof Camera;
  title: string;
  time: string;
  action: ReactNode;
  privacy: string;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-col gap-3 border border-edge bg-deck p-5">
      <div className="flex items-start gap-3">
        <Icon aria-hidden="true" className="mt-1 size-7 shrink-0 text-signal" />
        <div>
          <h3 className="text-xl text-chalk">{title}</h3>
          <p className="text-sm font-semibold text-fog">{time}</p>
        </div>
      </div>
      <p>{children}</p>
      <div className="mt-auto pt-1 [&>*]:w-full">{action}</div>
      <p className="text-sm text-fog">{privacy}</p>
    </li>
  );
}
