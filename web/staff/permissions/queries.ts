import { PERMISSIONS, type StaffRight } from '#rules/permissions.ts';
import { rest } from '#web/data/rest.ts';

/** Reads the rights of the caller as staff in this session. Empty for customers, and while a required second step is missing. */
export async function readStaffRights(): Promise<ReadonlySet<StaffRight>> {
  const { data, error } = await rest.rpc('staff_rights');
  if (error) throw error;
  const rights: readonly StaffRight[] = [...PERMISSIONS, 'audit_log'];
  return new Set(rights.filter((right) => data.includes(right)));
}

/** Whether the server shows the developer pages to the caller. False if the call fails. */
export async function readDeveloperPagesOpen(): Promise<boolean> {
  const { data, error } = await rest.rpc('developer_pages_open');
  return error === null && data === true;
}
