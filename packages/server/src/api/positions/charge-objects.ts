import type { ChargeLater } from '../limits.ts'
import type { Refusal } from '../refusal.ts'

/**
 * Charges a unit to each object, all or none. With `skipsExhausted`, leaves out the objects that cannot pay.
 * Returns the objects that paid, in their order, or a refusal if none could pay.
 */
export async function chargeObjects(
  objects: readonly number[],
  skipsExhausted: boolean,
  charge: ChargeLater,
): Promise<readonly number[] | Refusal> {
  // Others may charge the same objects at the same time, so the rest may be refused again.
  for (let paid = objects; ; ) {
    if (paid.length === 0) return paid
    const refused = await charge({ objects: paid, isLimited: true })
    if (refused === undefined) return paid
    if (!skipsExhausted) return refused.refusal
    const exhausted = new Set(refused.exhausted)
    paid = paid.filter((object) => !exhausted.has(object))
    if (paid.length === 0) return refused.refusal
  }
}
