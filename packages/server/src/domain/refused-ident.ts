import type { ObjectLimit } from './limits.ts'

/** Why a packet of an unknown ident made no object. The words are those of the feed's answers. */
export type RefusedIdentReason = 'unknown_ident' | 'foreign_ident' | ObjectLimit

/** An ident that trackers send and that no object has. */
export type RefusedIdent = {
  ident: string
  /** The reason of the last packet. */
  reason: RefusedIdentReason
  /** How many packets have come since the ident was put on the list. */
  packets: number
  /** When the last packet came: milliseconds since the epoch. */
  lastAt: number
  /** The coordinates of the last packet, degrees. Null if it had no fix. */
  latitude: number | null
  longitude: number | null
}

/** How many idents the list of an organization keeps: the ones that sent last. */
export const MAX_REFUSED_IDENTS = 100

export const REFUSED_IDENT_MESSAGES: Readonly<Record<RefusedIdentReason, string>> = {
  unknown_ident:
    "no object has this ident, and the organization does not create objects automatically: create it, or see 'fleetgate org update --create-objects'",
  foreign_ident:
    'no object has this ident, and none is created: the ident is in use elsewhere on this server, whose operator can assign it',
  limit_of_objects:
    'no object has this ident, and the organization has as many objects as max_objects allows',
  limit_of_new_objects:
    'no object has this ident, and its feed token made too many new objects within a minute',
}
