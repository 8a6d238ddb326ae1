import type { Socket } from 'node:net'
import type { ClientBase, Submittable } from 'pg'
import { HEADER } from '../../copy/tuples.ts'

/** The part of the driver's connection that a COPY uses. */
export type CopyConnection = {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

export type CopyQuery = {
  /** A COPY command. */
  text: string
  /** Called when the command is sent. */
  sent?(connection: CopyConnection): void
  /** Called for each message of a COPY TO. The driver reuses the buffer after the call. */
  received?(chunk: Buffer): void
  /** Called when a COPY FROM may send its data. */
  ready?(connection: CopyConnection): void
  /** Called at the end: null after success. May be called again after an error. */
  ended(error: Error | null): void
}

/** Sends a COPY. `pg` has no interface for it, but runs every object that handles these messages. */
export function sendCopy(client: ClientBase, query: CopyQuery): void {
  const ignore = () => {}
  const submittable = {
    submit(connection: CopyConnection) {
      query.sent?.(connection)
      connection.query(query.text)
    },
    // `pg` puts its time limit around this method, so every end goes through it.
    callback: query.ended,
    handleCopyInResponse: query.ready ?? ignore,
    handleCopyData({ chunk }: { chunk: Buffer }) {
      query.received?.(chunk)
    },
    handleError: (error: Error) => submittable.callback(error),
    handleReadyForQuery: () => submittable.callback(null),
    handleCommandComplete: ignore,
    handleEmptyQuery: ignore,
    handlePortalSuspended: ignore,
    handleRowDescription: ignore,
    handleDataRow: ignore,
  }
  client.query(submittable as unknown as Submittable)
}

/** A column of a row as PostgreSQL sends it in binary. Null is null. */
export type Field = Buffer | null

/** The values of a statement: whole numbers, or lists of them. */
export type WholeNumbers = readonly (number | readonly number[])[]

/**
 * The rows of a query, read by COPY. No other result that `pg` can read has bytes as they are stored; all
 * others have text of twice the length. COPY takes no parameters, so the numbers are written into its
 * text. That also makes PostgreSQL plan for these numbers, so that it locks and opens only the partitions
 * that hold them.
 */
export function copyRows(
  client: ClientBase,
  query: string,
  values: WholeNumbers,
): Promise<Field[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<Field[][]>()
  const chunks: Buffer[] = []
  sendCopy(client, {
    text: copyTo(withNumbers(query, values)),
    received: (chunk) => chunks.push(Buffer.from(chunk)),
    ended(error) {
      if (error === null) resolve(rowsOf(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      else reject(error)
    },
  })
  return promise
}

/** A COPY command that sends the rows of a query. */
export function copyTo(query: string): string {
  return `COPY (${query}) TO STDOUT (FORMAT binary)`
}

const END = -1
const NULL = -1

/** The text with `$1`, `$2`… replaced by literals. */
export function withNumbers(text: string, values: WholeNumbers): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1]
    if (typeof value === 'object') return `'{${value.map(whole).join()}}'::bigint[]`
    return `'${whole(value)}'::bigint`
  })
}

function whole(value: number | undefined): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`)
  return `${value}`
}

/** The rows of a binary COPY (https://www.postgresql.org/docs/15/sql-copy.html, File Formats). */
function rowsOf(copied: Buffer): Field[][] {
  const rows: Field[][] = []
  for (let at = HEADER.length; copied.readInt16BE(at) !== END; ) {
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
