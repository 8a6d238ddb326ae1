import { createHmac } from 'node:crypto'
import { addedNames, unpackCurrent } from '../../base/domain/position/current-attributes.ts'
import { STORED_KIND } from '../../base/domain/record.ts'
import { ARCHIVED, type Archived, all, type Referred, type Row } from './archived-tables.ts'
import { type CopiedTable, type CopySource, copiedTablesOf } from './copy-port.ts'
import { rowsOf, tupleWriter, type Value } from './tuples.ts'

/**
 * A source that shows one organization, or one object of it, without secrets. A copy of it is an archive, which can be
 * copied into an empty store. Rejects if there is no such organization or object.
 */
export async function archiveOf(source: CopySource, archived: Archived): Promise<CopySource> {
  const { organization, object } = archived
  if (!(await source.organizations()).includes(organization)) {
    throw new Error(`there is no organization ${organization}`)
  }
  if (object !== null && !(await source.objects(organization)).includes(object)) {
    throw new Error(`organization ${organization} has no object ${object}`)
  }
  const shown = (owner: number, objects: readonly number[]) =>
    owner === organization ? objects.filter((id) => object === null || id === object) : []
  let found: Promise<Referred> | undefined

  async function* rows(table: CopiedTable, owner: number | null): AsyncGenerator<Buffer> {
    if (owner !== null && owner !== organization) return
    const take = takeOf(table, archived)
    if (take === all) return yield* source.rows(table, owner)
    // A source reads one thing at a time.
    found ??= referredIn(source, archived)
    const referred = await found
    const writer = tupleWriter(table)
    const columns = Object.keys(table.columns)
    for await (const row of rowsIn(source, table, owner)) {
      const taken = take(row, referred)
      if (taken !== null) writer.add(columns.map((column) => taken[column]!))
      if (writer.isFull()) yield writer.take()
    }
    const rest = writer.take()
    if (rest.length > 0) yield rest
  }

  return {
    async facts() {
      const { secret, sequence, epoch, lastIds } = await source.facts()
      return { secret: secretOf(secret, archived), sequence, epoch, lastIds }
    },
    organizations: async () => (await source.organizations()).filter((id) => id === organization),
    objects: async (owner) => shown(owner, await source.objects(owner)),
    weeks: (owner, objects) => source.weeks(owner, shown(owner, objects)),
    rows,
    positions: ({ organization: owner, objects, from, to }) =>
      source.positions({ organization: owner, objects: shown(owner, objects), from, to }),
    close: () => source.close(),
  }
}

/** Another secret for each archive. It is the same each time, so that a copy can continue. */
function secretOf(secret: Buffer, { organization, object }: Archived): Buffer {
  return createHmac('sha256', secret).update(`archive of ${organization} ${object}`).digest()
}

function takeOf({ name }: CopiedTable, { object }: Archived) {
  const taken = ARCHIVED[name]
  if (taken === undefined) throw new Error(`no archive has the table ${name}`)
  return taken[object === null ? 0 : 1]
}

async function* rowsIn(
  source: CopySource,
  table: CopiedTable,
  owner: number | null,
): AsyncGenerator<Row> {
  const columns = Object.keys(table.columns)
  for await (const block of source.rows(table, owner)) {
    for (const values of rowsOf(table, block)) {
      yield Object.fromEntries(columns.map((column, index) => [column, values[index]!]))
    }
  }
}

const TOPICS: Readonly<Record<number, string>> = {
  [STORED_KIND.geofence]: 'geofences',
  [STORED_KIND.site]: 'sites',
}

async function referredIn(source: CopySource, archived: Archived): Promise<Referred> {
  const { organization, object } = archived
  const read = async (name: string, owner: number | null, each: (row: Row) => void) => {
    const table = copiedTablesOf(owner).find((table) => table.name === name)!
    for await (const row of rowsIn(source, table, owner)) each(row)
  }
  const members = new Set<Value>()
  const ownMembers = new Set<Value>()
  await read('account_roles', null, (row) => {
    if (row.organization !== organization) return
    members.add(row.account!)
    if (!row.is_from_sign_on) ownMembers.add(row.account!)
  })
  const attributes = new Set<Value>()
  const places = new Set<string>()
  const disclosees = new Set<Value>()
  let ident: Value = null
  if (object !== null) {
    const readOwn = (name: string, each: (row: Row) => void) =>
      read(name, organization, (row) => {
        if ((row.object ?? row.id) === object) each(row)
      })
    await readOwn('objects', (row) => {
      ident = row.ident!
    })
    await readOwn('object_states', (row) => {
      const current = unpackCurrent(row.attributes as Uint8Array | null)
      for (const name of addedNames([], current)) attributes.add(name)
    })
    await readOwn('records', ({ kind, place }) => places.add(`${TOPICS[Number(kind)]} ${place}`))
    await readOwn('disclosures', ({ disclosee }) => disclosees.add(disclosee!))
  }
  return { ...archived, members, ownMembers, ident, attributes, places, disclosees }
}
