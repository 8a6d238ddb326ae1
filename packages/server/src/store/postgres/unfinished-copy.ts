/**
 * `deployment.compatible_from` of a database that a copy is being made in: no program is of that
 * version, so that every one of them refuses to use it.
 */
export const UNFINISHED_COPY = 2 ** 31 - 1
