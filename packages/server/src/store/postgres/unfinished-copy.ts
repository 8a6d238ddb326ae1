/**
 * `deployment.compatible_from` of a database while a copy fills it. No program has that version, so every
 * program refuses to use the database.
 */
export const UNFINISHED_COPY = 2 ** 31 - 1
