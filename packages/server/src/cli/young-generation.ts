import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const BOUND_BYTES = 6_000_000

/**
 * Keeps V8's space for new objects from growing once it is larger than the bound; to be called now
 * and then. Rows live until their batch is written, which V8 answers with a space that grows to some
 * 100 MB: that is a third of what an import may take, for a twentieth of its time. Setting the flag
 * from the start, with the space at 1 MB, would cost a fifth.
 */
export function boundYoungGeneration(): void {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (space !== undefined && space.space_size > BOUND_BYTES) {
    setFlagsFromString('--semi-space-growth-factor=1')
  }
}
