import { type Statement, statement } from '../connection/connections.ts'

/** Parts of a statement that inserts rows of the organization $1, given as arrays such as `unnest($2::int8[])`. */
export type Given = {
  /** Selects the organization and the columns of the arrays. */
  rows(arrays: string): string
  /** The organization, and the FROM and WHERE, of a statement that computes something of the rows. */
  organization: string
  from(arrays: string): string
}

const PLAIN: Given = {
  rows: (arrays) => `SELECT $1, * FROM ${arrays}`,
  organization: '$1::bigint',
  from: (arrays) => `FROM ${arrays}`,
}

/**
 * The row in `sequences` tells Citus that all of it belongs to one worker, which then gets one statement. Otherwise the
 * coordinator computes the rows, copies them to the worker, and then inserts them.
 */
const DISTRIBUTED: Given = {
  rows: (arrays) =>
    `SELECT sequences.organization, given.* ${DISTRIBUTED.from(`${arrays} AS given`)}`,
  organization: 'sequences.organization',
  from: (arrays) => `FROM sequences, ${arrays} WHERE sequences.organization = $1`,
}

/** For a statement in the form of a database that is distributed, or is not. */
export function givenRows(isDistributed: boolean): Given {
  return isDistributed ? DISTRIBUTED : PLAIN
}

/** A statement in the form for one server and in that for Citus. */
export function givenStatement(text: (given: Given) => string): Statement {
  return { ...statement(text(PLAIN)), distributed: statement(text(DISTRIBUTED)) }
}
