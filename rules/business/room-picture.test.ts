import { expect, test } from 'vitest';
import { mailPicture, roomPicture } from './room-picture.ts';

test('a drawn picture is a file of the site, and an uploaded photo one that the server cuts to 8:5', () => {
  expect(roomPicture('drawn-b', 800, 'webp')).toBe('/rooms/b-800.webp');
  expect(mailPicture('drawn-c')).toBe('/rooms/mail/c.jpg');
  const cut = '/storage/v1/render/image/public/rooms/1f.png?width=';
  expect(roomPicture('1f.png', 480, 'avif')).toBe(`${cut}480&height=300&resize=cover&format=avif`);
  expect(mailPicture('1f.png')).toBe(`${cut}1120&height=700&resize=cover&format=origin`);
});
