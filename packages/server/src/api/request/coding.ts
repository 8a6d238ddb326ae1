import { acceptItems } from './accept-items.ts'
import { highestWeights, type Weights } from './weights.ts'

/** Content codings, the one with the best ratio of saving to cost first. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * The coding that an `Accept-Encoding` header prefers (RFC 9110, 12.5.3): by weight, then by the order of
 * `CODINGS`. Undefined: none. `*` stands for gzip alone, because clients that send it seldom know the newer
 * codings.
 */
export function preferredCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const weights = highestWeights(acceptItems(header.toLowerCase()))
  let preferred: Coding | undefined
  let highest = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : 0) ?? 0
    if (weight <= highest) continue
    preferred = coding
    highest = weight
  }
  return identityWeight(weights) > highest ? undefined : preferred
}

/** `identity` without an item of its own weighs as much as the lowest item, apart from those of weight 0. */
function identityWeight(weights: Weights): number {
  return weights.get('identity') ?? weights.get('*') ?? weights.lowest
}
