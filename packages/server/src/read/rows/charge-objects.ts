import { type Disclosed, disclosedOf } from '../../base/domain/disclosure.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import type { Roster } from '../../data/cache/fleet-objects.ts'
import { objectNotFound, type Refusal } from '../refusal.ts'
import type { ChargeLater, Due } from '../request-limits.ts'
import type { TakenRoom } from './page-room.ts'

/*
 * The objects that an answer charges, and the rows of each object that it discloses.
 */

/**
 * The check before anything of these objects is read, for an answer that charges only those in it: each must have a unit
 * left. An answer that is refused only if it contains an exhausted object would show where that object is, or when it
 * drove, to a caller who varies a filter. Null: there is no quota.
 */
export function mustBeAbleToPay(
  { dailyQuota }: Organization,
  objects: Iterable<number>,
): Due | null {
  return dailyQuota === null ? null : { objects: [], ableToPay: [...objects], isLimited: true }
}

/** `before`: the check of all asked objects. Null: each of them has a row, or there is no quota. */
export type AskedObjects = { before: Due | null; skipsExhausted: boolean }

/** The objects that may have rows in a page that begins after a row. Earlier pages have shown all rows of the others. */
export function objectsFrom(
  after: { readonly object: number } | null,
  objects: Iterable<number>,
): number[] {
  return [...objects].filter((object) => after === null || object >= after.object)
}

export type IsExhausted = (object: number) => boolean

export type Charged<Row> = {
  rows: readonly Row[]
  /** The exhausted objects that were left out. */
  withheld: readonly number[]
}

type Found<Row> = readonly Row[] | Refusal

/**
 * Charges a unit to the object of each row, all or none. Returns the refusal of `find`, or one if one of the asked objects is exhausted. With
 * `skipsExhausted`, leaves these out before `find`, and refuses if no object is left.
 */
export async function chargeFound<Row extends { readonly object: { readonly id: number } }>(
  { before, skipsExhausted }: AskedObjects,
  find: (isExhausted: IsExhausted) => Found<Row> | Promise<Found<Row>>,
  charge: ChargeLater,
): Promise<Charged<Row> | Refusal> {
  const exhausted = new Set<number>()
  let ableToPay = before?.ableToPay ?? []

  async function chargeEach(due: readonly number[]): Promise<Refusal | undefined> {
    // Others may charge the same objects at the same time, so the rest may be refused again.
    for (let objects = due; ; ) {
      const refused = await charge({ objects, ableToPay, isLimited: true })
      if (refused === undefined) return undefined
      if (!skipsExhausted) return refused.refusal
      for (const object of refused.exhausted) exhausted.add(object)
      ableToPay = ableToPay.filter((object) => !exhausted.has(object))
      objects = objects.filter((object) => !exhausted.has(object))
      if (ableToPay.length + objects.length === 0) return refused.refusal
    }
  }

  // Without `skipsExhausted`, the request was refused before it came here.
  const refusal = skipsExhausted ? await chargeEach([]) : undefined
  if (refusal !== undefined) return refusal
  const found = await find((object) => exhausted.has(object))
  if ('status' in found) return found
  const refused = await chargeEach(found.map(({ object }) => object.id))
  if (refused !== undefined) return refused
  if (exhausted.size === 0) return { rows: found, withheld: [] }
  return {
    rows: found.filter(({ object }) => !exhausted.has(object.id)),
    withheld: [...exhausted],
  }
}

/** The objects that may have rows in the answer, by id, and all objects of the organization. */
export type AskedRows = {
  readonly objects: readonly number[]
  readonly all: Roster
  readonly payment: AskedObjects
}

type RowsPage = { readonly rows: readonly { readonly object: number }[] }
type ChargedPage<Page extends RowsPage> = {
  page: Page
  /** The rows of the page that are paid for. */
  rows: Page['rows']
  withheld: readonly number[]
  disclosed: Disclosed
}

/**
 * Reads a page of rows of the objects that are able to pay, and charges a unit to each object in it. A page of null is
 * a refusal: the organization was deleted a moment ago. `read` gets null instead of the asked objects if all of them can
 * pay, so far as it is known.
 */
export async function chargePage<Page extends RowsPage>(
  { objects, all, payment }: AskedRows,
  room: TakenRoom,
  read: (payable: readonly number[] | null) => Promise<Page | null>,
  charge: ChargeLater,
): Promise<ChargedPage<Page> | Refusal> {
  let page: Page | null = null
  const find = async (isExhausted: IsExhausted) => {
    page = await read(
      payment.skipsExhausted ? objects.filter((object) => !isExhausted(object)) : null,
    )
    if (page === null) return objectNotFound
    room.keep(page.rows.length)
    const found = new Set(page.rows.map(({ object }) => object))
    return Array.from(found, (object) => all.get(object)!)
  }
  const charged = await chargeFound(payment, find, charge)
  if ('status' in charged) return charged
  const withheld = new Set(charged.withheld)
  const rows = page!.rows.filter(({ object }) => !withheld.has(object))
  const disclosed = rowsByObject(rows.map(({ object }) => object))
  return { page: page!, rows, withheld: charged.withheld, disclosed }
}

/** The rows of each object in an answer whose rows belong to these objects. */
function rowsByObject(objects: Iterable<number>): Disclosed {
  const rows = new Map<number, number>()
  for (const object of objects) rows.set(object, (rows.get(object) ?? 0) + 1)
  return disclosedOf(rows)
}

/** The rows of each object in runs. */
export function rowsOfRuns(
  runs: readonly { readonly object: number; readonly columns: PositionColumns }[],
): Disclosed {
  const rows = new Map<number, number>()
  for (const { object, columns } of runs) {
    rows.set(object, (rows.get(object) ?? 0) + columns.rows)
  }
  return disclosedOf(rows)
}
