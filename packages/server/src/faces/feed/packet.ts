import { exactMember } from '../../base/domain/common/exact-json.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import type { DroppedNames } from '../../base/domain/position/current-attributes.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { RoutedFacts } from '../../base/domain/routing-rule.ts'
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
  /** The names of attributes for which its object, or the organization, has no room. Set once it is stored. */
  dropped?: DroppedNames
  /** The name for the object, if the packet creates it. Absent: its ident. */
  name?: string
  /** Only of a request with a token of the deployment. */
  sender?: Sender
}

/** The facts of a packet in addition to the position, for the rules of the deployment. */
type Sender = {
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

/** The facts of a packet that rules look at. */
export function routedFacts({ ident, sender }: Packet): RoutedFacts {
  return {
    ident,
    groups: groupsOf(sender),
    attribute: (name) => sender && attributeOf(sender, name),
  }
}

/** The name and the group of a device, for the list of waiting idents. Texts that no list can show are left out. */
export function shownSender(sender: Sender | undefined): {
  name: string | null
  group: string | null
} {
  const shown = (text: string | undefined) =>
    text !== undefined && ORGANIZATION_RULES.name.holds(text) ? text : null
  return {
    name: shown(textOf(sender?.device ?? undefined, 'name')),
    group: shown(groupsOf(sender)[0]),
  }
}

/** Traccar sends the number of the group, 0 for none. A program on the way may add its name. */
function groupsOf(sender: Sender | undefined): string[] {
  const device = sender?.device ?? undefined
  const found = ['groupName', 'groupId'].map((name) => textOf(device, name))
  return found.filter((group) => group !== undefined && group !== '0') as string[]
}

/**
 * An attribute of the device, else a field of the device such as `category`, else an attribute of the position. The
 * first two are from the operator of the Traccar server, and the last from the sender of the position.
 */
function attributeOf({ device, attributes }: Sender, name: string): string | undefined {
  const own = device?.attributes as Sender['device'] | undefined
  for (const each of [own, device, attributes]) {
    const found = textOf(each ?? undefined, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** A text, a number or a switch as text. */
function textOf(fields: Sender['device'] | undefined, name: string): string | undefined {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name))
    return undefined
  const value = exactMember(fields, name)
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}
