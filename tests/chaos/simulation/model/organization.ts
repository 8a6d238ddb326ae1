import type { ModelFix } from './drive.ts'
import { type ModelObject, newObject, type Outcome, refuseBeyond, takeFix } from './object.ts'
import type { Window } from './window.ts'

/** A secret as its holder knows it. */
export type ModelKey = {
  id: number
  secret: string
  expiresAt: number | null
  isRevoked: boolean
}

/** An organization, and its own data. It sees no other organization. */
export type ModelOrganization = {
  id: number
  unit: 'km' | 'mi'
  subscription: 'active' | 'inactive' | 'suspended'
  dailyQuota: number | null
  createObjects: boolean
  retentionDays: number | null
  /** The time of the last change of its settings. */
  updatedAt: number
  keys: ModelKey[]
  feedTokens: ModelKey[]
  objects: ModelObject[]
  /** The window in the running process. */
  window: Window
}

const DAY_MS = 86_400_000

export function opens(key: ModelKey, now: number): boolean {
  return !key.isRevoked && (key.expiresAt === null || now < key.expiresAt)
}

/** The device time from which on positions are shown. */
export function keptFrom({ retentionDays }: ModelOrganization, now: number): number {
  return retentionDays === null ? 0 : Math.max(0, now - retentionDays * DAY_MS)
}

/** Deletes positions a day after they were last shown, and none within a day of a change of settings. */
export function purge(organization: ModelOrganization, now: number): void {
  if (now - organization.updatedAt < DAY_MS) return
  const before = keptFrom(organization, now) - DAY_MS
  for (const object of organization.objects) {
    const gone = object.fixes.findLast(({ timeDevice }) => timeDevice < before)
    object.purgedThrough = Math.max(object.purgedThrough, gone?.timeDevice ?? -1)
  }
}

/** A row as a tracker sends it: broken, or a packet of the object with that ident. */
export type SentRow = { ident: string; fix: ModelFix; broken: string | null }

export function takeRow(organization: ModelOrganization, row: SentRow, now: number): Outcome {
  if (row.broken !== null) return { rejected: row.broken }
  const object = organization.objects.find(({ ident }) => ident === row.ident)
  if (object === undefined) return { rejected: 'unknown_ident' }
  // Without a place, a packet is a sign of life, however old.
  const hasPlace = row.fix.latitude !== 0 || row.fix.longitude !== 0
  const isBeyond = hasPlace && row.fix.timeDevice < keptFrom(organization, now)
  if (isBeyond) return refuseBeyond(object, row.fix, now)
  return takeFix(object, row.fix, now)
}

/** Creates all objects of a request before any of its rows is checked further. */
export function makeObjects(organization: ModelOrganization, rows: readonly SentRow[]): void {
  if (!organization.createObjects) return
  for (const { ident, broken } of rows) {
    if (broken !== null || organization.objects.some((object) => object.ident === ident)) continue
    organization.objects.push(newObject(ident))
  }
}
