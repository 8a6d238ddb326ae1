import { OBJECT_RULES } from '../domain/monitored-object.ts'
import type { Fix } from '../domain/position/fix.ts'
import type { FeedToken } from './token.ts'

/**
 * The time of a fix in milliseconds since the epoch. A local time still has to be read in the time zone
 * of its object; until then the milliseconds are as if it were UTC.
 */
export type DeviceTime = { timeDevice: number; isLocalTime: boolean }

/** A report about one object at one moment, by a device or a tracking server. */
export type Packet = {
  /** The device's own id, such as an IMEI. */
  ident: string
  fix: Fix
  /** How to read the fix's `timeDevice`. See `DeviceTime`. */
  isLocalTime: boolean
  /** The format's names of values that could not be read, and count as unknown. */
  unread?: string[]
  /** The names of values that could not be kept as attributes, as far as it is safe to show them. */
  lost?: string[]
  /** The name for the object, if the packet creates it. Absent: its ident. */
  name?: string
  /** Only of a request with a token of the deployment. */
  sender?: Sender
}

/** The facts of a packet besides the position, for the rules of the deployment. */
export type Sender = {
  /** Traccar's `device`. Null in other formats. */
  device: Readonly<Record<string, unknown>> | null
  /** Traccar's attributes of the position; in other formats the whole row. */
  attributes: Readonly<Record<string, unknown>>
}

/** The place of a packet in a list of idents. */
export function shownPlace({
  latitude,
  longitude,
}: Fix): Pick<Fix, 'latitude' | 'longitude'> | { latitude: null; longitude: null } {
  const isNowhere = latitude === 0 && longitude === 0
  return isNowhere ? { latitude: null, longitude: null } : { latitude, longitude }
}

/** Why a row of a request cannot be read as a packet. */
export type PacketFault = {
  /** A word of docs/feed.md, such as `missing_field`, `bad_number` or `bad_time`. */
  reason: string
  /** Names the field and the rule. */
  message: string
  /** The ident, if the row has one. */
  ident: string | null
}

export type Row = Packet | PacketFault

export function isFault(row: Row): row is PacketFault {
  return 'reason' in row
}

/** The number of attributes of the rows from `first` on. */
export function attributesIn(rows: readonly Row[], first = 0): number {
  let count = 0
  for (let index = first; index < rows.length; index += 1) {
    const row = rows[index]!
    if (!isFault(row)) count += row.fix.attributes?.length ?? 0
  }
  return count
}

/** The names of all values of a packet that are not stored. */
export function unreadIn({ unread, lost }: Packet): readonly string[] | undefined {
  return lost === undefined ? unread : [...(unread ?? []), ...lost]
}

/** The outcome of a row. `duplicate` and `conflict`: its object already had a fix of that moment. */
export type RowOutcome = 'stored' | 'duplicate' | 'conflict' | Rejected

export type Rejected = {
  reason: string
  message: string
  /**
   * Whether to send the row again: never, later, or needless because the packet was noted. `waiting`: needless, because
   * an operator must give its ident an owner first.
   */
  resend: 'never' | 'later' | 'needless' | 'waiting'
}

export const BAD_IDENT: Rejected = {
  reason: 'bad_ident',
  message: `ident must be ${OBJECT_RULES.ident.says}`,
  resend: 'never',
}

/** The outcome of a row that cannot be read as a packet. */
export function rejectedFault({ reason, message }: PacketFault): Rejected {
  return { reason, message, resend: 'never' }
}

/** Stores the rows of the feed. */
export interface Ingest {
  /**
   * Resolves once all rows are durable for all organizations that they go to, with the outcomes in the order of the
   * rows. Rejects with `StoreUnavailable`; nothing is acknowledged then. `format`: the name of the rows' format.
   */
  take(token: FeedToken, rows: Row[], format: string): Promise<RowOutcome[]>
}
