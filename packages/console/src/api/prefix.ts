/** Answered by `server/src/faces/admin/answer.ts`; the operations are in `server/src/faces/admin/operations`. */
export const PREFIX = '/admin/v1'
