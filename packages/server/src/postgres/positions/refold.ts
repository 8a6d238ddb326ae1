import type { FoldRules } from '../../domain/position/fold-state.ts'
import type { PositionStore, Refolded } from '../../store/position-store.ts'
import { BEGINNING, refoldSlice } from '../../tracking/refold-slice.ts'
import { runAwaiting } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import { type Connection, ofAllOrganizations } from '../connection/database.ts'
import type { OrganizationWrite, OrganizationWrites } from '../organization-writes.ts'
import { noted } from '../tables.ts'
import { foldBuffer } from './append.ts'
import type { FoldTargets, FoldTargetWrite } from './fold-targets.ts'

type Mark = { organization: number; object: number }

/** `$1`: a share of the largest id, at which the search begins. */
const NEXT = statement(`
  WITH start AS (SELECT floor(max(organization) * $1::float8)::int8 AS at FROM refolds)
  (SELECT organization, object FROM refolds WHERE organization >= (SELECT at FROM start)
    ORDER BY organization, object LIMIT 1)
  UNION ALL
  (SELECT organization, object FROM refolds WHERE organization < (SELECT at FROM start)
    ORDER BY organization, object LIMIT 1)
  LIMIT 1
`)
/** A Citus asks one worker. */
const NEXT_OF_ONE = statement(`
  SELECT organization, object FROM refolds
  WHERE organization = $1 AND ($2::int8 IS NULL OR object = $2)
  ORDER BY object LIMIT 1
`)
const FIND = statement(`
  SELECT from_time AS after FROM refolds WHERE organization = $1 AND object = $2
`)
const MOVE = statement('UPDATE refolds SET from_time = $3 WHERE organization = $1 AND object = $2')
const REMOVE = statement('DELETE FROM refolds WHERE organization = $1 AND object = $2')
const MARK_ALL = statement(`
  INSERT INTO refolds (organization, object, from_time)
  SELECT organization, object, ${BEGINNING} FROM object_states
  WHERE organization = $1 AND ($2::int8 IS NULL OR object = $2)
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time
`)

/**
 * Folds stored positions again in slices, with others writing in between. Only the transaction that has
 * exclusive access to the organization reads and moves its marks, so that nothing deadlocks.
 */
export function refolder(
  connection: Connection,
  writes: OrganizationWrites,
  targets: FoldTargets,
): Pick<PositionStore, 'refold' | 'requestRefold'> {
  /** Where this process begins among the organizations. Other processes begin elsewhere. */
  const start = Math.random()

  /** Null if the mark is gone: another process was faster, or the organization was deleted. */
  async function refoldMark(mark: Mark, rules: FoldRules): Promise<Refolded | null> {
    const { organization, object } = mark
    const known = await writes.write(organization, async (begun) => {
      const write = await targets.begin(begun, [object])
      const [existing] = await write.query<{ after: number }>(FIND, [organization, object])
      const refolded = existing && (await refoldFrom(write, object, existing.after, rules))
      return { refolded: refolded ?? null }
    })
    if (known === null) await connection.run(REMOVE, [organization, object])
    return known?.refolded ?? null
  }

  const nextOf = (organization: number, object: number | null) =>
    connection.query<Mark>(NEXT_OF_ONE, [organization, object])
  const nextOfAll = () =>
    ofAllOrganizations(
      connection,
      () => connection.query<Mark>(NEXT, [start]),
      (organization) => nextOf(organization, null),
    )

  return {
    async requestRefold({ organization, object }, note) {
      const mark = async (write: OrganizationWrite) =>
        noted(write, await write.run(MARK_ALL, [organization, object]), note)
      return (await writes.write(organization, mark)) ?? 0
    },
    async refold(subject, rules) {
      const next = () =>
        subject === null ? nextOfAll() : nextOf(subject.organization, subject.object)
      for (;;) {
        const [mark] = await next()
        if (mark === undefined) return null
        const refolded = await refoldMark(mark, rules)
        if (refolded !== null) return refolded
      }
    },
  }
}

async function refoldFrom(
  write: FoldTargetWrite,
  object: number,
  after: number,
  rules: FoldRules,
): Promise<Refolded> {
  const { organization, change } = write
  const existing = write.find(object)
  const buffer = foldBuffer(write)
  const slice =
    existing === null
      ? null
      : await runAwaiting(refoldSlice(buffer, existing, after, change, rules))
  const unfinishedAfter = slice?.unfinishedAfter ?? null
  if (unfinishedAfter === null) write.run(REMOVE, [organization, object])
  else write.run(MOVE, [organization, object, unfinishedAfter])
  await buffer.flush()
  if (slice !== null) write.save(new Map([[object, slice.target]]))
  const finished = unfinishedAfter === null
  return { organization, object, positions: slice?.folded ?? 0, finished }
}
