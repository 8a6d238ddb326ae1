import { takeTurn } from '../../base/domain/common/slots.ts'
import { WEEK_MS, weekOf } from '../../engine/store/position-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { clearOfBlocks } from '../positions/packing.ts'
import { BLOCK_COLUMNS, type TablesOf } from '../positions/position-tables.ts'
import { type StoredBlock, unpackRows } from '../positions/stored-blocks.ts'
import { type Dialect, inParts, type Sql, type Tables } from '../tables/sql.ts'
import { type CopiedTable, type CopySource, copiedTablesOf, type Part } from './copy-port.ts'
import { coveredBy, packedTuples } from './position-tuples.ts'

/** How a store is copied: the reads of one connection, and the parts that it has in a form of its own. */
export type CopyParts = {
  read: Tables['read']
  dialect: Pick<Dialect, 'isIn' | 'list' | 'bytewise'>
  tablesOf: TablesOf
  /** Queries of tables that the store lays out its own way, by their names. Organization `$1`. */
  ownQueries: Readonly<Record<string, string>>
  /** The tuples of a query of a table. */
  tuples(table: CopiedTable, query: string, organization: number | null): AsyncIterable<Buffer>
  /** The tuples of `POSITIONS` in the table of positions, by object and time. */
  unpacked(part: Part): AsyncIterable<Buffer>
}

const ORGANIZATIONS = 'SELECT id FROM organizations ORDER BY id'
const OBJECTS = 'SELECT id FROM objects WHERE organization = $1 ORDER BY id'
/** Objects whose blocks are read at once: some megabytes. */
const SLICE_OBJECTS = 100
/** The blocks of an object among whose rows others came while it was damaged. */
const WITH_LATE = `
  SELECT first_time AS first FROM position_blocks
  WHERE organization = $1 AND object = $2 AND EXISTS (
    SELECT 1 FROM positions
    WHERE organization = $1 AND object = $2 AND time_device BETWEEN first_time AND last_time
  )`

const weekNumber = (time: string) => `(${time} - ${weekOf(0)}) / ${WEEK_MS}`
const IS_IN_ONE_WEEK = `${weekNumber('first_time')} = ${weekNumber('last_time')}`

type Counted = { week: number; count: number }

/** Reads the data of a copy as the reads of `parts` see it. */
export function copiedRows(parts: CopyParts): Omit<CopySource, 'close' | 'facts'> {
  const { read, tablesOf, unpacked } = parts
  const { isIn, list } = parts.dialect
  const isOfObjects = `organization = $1 AND ${isIn('object', '$2')}`
  // Without blocks that begin in one week and end in another.
  const weeksOf = `
    SELECT ${weekNumber('time_device')} AS week, count(*) AS count FROM positions
    WHERE ${isOfObjects} GROUP BY 1
    UNION ALL
    SELECT ${weekNumber('first_time')}, sum(rows) FROM position_blocks
    WHERE ${isOfObjects} AND ${IS_IN_ONE_WEEK} GROUP BY 1`
  const ofTwoWeeks = `
    SELECT ${BLOCK_COLUMNS} FROM position_blocks WHERE ${isOfObjects} AND NOT ${IS_IN_ONE_WEEK}`

  const idsOf = async (query: string, ...values: number[]) =>
    (await read(({ all }) => all<{ id: number }>(query, values))).map(({ id }) => id)

  /** The tuples of an object with blocks: those of rows, and those of packed positions in between. */
  async function* mixed({ organization, from, to }: Part, object: number): AsyncGenerator<Buffer> {
    const late = await read(({ all }) => all<{ first: number }>(WITH_LATE, [organization, object]))
    const haveLate = new Set(late.map(({ first }) => first))
    for (let span = { after: from - 1, to: to - 1 }; ; ) {
      const rest = span
      const { block, among } = await read(function* (sql) {
        const { blocks, rows } = tablesOf(sql, organization, object)
        const block = yield* blocks.next(rest)
        if (block === null || !haveLate.has(block.first)) return { block, among: [] }
        return { block, among: yield* rows.first(coveredBy(block, rest), Number.MAX_SAFE_INTEGER) }
      })
      const since = span.after + 1
      const end = block === null ? to : block.first
      if (since < end) yield* unpacked({ organization, objects: [object], from: since, to: end })
      if (block === null) return
      yield packedTuples(block, span, among)
      span = { ...span, after: block.last }
      await takeTurn()
    }
  }

  async function* positions(part: Part): AsyncGenerator<Buffer> {
    const packed = new Set(await read((sql) => objectsWithBlocks(parts, sql, part)))
    for (let rest = part.objects; rest.length > 0; ) {
      const place = rest.findIndex((object) => packed.has(object))
      const objects = place < 0 ? rest : rest.slice(0, place)
      if (objects.length > 0) yield* unpacked({ ...part, objects })
      if (place < 0) return
      yield* mixed(part, rest[place]!)
      rest = rest.slice(place + 1)
    }
  }

  return {
    organizations: () => idsOf(ORGANIZATIONS),
    objects: (organization) => idsOf(OBJECTS, organization),
    async weeks(organization, objects) {
      const weeks = new Map<number, number>()
      const add = (week: number, rows: number) => weeks.set(week, (weeks.get(week) ?? 0) + rows)
      await inParts(objects, SLICE_OBJECTS, async (part) => {
        const values = [organization, list(part)]
        for (const { week, count } of await read(({ all }) => all<Counted>(weeksOf, values))) {
          add(weekOf(0) + week * WEEK_MS, count)
        }
        for (const block of await read(({ all }) => all<StoredBlock>(ofTwoWeeks, values))) {
          for (const { time } of unpackRows(block)) add(weekOf(time), 1)
        }
        return []
      })
      return weeks
    },
    rows: (table, organization) => parts.tuples(table, queryOf(parts, table), organization),
    positions,
  }
}

