import { type Permission, PERMISSIONS } from '#rules/permissions.ts';
import { rest } from '#web/data/rest.ts';

/** Reads what an account of staff may do. */
export async function readPermissions(userId: string): Promise<ReadonlySet<Permission>> {
  const { data, error } = await rest.from('staff_permissions').select('permission').eq('user_id', userId);
  if (error) throw error;
  return new Set(PERMISSIONS.filter((one) => data.some(({ permission }) => permission === one)));
}

/** Whether the server lets this session act as staff: where a second factor is required of the account, only after it. */
export async function readStaffRights(): Promise<boolean> {
  const { data, error } = await rest.rpc('is_staff');
  return error === null && data === true;
}

/** Whether the server shows the developer pages to the caller; false when the call fails. */
export async function readDeveloperPagesOpen(): Promise<boolean> {
  const { data, error } = await rest.rpc('developer_pages_open');
  return error === null && data === true;
}
