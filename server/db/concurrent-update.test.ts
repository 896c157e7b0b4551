import { expect, test, vi } from 'vitest';
import { retryConcurrentUpdate } from './concurrent-update.ts';

const concurrent = new Error('tuple concurrently updated');

test('a change that another server makes at the same moment is made again', async () => {
  const change = vi.fn().mockRejectedValueOnce(concurrent).mockRejectedValueOnce(concurrent).mockResolvedValue('done');
  expect(await retryConcurrentUpdate(change)).toBe('done');
  expect(change).toHaveBeenCalledTimes(3);
});

test('it is given up after ten tries, and another error is not tried again', async () => {
  const change = vi.fn().mockRejectedValue(concurrent);
  await expect(retryConcurrentUpdate(change)).rejects.toBe(concurrent);
  expect(change).toHaveBeenCalledTimes(10);
  const refused = vi.fn().mockRejectedValue(new Error('permission denied'));
  await expect(retryConcurrentUpdate(refused)).rejects.toThrow('permission denied');
  expect(refused).toHaveBeenCalledTimes(1);
});