function queryOf(
  { dialect: { bytewise }, ownQueries }: CopyParts,
  { name, columns, owner, key }: CopiedTable,
): string {
  const own = ownQueries[name]
  if (own !== undefined) return own
  const order = key.map((column) => (columns[column] === 'text' ? `${column} ${bytewise}` : column))
  // The newest change of the states is that of the table of sequences.
  const whose =
    owner === null ? '' : `WHERE ${owner} = $1 ${name === 'changes' ? "AND topic <> 'states'" : ''}`
  const ordered = order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${name} ${whose} ${ordered}`
}

function* objectsWithBlocks(
  { dialect: { isIn, list } }: Pick<CopyParts, 'dialect'>,
  { all }: Sql,
  { organization, objects, from, to }: Part,
): Work<number[]> {
  const packed = `
    SELECT DISTINCT object FROM position_blocks
    WHERE organization = $1 AND ${isIn('object', '$2')} AND last_time >= $3 AND first_time < $4`
  const rows = yield* all<{ object: number }>(packed, [organization, list(objects), from, to])
  return rows.map(({ object }) => object)
}

/** Removes the positions of a part. */
export function* removePositions(
  parts: Pick<CopyParts, 'dialect' | 'tablesOf'>,
  sql: Sql,
  part: Part,
): Work<void> {
  const { organization, objects, from, to } = part
  const { isIn, list } = parts.dialect
  for (const object of yield* objectsWithBlocks(parts, sql, part)) {
    const tables = parts.tablesOf(sql, organization, object)
    yield* clearOfBlocks(tables, { after: from - 1, to: to - 1 })
  }
  const remove = `
    DELETE FROM positions WHERE organization = $1 AND ${isIn('object', '$2')}
      AND time_device >= $3 AND time_device < $4`
  yield* sql.count(remove, [organization, list(objects), from, to])
}

/** Removes all rows of an organization, or of the deployment, from the tables except some. Positions stay. */
export function* removeTables(
  { count }: Sql,
  organization: number | null,
  except: object = {},
): Work<void> {
  for (const { name, owner } of copiedTablesOf(organization).toReversed()) {
    if (name in except) continue
    if (owner === null) yield* count(`DELETE FROM ${name}`, [])
    else yield* count(`DELETE FROM ${name} WHERE ${owner} = $1`, [organization])
  }
}
