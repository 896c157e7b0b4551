/**
 * Setup file of the component tests. It hands them the contracts: a module of the site itself may import only their types, so that no byte of
 * them is in a page.
 */
Object.assign(globalThis, {
  loadContracts: async () => ({ calls: await import('./calls.ts'), ...(await import('./core/refusals.ts')) }),
});
