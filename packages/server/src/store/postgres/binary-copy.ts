import type { ClientBase, Submittable } from 'pg'

/** A column of a row as PostgreSQL sends it in binary. Null is null. */
export type Field = Buffer | null

/** The values of a statement: whole numbers, or lists of them. */
export type WholeNumbers = readonly (number | readonly number[])[]

/** The length of the signature, the flags and the empty header extension. */
const HEADER_BYTES = 19
const END = -1
const NULL = -1

/**
 * Runs a query as `COPY (…) TO STDOUT (FORMAT binary)`. No other result that `pg` can read has bytes as
 * they are stored; all others have text of twice the length. COPY takes no parameters, so the numbers are
 * written into its text. That also makes PostgreSQL plan for these numbers, so that it locks and opens
 * only the partitions that hold them.
 */
export function binaryCopy(client: ClientBase, text: string, values: WholeNumbers) {
  const { promise, resolve, reject } = Promise.withResolvers<Field[][]>()
  const chunks: Buffer[] = []
  const copy = {
    submit(connection: unknown) {
      const { query } = connection as { query(text: string): void }
      query.call(connection, `COPY (${withNumbers(text, values)}) TO STDOUT (FORMAT binary)`)
    },
    // `pg` puts its time limit around this call.
    callback(error: Error | null, rows?: Field[][]) {
      if (error === null) resolve(rows!)
      else reject(error)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // Copy: the buffer is reused for the next message.
      chunks.push(Buffer.from(chunk))
    },
    handleError(error: Error) {
      copy.callback(error)
    },
    handleReadyForQuery() {
      copy.callback(null, rowsOf(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    },
    handleCommandComplete() {},
    handleEmptyQuery() {},
    handlePortalSuspended() {},
    handleRowDescription() {},
    handleDataRow() {},
  }
  client.query(copy as Submittable)
  return promise
}

/** The text with `$1`, `$2`… replaced by literals. */
export function withNumbers(text: string, values: WholeNumbers): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1]
    if (typeof value === 'object') return `'{${value.map(whole).join()}}'::bigint[]`
    return `'${whole(value)}'::bigint`
  })
}

function whole(value: number | undefined): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is no whole number`)
  return `${value}`
}

/** Splits a binary COPY into tuples (https://www.postgresql.org/docs/15/sql-copy.html, File Formats). */
function rowsOf(copied: Buffer): Field[][] {
  const rows: Field[][] = []
  for (let at = HEADER_BYTES; copied.readInt16BE(at) !== END; ) {
    const row = new Array<Field>(copied.readInt16BE(at))
    at += 2
    for (let column = 0; column < row.length; column += 1) {
      const length = copied.readInt32BE(at)
      at += 4
      row[column] = length === NULL ? null : copied.subarray(at, at + length)
      at += Math.max(0, length)
    }
    rows.push(row)
  }
  return rows
}

export function bigintOf(field: Field | undefined): number | null {
  return field == null ? null : Number(field.readBigInt64BE())
}

export function booleanOf(field: Field | undefined): boolean {
  return field?.[0] === 1
}
