import type { PageEntry } from '../../changes/page.ts'
import { HUNDREDTHS_PER_UNIT } from '../../domain/quota-count.ts'

/** The hundredths of a unit that refused objects can still pay. Others can pay everything. */
export type Budget = {
  left: Map<number, number>
  /** Whether an object pays one unit for all its entries of the page, or a hundredth for each. */
  isSnapshot: boolean
}

/** The object that pays for an entry. Undefined: it is free. */
export function payerOf(entry: PageEntry): number | undefined {
  return entry.type === 'state' || 'count' in entry ? entry.object.id : undefined
}

/** The rows of an entry. */
export function rowsOf(entry: PageEntry): number {
  return 'count' in entry ? entry.count : 1
}

/** Takes the price of an entry from the budget. Returns how many of its rows are paid. */
export function payFor(entry: PageEntry, { left, isSnapshot }: Budget): number {
  const payer = payerOf(entry)
  const rows = rowsOf(entry)
  const leftOfPayer = payer === undefined ? undefined : left.get(payer)
  if (leftOfPayer === undefined) return rows
  if (isSnapshot) return leftOfPayer < HUNDREDTHS_PER_UNIT ? 0 : rows
  const paid = Math.min(rows, leftOfPayer)
  left.set(payer!, leftOfPayer - paid)
  return paid
}
