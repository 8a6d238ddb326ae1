import type { Page } from '../../changes/page.ts'
import { HUNDREDTHS_PER_UNIT } from '../../domain/quota-count.ts'
import type { ChargeLater } from '../limits.ts'
import type { Refusal } from '../refusal.ts'
import { endedBefore, withoutUnpaid } from './paid-page.ts'
import { type Budget, payerOf, rowsOf } from './prices.ts'

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
    const left = new Map(refused.exhausted.map((object, at) => [object, refused.left[at]!]))
    paid = cut(paid, { left, isSnapshot: page.isSnapshot } satisfies Budget)
    if (paid.entries.length === 0) return refused.refusal
  }
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
