import { addAll } from '../../base/domain/common/any-number.ts'
import { type Disclosed, disclosedOf } from '../../base/domain/disclosure.ts'
import { HUNDREDTHS_PER_UNIT } from '../../base/domain/limits.ts'
import { timeIn } from '../../base/domain/position/position-columns.ts'
import type { Page, PageEntry, PageOffset, Withheld } from '../../engine/changes/page.ts'
import type { Refusal } from '../refusal.ts'
import type { ChargeLater } from '../request-limits.ts'

/**
 * The page that is paid for. It ends before the first entry that its object cannot pay, or with
 * `skipsExhausted` lacks all such entries. A refusal if nothing of it is left.
 */
export async function chargePage(
  page: Page,
  skipsExhausted: boolean,
  charge: ChargeLater,
): Promise<Page | Refusal> {
  const cut = skipsExhausted ? withoutUnpaid : endedBefore
  // Others may charge the same objects at the same time, so the rest may be refused again.
  for (let paid = page; ; ) {
    const due = dueOf(paid)
    if (due.objects.length === 0) return paid
    const refused = await charge(due)
    if (refused === undefined) return paid
    const remaining = new Map(refused.exhausted.map((object, at) => [object, refused.left[at]!]))
    paid = cut(paid, { remaining, isSnapshot: page.isSnapshot } satisfies Budget)
    if (paid.entries.length === 0) return refused.refusal
  }
}

/** Charges a page for each of some readers, or for none. False: an object cannot pay for all of them. */
export async function chargeForAll(
  page: Page,
  readers: number,
  charge: ChargeLater,
): Promise<boolean> {
  const due = dueOf(page)
  if (due.objects.length === 0) return true
  const amounts = due.hundredths ?? due.objects.map(() => HUNDREDTHS_PER_UNIT)
  const hundredths = amounts.map((amount) => amount * readers)
  return (await charge({ ...due, hundredths })) === undefined
}

/** The positions, states and derived records of each object on a page. */
export function disclosedIn({ entries }: Page): Disclosed {
  const rows = new Map<number, number>()
  for (const entry of entries) {
    if (entry.op !== 'put' || !('object' in entry) || typeof entry.object === 'number') continue
    const { id } = entry.object
    rows.set(id, (rows.get(id) ?? 0) + rowsOf(entry))
  }
  return disclosedOf(rows)
}

/** A unit for each object of a page of a snapshot, and afterwards a hundredth for each entry. */
function dueOf({ isSnapshot, entries }: Page) {
  const amounts = new Map<number, number>()
  for (const entry of entries) {
    const payer = payerOf(entry)
    if (payer === undefined) continue
    amounts.set(payer, isSnapshot ? HUNDREDTHS_PER_UNIT : (amounts.get(payer) ?? 0) + rowsOf(entry))
  }
  const objects = [...amounts.keys()]
  return isSnapshot
    ? { objects, isLimited: true }
    : { objects, hundredths: [...amounts.values()], isLimited: true }
}

/** The part of a page before the first row that its object cannot pay. */
function endedBefore(page: Page, budget: Budget): Page {
  for (const [index, entry] of page.entries.entries()) {
    const paid = payFor(entry, budget)
    if (paid === rowsOf(entry)) continue
    const entries = [...page.entries.slice(0, index), ...firstRows(entry, paid)]
    return { ...page, entries, next: offsetBefore(entry, paid), hasMore: true }
  }
  return page
}

/**
 * The page without the rows that their objects cannot pay. For each such object, an entry instead of the
 * first one says from when to when rows were left out.
 */
function withoutUnpaid(page: Page, budget: Budget): Page {
  const withheld = new Map<number, Withheld>()
  const entries: PageEntry[] = []
  for (const entry of page.entries) {
    const paid = payFor(entry, budget)
    addAll(entries, firstRows(entry, paid))
    if (paid === rowsOf(entry)) continue
    const [from, to] = timesFrom(entry, paid)
    const object = payerOf(entry)!
    const known = withheld.get(object)
    if (known !== undefined) {
      known.from = Math.min(known.from, from)
      known.to = Math.max(known.to, to)
      continue
    }
    const before = offsetBefore(entry, paid)
    const { seq } = entry
    const added: Withheld & { seq: number } = {
      type: 'withheld',
      op: 'put',
      object,
      from,
      to,
      before,
      seq,
    }
    withheld.set(object, added)
    entries.push(added)
  }
  return { ...page, entries }
}

function firstRows(entry: PageEntry, count: number): PageEntry[] {
  if (count === rowsOf(entry)) return [entry]
  if (count === 0 || !('count' in entry)) return []
  return [{ ...entry, count }]
}

function offsetBefore(entry: PageEntry, row: number): PageOffset {
  return 'count' in entry ? entry.beforeRow(row) : entry.before
}

/** The time of the first unpaid row of an entry, and of its last row. A state has the time of its position. */
function timesFrom(entry: PageEntry, row: number): [from: number, to: number] {
  if ('count' in entry) {
    const { columns, first, count } = entry
    return [timeIn(columns, first + row), timeIn(columns, first + count - 1)]
  }
  const time = entry.type === 'state' ? (entry.state.lastFix?.timeDevice ?? 0) : 0
  return [time, time]
}

/** The hundredths of a unit that refused objects can still pay. Others can pay everything. */
type Budget = {
  remaining: Map<number, number>
  /** Whether an object pays one unit for all its entries of the page, or a hundredth for each. */
  isSnapshot: boolean
}

/** The object that pays for an entry. Undefined: it is free. */
function payerOf(entry: PageEntry): number | undefined {
  return entry.type === 'state' || 'count' in entry ? entry.object.id : undefined
}

/** The rows of an entry. */
function rowsOf(entry: PageEntry): number {
  return 'count' in entry ? entry.count : 1
}

/** Takes the price of an entry from the budget. Returns how many of its rows are paid. */
function payFor(entry: PageEntry, { remaining, isSnapshot }: Budget): number {
  const payer = payerOf(entry)
  const rows = rowsOf(entry)
  const ofPayer = payer === undefined ? undefined : remaining.get(payer)
  if (ofPayer === undefined) return rows
  if (isSnapshot) return ofPayer < HUNDREDTHS_PER_UNIT ? 0 : rows
  const paid = Math.min(rows, ofPayer)
  remaining.set(payer!, ofPayer - paid)
  return paid
}
