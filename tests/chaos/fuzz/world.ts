import { RATE_WINDOW } from '../../../packages/server/src/base/domain/limits.ts'
import type { FuzzOperation } from './description.ts'
import type { Judge } from './judge.ts'
import type { RawShape } from './raw-shapes.ts'
import type { Tally } from './tally.ts'
import type { Tenant } from './tenants.ts'

/** The state that all batches of a run share. */
export type World = {
  tenants: readonly Tenant[]
  operations: readonly FuzzOperation[]
  shapes: readonly RawShape[]
  judge: Judge
  tally: Tally
}

/** The contract's rate window. */
export const WINDOW = { requests: RATE_WINDOW.requests, ms: RATE_WINDOW.seconds * 1_000 }

/** The index of the tenant for a batch, so that tenants take turns. */
export function tenantOf({ tenants }: World, seed: number): number {
  return seed % tenants.length
}
