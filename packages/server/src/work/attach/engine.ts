/*
 * A kind of database in which Traccar keeps its data.
 */

/** The expressions in which databases differ. */
export type Dialect = {
  /** The schema in which tables without a schema are. */
  schema: string
  /** A moment of a column as text, such as `2026-11-30 04:05:06.789`, on the clock of the column. */
  moment(column: string): string
  /** The day of such a moment, such as `2026-11-30`. */
  day(column: string): string
  /** A switch as 1 or 0. */
  flag(column: string): string
}

export type Connection = {
  /** `?` in the statement is the next value. */
  rows(statement: string, values: readonly unknown[]): Promise<object[]>
  close(): Promise<void>
}

/** A kind of database: how it is connected to, and how it writes values. */
export type Engine = {
  readonly name: string
  readonly dialect: Dialect
  connect(address: Address): Promise<Connection>
  /** Whether another attempt may succeed where this error came from. */
  isAway(error: DriverError): boolean
}

export type DriverError = Error & { code?: string; errno?: number; fatal?: boolean }

export type Address = {
  host: string
  port: number | undefined
  user: string
  password: string
  database: string
  /** `rejectUnauthorized`: whether the certificate and its host name are checked. */
  tls: { rejectUnauthorized: boolean } | undefined
}

/** Errors of the network, from either driver. */
export function isNetworkError({ code = '' }: DriverError): boolean {
  return /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENOTFOUND|EAI_)/.test(code)
}

/** A question about all positions of a device takes less, also on a slow disk. */
export const QUESTION_MS = 300_000

export const CONNECT_MS = 10_000
