/**
 * The A2A states by name. The SDK's enums cannot be used, because they are erased where only types
 * are imported.
 */
export const STATE = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
  authRequired: 8,
} as const;
