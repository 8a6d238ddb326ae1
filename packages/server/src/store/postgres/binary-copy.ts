import type { ClientBase, Submittable } from 'pg'

/** One column of one row as PostgreSQL sends it in binary; null is null. */
export type Field = Buffer | null

/** What a statement is given: whole numbers alone, or lists of them. */
export type WholeNumbers = readonly (number | readonly number[])[]

/** After the signature, flags and the length of an extension that there is none of. */
const HEADER_BYTES = 19
const END = -1
const NULL = -1

/**
 * Runs a query as `COPY (…) TO STDOUT (FORMAT binary)`: of what `pg` can read, the one form in which
 * bytes come as they are stored, instead of as text of twice the length. COPY takes no parameters, so
 * the numbers are written into its text; which also has PostgreSQL plan it for these very numbers, so
 * that it locks and opens only the partitions that they lie in.
 */
export function binaryCopy(client: ClientBase, text: string, values: WholeNumbers) {
  const { promise, resolve, reject } = Promise.withResolvers<Field[][]>()
  const chunks: Buffer[] = []
  const copy = {
    submit(connection: unknown) {
      const { query } = connection as { query(text: string): void }
      query.call(connection, `COPY (${withNumbers(text, values)}) TO STDOUT (FORMAT binary)`)
    },
    // `pg` puts its time limit around this one.
    callback(error: Error | null, rows?: Field[][]) {
      if (error === null) resolve(rows!)
      else reject(error)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // What it is a view of is written over by what comes next.
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

/** The text with `$1`, `$2`… as literals. */
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

/** The tuples of a binary COPY (https://www.postgresql.org/docs/15/sql-copy.html, File Formats). */
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
