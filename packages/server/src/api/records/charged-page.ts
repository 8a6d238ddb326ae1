import type { Roster } from '../../cache/fleet-object.ts'
import type { Disclosed } from '../../domain/disclosure.ts'
import type { TakenRoom } from '../changes/page-room.ts'
import { rowsByObject } from '../disclosed.ts'
import type { ChargeLater } from '../limits.ts'
import { type AskedObjects, chargeFound, type IsExhausted } from '../positions/charge-objects.ts'
import { objectNotFound, type Refusal } from '../refusal.ts'

/** The objects of which the answer may have rows, by id, out of all of the organization. */
export type AskedRows = {
  readonly objects: readonly number[]
  readonly all: Roster
  readonly payment: AskedObjects
}

type RowsPage = { readonly rows: readonly { readonly object: number }[] }
type Charged<Page extends RowsPage> = {
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
): Promise<Charged<Page> | Refusal> {
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
