import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { firstBusiness } from '#rules/business/first-settings.ts';
import { PageDataProvider } from '#web/lib/business/business.ts';
import { FindUs } from '#web/lib/business/find-us.tsx';
import { renderPart } from '#web/ui/component-tests.ts';
import { InfoTable } from './info-table.tsx';

const show = (change: Partial<typeof firstBusiness>) =>
  renderPart(
    <PageDataProvider value={{ business: { ...firstBusiness, ...change }, rooms: [], texts: null }}>
      <InfoTable />
      <FindUs />
    </PageDataProvider>,
  );
const PHOTO = '0a1b2c3d-0000-4000-8000-000000000001.jpg';

test('the way to the door is described and shown, on the first page and with a booking', () => {
  show({ directions: 'Through the yard', directionsPhoto: PHOTO, directionsPhotoText: 'A green door' });
  expect(screen.getAllByText('Through the yard')).toHaveLength(2);
  const [image] = screen.getAllByAltText<HTMLImageElement>('A green door');
  expect(image?.src).toContain(`/render/image/public/rooms/${PHOTO}?width=800`);
  expect(screen.getByRole('region', { name: 'How to find us' })).toBeTruthy();
});

test('a photo alone is shown with words that always fit, and without both there is nothing', () => {
  const { unmount } = show({ directionsPhoto: PHOTO });
  expect(screen.getAllByAltText(`The way to ${firstBusiness.name}`)).toHaveLength(2);
  unmount();
  show({});
  expect([screen.queryByText('Directions'), screen.queryByText('How to find us')]).toEqual([null, null]);
});
