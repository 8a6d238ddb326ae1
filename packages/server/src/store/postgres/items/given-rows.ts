/**
 * Selects rows that are given as arrays from $2 on, such as `unnest($2::int8[], $3::int8[])`, after the organization $1.
 * The row in `sequences` tells a distributed database that all of it belongs to one worker, which then gets one
 * statement. Otherwise the coordinator computes the rows, copies them to the worker, and then inserts them. On one
 * server this reads a row that the transaction has locked.
 */
export function givenRows(arrays: string): string {
  return `SELECT sequences.organization, given.* ${fromGiven(`${arrays} AS given`)}`
}

/** The FROM and WHERE of `givenRows`, for a statement that computes something of the rows. */
export function fromGiven(arrays: string): string {
  return `FROM sequences, ${arrays} WHERE sequences.organization = $1`
}
