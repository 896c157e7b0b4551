-- The rows with which every installation begins.

insert into storage.buckets (
  id, name, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds, retention_seconds, owner_only
) values
  (
    'id-verifications', 'id-verifications', false, '10485760', '{image/jpeg,image/png,image/webp}', true, 60, 3600, true
  ),
  ('incidents', 'incidents', false, '10485760', '{image/jpeg,image/png,image/webp}', true, 60, null, false),
  ('rooms', 'rooms', true, '10485760', '{image/jpeg,image/png,image/webp}', true, 604800, null, false);

insert into private.mailing_list_count (subscribed, gone, bounced) values (0, 0, 0);

-- The first settings of the business. Staff change them, each time as a new version. A paragraph of a text is one line
-- of JSON, so some lines here are long.
insert into public.business_settings (settings) values ($settings$
{
  "abn": "",
  "name": "24/7 DJ Studios",
  "email": "hello@example.com",
  "phone": "",
  "terms": [
    {
      "text": "Payment is made in full when you book. Your booking is confirmed once your payment has arrived. Prices are in Australian dollars and include GST where it applies.",
      "title": "Booking and payment"
    },
    {
      "text": "You can cancel up to {cancelHours} hours before your session starts for a full refund: use the button in your account, or write to {email}. After that, please contact us.",
      "title": "Cancellation"
    },
    {
      "text": "Up to 5 people can be in a studio at a time. The person who booked is responsible for everyone in the room.",
      "title": "Your guests"
    },
    {
      "text": "The studios are open 24/7 by smart lock. Your access code is yours alone: please don’t share it. The door locks behind you. You can make a new code on your access code page until your session ends.",
      "title": "Access"
    },
    {
      "text": "You must be 18 or older. We check an Australian driver licence before your first session. We read the photo and delete it. If someone has to look at it, we delete it within 7 days.",
      "title": "Age and ID"
    },
    {
      "text": "Leave the room as you found it and end on time. You pay for any damage beyond fair wear and tear. No smoking, and no drinks on the equipment.",
      "title": "Care of the studio"
    },
    {
      "text": "Nothing in these terms takes away rights you have under the Australian Consumer Law.",
      "title": "Your rights"
    },
    {
      "text": "The law of New South Wales applies.",
      "title": "Law"
    }
  ],
  "notice": "",
  "address": "Sydney NSW",
  "privacy": [
    {
      "text": "Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking, the phone number you gave at checkout.\n\nYour bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in readable form.\n\nOf guests you invite to a booking, the first name each of them gives us. You and our team see it. We delete it 30 days after the session, or with your account.\n\nOf phones that have a booking in Apple Wallet, a scrambled form of the number by which Apple Wallet tells phones apart, and where Apple reaches it, so the pass can follow your booking. We delete both when you remove the pass, 30 days after the session, or with your account.\n\nA log of what was done on your account and by whom, so we can sort out any disagreement.",
      "title": "What we keep"
    },
    {
      "text": "We check your Australian driver licence before your first session. Our own server reads the photo, and we delete it within an hour of the result. If someone on our team has to look at it, we delete it once they’ve decided, and after 7 days at the latest.\n\nWe keep that you were verified, until when, and the name and dates we read.",
      "title": "Your ID"
    },
    {
      "text": "You enter it on our payment provider’s page. We never see the number, only whether you paid. If you choose to save it there, we can read its brand, last four digits and expiry from them, to show you. You can remove it in your account, and we remove it with your account.",
      "title": "Your card"
    },
    {
      "text": "Only if you signed up for it. We keep your address and when you agreed. Every email has a link to unsubscribe, or you can email {email}.",
      "title": "News by email"
    },
    {
      "text": "Your sign-in, and a booking you’ve started. There’s no advertising and no tracking, and no one else’s scripts run on our pages.",
      "title": "In your browser"
    },
    {
      "text": "The companies that run payments, online ID checks, door locks, email and text messages for us. Each sees only what it needs. If you save a booking to Google Wallet, Google gets what the pass shows: room, time, address and reference, and hears when it changes. Of a booking in Apple Wallet, Apple only hears that it changed. We never sell your data.",
      "title": "Who else sees it"
    },
    {
      "text": "For as long as you have an account. We keep invoices for as long as tax law says. Your ID verification ends when your licence expires, and after 24 months at the latest.",
      "title": "How long"
    },
    {
      "text": "In your account you can download what we keep about you, correct it, see and sign out your devices, choose which emails and texts you get, and delete the account. For anything else, email {email}. If you’re not happy with our answer, you can contact the Office of the Australian Information Commissioner.",
      "title": "Your rights"
    }
  ],
  "instagram": "@djstudios",
  "legalName": "24/7 DJ Studios",
  "directions": "",
  "holdMinutes": 15,
  "horizonDays": 90,
  "arrivalNotes": "",
  "holdsPerHour": 6,
  "maxLiveHolds": 2,
  "salesAccount": "200",
  "termsVersion": "2025-10",
  "maxUnpaidHours": 48,
  "freeCancelHours": 24,
  "maxUnpaidHoursOfBooking": 24
}
$settings$);
