import { LAST_TIME } from '../../src/base/domain/time/time.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { OpenStore } from '../store-contract/fixture.ts'

/** So small that each position is the first, the last or the middle one of a block, or waits for one. */
export const BLOCK_ROWS = 3
/** Long histories have larger blocks, so that they are read and packed in reasonable time. */
const MAX_BLOCKS = 100

/** Packs all positions of an organization. Returns their number. */
export async function packAll(store: Store, organization: number, blockRows?: number) {
  let packed = 0
  for (let after: number | null = 0; after !== null; ) {
    const done = await store.positions.pack(organization, LAST_TIME, after, blockRows)
    packed += done.packed
    after = done.next
  }
  return packed
}

/** Small writes of which one packs. The next ones find rows between blocks too. */
const SMALL_WRITES = 3
/** A write with more positions always packs. */
const SMALL_BATCH = 20

/** Stores that pack after writes of positions. So most rows that could be in blocks are. */
export function packing(open: OpenStore): OpenStore {
  return async () => {
    const opened = await open()
    return {
      ...opened,
      store: packingStore(opened.store),
      reopen: async () => packingStore(await opened.reopen()),
    }
  }
}

function packingStore(store: Store): Store {
  const { positions } = store
  let blockRows = BLOCK_ROWS
  let small = 0
  async function packedAfter<T>(organization: number, result: T): Promise<T> {
    await packAll(store, organization, blockRows)
    return result
  }
  return {
    ...store,
    positions: {
      ...positions,
      async append(organization, batch, ...rest) {
        blockRows = Math.max(blockRows, Math.ceil(batch.length / MAX_BLOCKS))
        const outcomes = await positions.append(organization, batch, ...rest)
        if (batch.length < SMALL_BATCH) small += 1
        const packs = batch.length >= SMALL_BATCH || small % SMALL_WRITES === 0
        return packs ? packedAfter(organization, outcomes) : outcomes
      },
      async refold(...given) {
        const refolded = await positions.refold(...given)
        return refolded === null ? null : packedAfter(refolded.organization, refolded)
      },
      purgeExpired: async (organization, ...rest) =>
        packedAfter(organization, await positions.purgeExpired(organization, ...rest)),
    },
  }
}
