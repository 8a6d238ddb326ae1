import type { Fix } from '../domain/fix.ts'

/**
 * When a fix was taken, in milliseconds since the epoch. A local time is yet to be read in the time zone of
 * its object: until then the milliseconds are as if it were UTC.
 */
export type DeviceTime = { timeDevice: number; isLocalTime: boolean }

/** What a device or a tracking server said of one object at one moment. */
export type Packet = {
  /** The device's own id, an IMEI or similar. */
  ident: string
  fix: Fix
  /** Of the fix's `timeDevice`: see `DeviceTime`. */
  isLocalTime: boolean
}

/** Why a row of a request is no packet. */
export type PacketFault = {
  /** A word of the feed's documentation, such as `missing_field`, `bad_number` or `bad_time`. */
  reason: string
  /** Names the field and the rule, for whoever debugs a sender. */
  message: string
  /** Where the row tells. */
  ident: string | null
}

export type Row = Packet | PacketFault

export function isFault(row: Row): row is PacketFault {
  return 'reason' in row
}
