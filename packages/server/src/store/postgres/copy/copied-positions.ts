import type { ClientBase } from 'pg'
import { runAwaiting } from '../../../tracking/work.ts'
import { type CopySource, type Part, POSITIONS } from '../../copy-port.ts'
import { tuplesOf } from '../../positions/copied-blocks.ts'
import { statement } from '../connection/connections.ts'
import { withNumbers } from '../connection/copy-command.ts'
import { over } from '../database.ts'
import { blocksOf } from '../positions/position-blocks.ts'
import { copyBlocks } from './copy-blocks.ts'

const ROWS = statement(`
  SELECT ${Object.keys(POSITIONS.columns).join(', ')} FROM positions
  WHERE organization = $1 AND object = ANY($2) AND time_device >= $3 AND time_device < $4
  ORDER BY object, time_device`)
const WITH_BLOCKS = statement(`
  SELECT id FROM unnest($2::int8[]) AS objects (id)
  WHERE $3 <= (
    SELECT last_time FROM position_blocks
    WHERE organization = $1 AND object = id AND first_time < $4 ORDER BY first_time DESC LIMIT 1
  )`)

/** The objects of a part that have blocks with rows in it. */
export async function withBlocks(
  client: ClientBase,
  { organization, objects, from, to }: Part,
): Promise<number[]> {
  const { query } = over(client)
  const rows = await query<{ id: number }>(WITH_BLOCKS, [organization, objects, from, to])
  return rows.map(({ id }) => id)
}

/** The tuples of `POSITIONS` for a part, in blocks: those of rows, and those of packed positions in between. */
export function copiedPositions(client: ClientBase): CopySource['positions'] {
  function rowsOf({ organization, objects, from, to }: Part) {
    return copyBlocks(client, withNumbers(ROWS.text, [organization, objects, from, to]))
  }

  async function* mixed(part: Part, object: number): AsyncGenerator<Buffer> {
    const { organization, to } = part
    const blocks = blocksOf(over(client), organization, object)
    for (let stretch = { after: part.from - 1, to: to - 1 }; ; ) {
      const block = await runAwaiting(blocks.next(stretch))
      const from = stretch.after + 1
      const end = block === null ? to : block.first
      if (from < end) yield* rowsOf({ organization, objects: [object], from, to: end })
      if (block === null) return
      yield tuplesOf(block, stretch)
      stretch = { ...stretch, after: block.last }
    }
  }

  return async function* positions(part) {
    const packed = new Set(await withBlocks(client, part))
    let rest = part.objects
    while (rest.length > 0) {
      const place = rest.findIndex((object) => packed.has(object))
      const objects = place < 0 ? rest : rest.slice(0, place)
      if (objects.length > 0) yield* rowsOf({ ...part, objects })
      if (place < 0) return
      yield* mixed(part, rest[place]!)
      rest = rest.slice(place + 1)
    }
  }
}
